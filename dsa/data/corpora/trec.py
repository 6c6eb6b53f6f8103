"""TREC's questions, `HUM:ind Who wrote this ?`: coarse and fine class, question.

Li & Roth 2002, https://cogcomp.seas.upenn.edu/Data/QA/QC/; latin-1 (one byte 0xF0).
"""

from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError


def read_trec(path, task):
    """Yield an `Example` for every question; its label is the coarse class, its group
    the fine one.

    Args:
        path: the file, also gzipped.
        task: the `Classification` of the coarse classes.

    Raises: `InputError` with file, line and reason for an unknown class, a line without
        question, and a file in UTF-8.
    """
    for number, line in read_lines(path, encoding="latin-1"):
        place = f"{path}, line {number}"
        classes, _, question = line.partition(" ")
        coarse, _, fine = classes.partition(":")
        if coarse not in task.labels:
            raise InputError(
                f"{place}: unknown class {coarse[:20]!r}. Known: "
                f"{', '.join(task.labels)}"
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
