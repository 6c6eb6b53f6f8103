"""Subsets of public files that the results of this project are based on."""

import dataclasses
import json
import re
from collections.abc import Callable


def make_pair_key(line: str) -> str:
    """Returns a key that identifies a labelled pair of SNLI or MultiNLI.

    The key consists of the gold label and the two sentences, each lower-cased and
    stripped of all characters except letters and digits.

    Raises: `ValueError` if the line is not a JSON object with these fields.
    """
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    parts = []
    for name in ("gold_label", "sentence1", "sentence2"):
        if name not in row:
            raise ValueError(f"the field {name!r} is missing")
        parts.append(re.sub(r"[\W_]+", "", str(row[name]).lower()))
    return "|".join(parts)


def get_word(line: str) -> str:
    """Returns the word of a line of a GloVe text file."""
    return line.split(" ", 1)[0]


@dataclasses.dataclass(frozen=True)
class Subset:
    """A subset of the lines of a file.

    Args:
        description: short description, shown in messages.
        source: path of the complete file, relative to the data root.
        file: path of the subset, relative to the data root.
        make_key: function that maps a line to its key. A line belongs to the subset if
            the hash of its key is in the list of hashes of the subset.
        num_lines: number of lines of the subset.
        word2vec_units: size of the vectors if `source` is a word2vec binary file, whose
            vectors are L2-normalized and written as text. `None` if `source` is a text
            file, whose lines are copied.
    """

    description: str
    source: str
    file: str
    make_key: Callable[[str], str]
    num_lines: int
    word2vec_units: int | None = None


SNLI_TRAIN = "snli_1.0/snli_1.0_train.jsonl"
SUBSETS = {
    "snli_40k": Subset(
        description="40,000 pairs of the SNLI training set, balanced by label",
        source=SNLI_TRAIN,
        file="snli_1.0/snli_1.0_train_40k.jsonl",
        make_key=make_pair_key,
        num_lines=40_000,
    ),
    "snli_118k": Subset(
        description="118,369 pairs of the SNLI training set (non-uniform sample)",
        source=SNLI_TRAIN,
        file="snli_1.0/snli_1.0_train_118k.jsonl",
        make_key=make_pair_key,
        num_lines=118_369,
    ),
    "snli_141k": Subset(
        description="141,511 pairs of the SNLI training set, including a uniform "
        "sample of 15,703 pairs",
        source=SNLI_TRAIN,
        file="snli_1.0/snli_1.0_train_141k.jsonl",
        make_key=make_pair_key,
        num_lines=141_511,
    ),
    "multinli_47k": Subset(
        description="47,230 pairs of the MultiNLI training set",
        source="multinli_1.0/multinli_1.0_train.jsonl",
        file="multinli_1.0/multinli_1.0_train_47k.jsonl",
        make_key=make_pair_key,
        num_lines=47_230,
    ),
    "glove_50d": Subset(
        description="79,396 vectors of GloVe 6B, 50-d: words of the corpora and "
        "frequent words",
        source="glove/glove.6B.50d.txt",
        file="glove/glove.6B.50d.nli.txt",
        make_key=get_word,
        num_lines=79_396,
    ),
    "glove_100d": Subset(
        description="72,302 vectors of GloVe 6B, 100-d: words of the corpora and "
        "frequent words",
        source="glove/glove.6B.100d.txt",
        file="glove/glove.6B.100d.nli.txt",
        make_key=get_word,
        num_lines=72_302,
    ),
    "word2vec_26k": Subset(
        description="26,423 vectors of word2vec GoogleNews, 300-d, L2-normalized",
        source="word2vec/GoogleNews-vectors-negative300.bin",
        file="word2vec/GoogleNews.300d.bolukbasi26k.txt",
        make_key=get_word,
        num_lines=26_423,
        word2vec_units=300,
    ),
}


def list_reduced_vectors() -> list[str]:
    """Returns the paths of the subsets of word vectors, relative to the data root."""
    return [s.file for s in SUBSETS.values() if s.make_key is get_word]


def find_subset(path: str) -> str | None:
    """Returns the name of the subset with a given path, or `None`.

    Args:
        path: path relative to the data root.
    """
    for name, subset in SUBSETS.items():
        if subset.file == path:
            return name
    return None
