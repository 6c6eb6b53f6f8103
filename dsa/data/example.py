"""One row of a corpus."""

from typing import NamedTuple


class Example(NamedTuple):
    """A sentence pair as the corpus gives it.

    `label` is `None` where the corpus has none (SNLI's `-`), `parses` where it has no
    parses; `id` is the corpus's own, `None` where it has none; `group` is a part of
    the corpus to report separately (MultiNLI's genre), else `None`; `line` is the line
    of the file, from 1.
    """

    premise: str
    hypothesis: str
    label: str | None
    id: str | None
    group: str | None
    parses: tuple[str, str] | None
    line: int

    @property
    def name(self):
        """What to call the row: its id, else the number of its line."""
        return str(self.line) if self.id is None else self.id
