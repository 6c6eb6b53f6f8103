"""A corpus and a vector file of full size, invented, for `rehearsal.py`.

    DSA_DATA=<corpora> python benchmarks/full_size_data.py

counts the lengths of SNLI's sentences for those who do not have it, in
`results/benchmarks/sentence_lengths.json`.
"""

import contextlib
import json
import zipfile
from pathlib import Path

import measuring
import numpy as np
from preparation import write_row
from vectors import write_vectors

from dsa.system import environment
from dsa.system.atomic_files import write_atomically

LABELS = ("entailment", "neutral", "contradiction")  # of the pairs of a premise
BYTES_OF_A_PAIR, BYTES_OF_A_LINE = 1_000, 2_700  # about, in their files

LENGTHS = Path(__file__).parents[1] / "results/benchmarks/sentence_lengths.json"


def learn_lengths():
    """Counts the sentences of the available SNLI file with 0, 1, 2, ... tokens.

    Without such a file, returns the committed counts.

    Returns: two arrays, for premises and hypotheses, and their source.
    """
    from dsa.data.corpora.catalogue import get_corpus
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.tokenizer import Tokenizer

    file = measuring.find_corpus()
    if not file.name.startswith("snli"):
        counted = json.loads(LENGTHS.read_bytes())
        return *map(np.array, counted["pairs_by_tokens"]), LENGTHS.name
    corpus = prepare(file, get_corpus("snli"), Tokenizer())
    return *count_lengths(corpus), file.name


def count_lengths(corpus):
    """How many labelled pairs of a `PreparedCorpus` have 0, 1, 2, ... tokens: two
    arrays, of premises and of hypotheses."""
    lengths = corpus.sentences.lengths[corpus.texts[corpus.labelled]]
    return [np.bincount(side) for side in lengths.T]


def name_word(line):
    """The word of a line of the vector file. The first one is the full stop."""
    return f"w{line}" if line else "."


class Sentences:
    """Draws sentences of invented words, each with a full stop at its end.

    Args:
        words: how many there are; the word of rank r is 1 / r as frequent as the first.
        lines: of the vector file, over which the words are spread.
        counts: how many sentences have 0, 1, 2, ... tokens.
        random: NumPy's generator.
    """

    def __init__(self, words, lines, counts, random):
        places = np.linspace(0, lines - 1, words).astype(int)
        self._words = [name_word(line) for line in places[1:]]
        self._word_sums = _sum_shares(1 / np.arange(1, words))
        self._length_sums = _sum_shares(np.asarray(counts))
        self._random = random

    def draw(self):
        """The text of a sentence."""
        tokens = np.searchsorted(self._length_sums, self._random.random(), "right")
        places = self._random.random(max(tokens - 1, 1))
        ranks = np.searchsorted(self._word_sums, places, "right")
        return " ".join([self._words[rank] for rank in ranks]) + "."


def _sum_shares(shares):
    """Returns the cumulative sums of some shares, scaled to end at 1."""
    sums = np.cumsum(shares, dtype=float)
    return sums / sums[-1]


def write_pairs(path, premises, hypotheses, pairs, unlabelled):
    """Write a file of SNLI: three pairs of every premise, a label each.

    Args:
        path: the `.jsonl` file.
        premises, hypotheses: the `Sentences` that draw them.
        pairs: labelled ones.
        unlabelled: rows after them without a label.
    """
    with open(path, "w", encoding="utf-8") as file:
        for number in range(pairs + unlabelled):
            if number % len(LABELS) == 0:
                premise = premises.draw()
            label = LABELS[number % len(LABELS)] if number < pairs else "-"
            texts = premise, hypotheses.draw()
            file.write(write_row(number, label, texts) + "\n")


def write_vector_file(path, lines, seed):
    """Write a vector file, `.txt` or, as GloVe's, a `.zip` that holds one."""
    with contextlib.ExitStack() as files:
        if path.suffix == ".zip":
            archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
            files.enter_context(archive)
            file = archive.open(f"{path.stem}.txt", "w", force_zip64=True)
        else:
            file = open(path, "wb")
        files.enter_context(file)
        write_vectors(file, lines, lambda line: name_word(line).encode(), seed)


def main():
    *counts, source = learn_lengths()
    if source == LENGTHS.name:
        raise SystemExit("SNLI is not below the data root (DSA_DATA)")
    record = {
        "of": source,
        "tokenizer": "treebank",
        "date": environment.now(),
        **environment.commit(),
        "pairs": int(counts[0].sum()),
        "pairs_by_tokens": [side.tolist() for side in counts],
    }
    write_atomically(LENGTHS, (json.dumps(record) + "\n").encode())


if __name__ == "__main__":
    main()
