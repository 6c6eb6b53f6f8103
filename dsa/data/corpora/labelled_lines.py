"""Readers of corpora with one label and sentence per line: CR, MPQA, SUBJ and TREC.

CR, MPQA, SUBJ: Hu & Liu 2004, Wiebe et al. 2005, Pang & Lee 2004, prepared by Kim 2014.
Each corpus is one file in UTF-8. Each line consists of a label, a space and a tokenized
sentence.

TREC: Li & Roth 2002, https://cogcomp.seas.upenn.edu/Data/QA/QC/. Each line consists of
a coarse class, a fine class and a question, such as `HUM:ind Who wrote this ?`. The
files are in Latin-1; one byte, 0xF0, is not ASCII.
"""

from collections.abc import Iterator
from pathlib import Path

from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from dsa.tasks.classification import Classification


def read_labelled_lines(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every line `LABEL TEXT`.

    The label in the file is an index into the labels of the task. The text may be
    empty, as in line 769 of CR.

    Raises: `InputError` if a line does not start with a label and a space.
    """
    for number, line in read_lines(path):
        label, _, text = line.partition(" ")
        if label not in map(str, range(task.outputs)):
            raise InputError(
                f"{path}, line {number}: the line must start with a label (0 to "
                f"{task.outputs - 1}) and a space. Received: {line[:40]!r}"
            )
        yield Example(
            texts=(text,),
            label=task.labels[int(label)],
            id=None,
            group=None,
            parses=None,
            row=number,
        )


def read_trec(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every question, with the coarse class as label and the
    fine class as group.

    Raises: `InputError` if a class is unknown, a question is missing, or the file is
        encoded in UTF-8.
    """
    for number, line in read_lines(path, encoding="latin-1"):
        location = f"{path}, line {number}"
        classes, _, question = line.partition(" ")
        coarse, _, fine = classes.partition(":")
        if coarse not in task.labels:
            raise InputError(
                f"{location}: unknown class {coarse[:20]!r}. "
                f"Known: {', '.join(task.labels)}"
            )
        if not question.strip():
            raise InputError(
                f"{location}: the line must contain a question after the class"
            )
        _check_latin_1(question, location)
        yield Example(
            texts=(question,),
            label=coarse,
            id=None,
            group=fine or None,
            parses=None,
            row=number,
        )


def _check_latin_1(question, location):
    """Raises `InputError` if a question in UTF-8 has been decoded as Latin-1."""
    if question.isascii():
        return
    try:
        question.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return
    raise InputError(
        f"{location}: expected Latin-1, as in the official file. Received: UTF-8"
    )
