"""Subsets of public files that this project's results were made with."""

import dataclasses
import json
import re
from collections.abc import Callable


def make_pair_key(line: str) -> str:
    """Returns what tells one labelled pair of SNLI from all others: gold label and both
    sentences, in lower case, letters and digits alone.

    Raises: `ValueError` for a line of another form.
    """
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("a JSON object is needed")
    texts = (row.get(name) for name in ("gold_label", "sentence1", "sentence2"))
    return "|".join(re.sub(r"[\W_]+", "", str(text).lower()) for text in texts)


def read_word(line: str) -> str:
    """Returns the word of a line of GloVe's text format."""
    return line.split(" ", 1)[0]


@dataclasses.dataclass(frozen=True)
class Subset:
    """A subset of a file's lines.

    Args:
        what: in words.
        source: the whole file, below the data root.
        file: the subset, below the data root.
        make_key: a function from a line to what its hash is of.
    """

    what: str
    source: str
    file: str
    make_key: Callable[[str], str]


SNLI = "snli_1.0/snli_1.0_train.jsonl"
SUBSETS = {
    "snli_40k": Subset(
        "40,000 pairs of SNLI's train, balanced by label",
        SNLI,
        "snli_1.0/snli_1.0_train_40k.jsonl",
        make_pair_key,
    ),
    "snli_118k": Subset(
        "118,369 pairs of SNLI's train, no uniform sample",
        SNLI,
        "snli_1.0/snli_1.0_train_118k.jsonl",
        make_pair_key,
    ),
    "glove_50d": Subset(
        "79,396 vectors of GloVe 6B, 50-d: the words of the corpora and frequent ones",
        "glove/glove.6B.50d.txt",
        "glove/glove.6B.50d.nli.txt",
        read_word,
    ),
}


def find_subset(path: str) -> str | None:
    """Returns the name of the subset that a file below the data root is; `None` for any
    other file."""
    return next((name for name in SUBSETS if SUBSETS[name].file == path), None)
