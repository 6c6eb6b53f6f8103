"""One row of a corpus."""

from typing import NamedTuple

SENTENCE, PHRASE = "sentence", "phrase"  # the groups of a file read with phrases


class Example(NamedTuple):
    """A sentence, or a pair of them, as the corpus gives it.

    `texts`: premise and hypothesis, or the one sentence; `label` is one of the task's
    labels, or a number for a score, and `None` where the corpus has none (SNLI's `-`);
    `parses`, as many as texts, is `None` where the corpus has none; `id` is the
    corpus's own, `None` where it has none; `group` is a part of the corpus to report
    separately (MultiNLI's genre), else `None`; `line` is the line of the file, from 1.
    """

    texts: tuple[str, ...]
    label: str | float | None
    id: str | None
    group: str | None
    parses: tuple[str, ...] | None
    line: int

    @property
    def name(self):
        """What to call the row: its id, else the number of its line."""
        return str(self.line) if self.id is None else self.id
