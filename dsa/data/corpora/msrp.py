"""Microsoft's paraphrase corpus: pairs that say the same, or do not.

Dolan et al. 2004; tab-separated columns below a header line, UTF-8 with a byte order
mark, no quoting though texts hold quotes.
"""

from dsa.data.corpora.columns import read_columns
from dsa.data.corpora.example import Example
from dsa.errors import InputError

COLUMNS = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")


def read_msrp(path, task):
    """Yield an `Example` for every pair; `Quality` 0 is the task's first label.

    Args:
        path: the file, also gzipped.
        task: the `Classification` with two labels.

    Raises: `InputError` with file, line and reason for a malformed row or another
        label.
    """
    for number, row in read_columns(path, COLUMNS):
        if row["Quality"] not in ("0", "1"):
            raise InputError(
                f"{path}, line {number}: 'Quality' must be 0 or 1. Received: "
                f"{row['Quality'][:20]!r}"
            )
        label = task.labels[int(row["Quality"])]
        texts = (row["#1 String"], row["#2 String"])
        name = f"{row['#1 ID']}-{row['#2 ID']}"
        yield Example(texts, label, name, None, None, number)
