"""CR, MPQA and SUBJ as one file each: label, space, tokenized sentence.

Hu & Liu 2004, Wiebe et al. 2005, Pang & Lee 2004, as prepared by Kim 2014; UTF-8.
"""

from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError


def read_labelled_lines(path, task):
    """Yield an `Example` for every line `0 text` or `1 text`; 0 is the task's first
    label. A text can be empty (CR's line 769 is).

    Args:
        path: the file, also gzipped.
        task: the `Classification`.

    Raises: `InputError` with file, line and reason for another label.
    """
    for number, line in read_lines(path):
        place = f"{path}, line {number}"
        label, _, text = line.partition(" ")
        if label not in map(str, range(task.outputs)):
            raise InputError(
                f"{place}: a label, 0 to {task.outputs - 1}, and a space are needed "
                f"before the text. Received: {line[:40]!r}"
            )
        yield Example((text,), task.labels[int(label)], None, None, None, number)
