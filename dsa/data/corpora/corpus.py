"""A corpus: its task, its reader, and what is known of its official files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dsa.data.corpora.example import check_examples
from dsa.errors import InputError


@dataclass(frozen=True)
class Corpus:
    """A corpus and what is known of it.

    Args:
        name: as `data.corpus` of a config names it.
        task: what is asked of a model.
        read: the reader of its files, a generator function `(path, task)` that yields
            an `Example` for every row.
        official_rows: rows of the official files, by file name.
        training_pairs: labelled rows of the official training file, where tables say
            which share of them a run had; else `None`.
        grouped: whether evaluations report the corpus's groups.
        splits: the official files by split, below the data root.
        read_phrases: the reader that gives the labelled phrases of each sentence too;
            `None` if the corpus has none.
        official_phrase_rows: as `official_rows`, of files read with phrases.
        neutral_label: the label of the phrases that oversampling leaves as they are.
        settings: further arguments of the reader, by name.
    """

    name: str
    task: Any
    read: Callable
    official_rows: Mapping[str, int] = field(default_factory=dict)
    training_pairs: int | None = None
    grouped: bool = False
    splits: Mapping[str, str] = field(default_factory=dict)
    read_phrases: Callable | None = None
    official_phrase_rows: Mapping[str, int] = field(default_factory=dict)
    neutral_label: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def neutral_number(self):
        """`neutral_label` as the task's number of it; `None` if there is none."""
        label = self.neutral_label
        return None if label is None else self.task.number(label)

    def read_examples(self, path, phrases=False):
        """Yield an `Example` for every row of a file, also gzipped.

        Args:
            path: the file.
            phrases: whether the phrases of each sentence come too.

        Raises: `InputError` with file, line and reason for a file that cannot be read,
            a malformed row, a text that is none, and a file without any row.
        """
        read = self.read_phrases if phrases else self.read
        return check_examples(read(path, self.task, **self.settings), path)

    def check_row_count(self, path, rows, phrases=False):
        """Raises an error for a file with the name of an official one and another
        number of rows: it is cut short, or was read wrong.

        Args:
            path: the file.
            rows: how many it has.
            phrases: whether it was read with phrases.

        Raises: `InputError`.
        """
        known = self.official_phrase_rows if phrases else self.official_rows
        official = known.get(Path(path).name.removesuffix(".gz"), rows)
        if rows != official:
            raise InputError(
                f"{path}: {rows:,} rows, the official file of this name has "
                f"{official:,}. If it is meant to be another one, give it another name"
            )
