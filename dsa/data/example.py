"""One row of a corpus."""

from typing import NamedTuple


class Example(NamedTuple):
    """A sentence pair as the corpus gives it.

    `label` is `None` where the corpus has none (SNLI's `-`), `parses` where it has no
    parses; `id` is the corpus's own, else the line number as text; `group` is a part of
    the corpus to report separately (MultiNLI's genre), else `None`; `line` is the line
    of the file, from 1.
    """

    premise: str
    hypothesis: str
    label: str | None
    id: str
    group: str | None
    parses: tuple[str, str] | None
    line: int
