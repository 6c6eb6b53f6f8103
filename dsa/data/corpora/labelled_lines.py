"""Readers of corpora with one label and sentence per line: CR, MPQA, SUBJ and TREC.

CR, MPQA, SUBJ: Hu & Liu 2004, Wiebe et al. 2005, Pang & Lee 2004, prepared by Kim 2014.
One file per corpus, each line a label, a space and a tokenized sentence, in UTF-8.

TREC: Li & Roth 2002, https://cogcomp.seas.upenn.edu/Data/QA/QC/. Each line is a coarse
class, a fine class and a question, `HUM:ind Who wrote this ?`, in Latin-1 (one byte is
0xF0).
"""

from collections.abc import Iterator
from pathlib import Path

from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from dsa.tasks.classification import Classification


def read_labelled_lines(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every line `0 text` or `1 text`. 0 is the first label of
    the task. A text may be empty, as in line 769 of CR."""
    for number, line in read_lines(path):
        label, _, text = line.partition(" ")
        if label not in map(str, range(task.outputs)):
            raise InputError(
                f"{path}, line {number}: a line must start with a label, 0 to "
                f"{task.outputs - 1}, and a space. Received: {line[:40]!r}"
            )
        yield Example((text,), task.labels[int(label)], None, None, None, number)


def read_trec(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every question, with the coarse class as label and the
    fine class as group.

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
    raise InputError(f"{place}: the file is in UTF-8, the official file is in Latin-1")
