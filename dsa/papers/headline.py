"""A row of the README's results table, as data."""

import dataclasses

from dsa.papers.published import Source


@dataclasses.dataclass(frozen=True)
class Headline:
    """A paper's number and our run that is shown beside it.

    Args:
        paper: whose model it is.
        model: its name in the table that prints the number.
        source: the `Source` that prints it.
        result: the folder of our run, below `results/`.
        config: the file with the published settings, below `configs/`.
    """

    paper: str
    model: str
    source: Source
    result: str
    config: str
