"""Subsets of public files on which the results of this project are based."""

import dataclasses
import json
import re
from collections.abc import Callable


def make_pair_key(line: str) -> str:
    """Returns a key that identifies a labelled pair of SNLI or MultiNLI.

    The key consists of the gold label and the two sentences, lower-cased and reduced to
    letters and digits.

    Raises: `ValueError` if the line is not a JSON object.
    """
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    texts = (row.get(name) for name in ("gold_label", "sentence1", "sentence2"))
    return "|".join(re.sub(r"[\W_]+", "", str(text).lower()) for text in texts)


def read_word(line: str) -> str:
    """Returns the word of a line in GloVe's text format."""
    return line.split(" ", 1)[0]


@dataclasses.dataclass(frozen=True)
class Subset:
    """A subset of the lines of a file.

    Args:
        description: noun phrase, for messages.
        source: path of the complete file, relative to the data root.
        file: path of the subset, relative to the data root.
        make_key: function that maps a line to its key. A line is identified by the hash
            of its key.
        rows: number of lines of the subset.
        unit_vectors: size of the vectors if `source` is in word2vec's binary format.
            The vectors are divided by their lengths and written as text. `None` if
            `source` is a text file, whose lines are copied.
    """

    description: str
    source: str
    file: str
    make_key: Callable[[str], str]
    rows: int
    unit_vectors: int | None = None


SNLI = "snli_1.0/snli_1.0_train.jsonl"
SUBSETS = {
    "snli_40k": Subset(
        "40,000 pairs of SNLI's training file, balanced by label",
        SNLI,
        "snli_1.0/snli_1.0_train_40k.jsonl",
        make_pair_key,
        40_000,
    ),
    "snli_118k": Subset(
        "118,369 pairs of SNLI's training file, not a uniform sample",
        SNLI,
        "snli_1.0/snli_1.0_train_118k.jsonl",
        make_pair_key,
        118_369,
    ),
    "snli_141k": Subset(
        "141,511 pairs of SNLI's training file, of which 15,703 are a uniform sample",
        SNLI,
        "snli_1.0/snli_1.0_train_141k.jsonl",
        make_pair_key,
        141_511,
    ),
    "multinli_47k": Subset(
        "47,230 pairs of MultiNLI's training file",
        "multinli_1.0/multinli_1.0_train.jsonl",
        "multinli_1.0/multinli_1.0_train_47k.jsonl",
        make_pair_key,
        47_230,
    ),
    "glove_50d": Subset(
        "79,396 vectors of GloVe 6B, 50-d: words of the corpora and frequent words",
        "glove/glove.6B.50d.txt",
        "glove/glove.6B.50d.nli.txt",
        read_word,
        79_396,
    ),
    "glove_100d": Subset(
        "72,302 vectors of GloVe 6B, 100-d: words of the corpora and frequent words",
        "glove/glove.6B.100d.txt",
        "glove/glove.6B.100d.nli.txt",
        read_word,
        72_302,
    ),
    "word2vec_26k": Subset(
        "26,423 vectors of word2vec GoogleNews, 300-d, each divided by its length",
        "word2vec/GoogleNews-vectors-negative300.bin",
        "word2vec/GoogleNews.300d.bolukbasi26k.txt",
        read_word,
        26_423,
        unit_vectors=300,
    ),
}


def find_subset(path: str) -> str | None:
    """Returns the name of the subset that is stored at a path relative to the data
    root, or `None`."""
    return next((name for name in SUBSETS if SUBSETS[name].file == path), None)
