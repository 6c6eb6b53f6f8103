"""One row of a corpus, and what holds for the rows of every file."""

from typing import NamedTuple

from dsa.data.corpora.texts import check_text
from dsa.errors import InputError

SENTENCE, PHRASE = "sentence", "phrase"  # the groups of a file read with phrases


class Example(NamedTuple):
    """A sentence, or a pair of them, as the corpus gives it.

    `texts`: premise and hypothesis, or the one sentence; `label` is one of the task's
    labels, or a number for a score, and `None` where the corpus has none (SNLI's `-`);
    `parses`, as many as texts, is `None` where the corpus has none; `id` is the
    corpus's own, `None` where it has none; `group` is a part of the corpus to report
    separately (MultiNLI's genre), or the question that the row answers, else `None`;
    `line` is the line of the file, from 1.
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


def check_examples(examples, path, rows="rows"):
    """Yield what a reader yields, as far as it can be read: readers need not check it.

    Args:
        examples: the `Example`s of a file.
        path: the file, for errors.
        rows: what its rows are, for errors.

    Raises: `InputError` with file and line for a text or a parse as
        `check_text`, and for a file without any row.
    """
    empty = True
    for example in examples:
        empty = False
        place = f"{path}, line {example.line}"
        for number, text in enumerate(example.texts, start=1):
            single = len(example.texts) == 1
            name = "the sentence" if single else f"'sentence{number}'"
            check_text(text, f"{place}: {name}")
        for parse in example.parses or ():
            check_text(parse, f"{place}: the parse")
        yield example
    if empty:
        raise InputError(f"{path}: no {rows}")
