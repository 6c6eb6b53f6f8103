"""Sentences, one a line after its label: CR, MPQA and SUBJ, and TREC's questions.

CR, MPQA, SUBJ: Hu & Liu 2004, Wiebe et al. 2005, Pang & Lee 2004, as prepared by Kim
2014, one file each: label, space, tokenized sentence; UTF-8.

TREC: Li & Roth 2002, https://cogcomp.seas.upenn.edu/Data/QA/QC/; coarse and fine class,
question, `HUM:ind Who wrote this ?`; latin-1 (one byte 0xF0).
"""

from collections.abc import Iterator
from pathlib import Path

from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from dsa.tasks.classification import Classification


def read_labelled_lines(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every line `0 text` or `1 text`; 0 is the task's first
    label. A text can be empty (CR's line 769 is)."""
    for number, line in read_lines(path):
        label, _, text = line.partition(" ")
        if label not in map(str, range(task.outputs)):
            raise InputError(
                f"{path}, line {number}: a label, 0 to {task.outputs - 1}, and a space "
                f"are needed before the text. Received: {line[:40]!r}"
            )
        yield Example((text,), task.labels[int(label)], None, None, None, number)


def read_trec(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every question; its label is the coarse class, its group
    the fine one.

    Raises: `InputError` also for a file in UTF-8.
    """
    for number, line in read_lines(path, encoding="latin-1"):
        place = f"{path}, line {number}"
        classes, _, question = line.partition(" ")
        coarse, _, fine = classes.partition(":")
        if coarse not in task.labels:
            raise InputError(
                f"{place}: unknown class {coarse[:20]!r}. "
                f"Known: {', '.join(task.labels)}"
            )
        if not question.strip():
            raise InputError(f"{place}: no question after the class")
        _check_latin_1(question, place)
        yield Example((question,), coarse, None, fine or None, None, number)


def _check_latin_1(question, place):
    if question.isascii():
        return
    try:
        question.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return
    raise InputError(f"{place}: in UTF-8; the official file is in latin-1")
