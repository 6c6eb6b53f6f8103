"""SICK: sentence pairs with a relatedness score and an entailment judgment.

Marelli et al. 2014, SemEval-2014 task 1; tab-separated columns below a header line,
UTF-8, the test file with CRLF.
"""

from dsa.data.corpora.columns import columns_of
from dsa.data.corpora.example import Example
from dsa.data.corpora.scores import score_of
from dsa.errors import InputError
from dsa.tasks.relatedness import Relatedness

COLUMNS = ("pair_ID", "sentence_A", "sentence_B")


def read_sick(path, task, labelled=True):
    """Yield an `Example` for every pair, labelled by its score or by its judgment, as
    the task asks.

    Args:
        path: the file, also gzipped.
        task: a `Relatedness`, or the `Classification` of natural-language inference.
        labelled: must be `True`: every row has both.

    Raises: `InputError` with file, line and reason for a malformed row, a score outside
        the scale, an unknown judgment, or a file without any row.
    """
    scored = isinstance(task, Relatedness)
    wanted = "relatedness_score" if scored else "entailment_judgment"
    for number, row in columns_of(path, (*COLUMNS, wanted)):
        place = f"{path}, line {number}"
        if scored:
            label = score_of(row[wanted], task, place)
        else:
            label = row[wanted].lower()
            if label not in task.labels:
                raise InputError(f"{place}: unknown judgment {row[wanted][:20]!r}")
        texts = (row["sentence_A"], row["sentence_B"])
        yield Example(texts, label, row["pair_ID"], None, None, number)
