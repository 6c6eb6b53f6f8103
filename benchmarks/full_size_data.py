"""Generated corpus and vector file of full size, for `rehearsal.py`.

    DSA_DATA=<corpora> python benchmarks/full_size_data.py

This command counts the sentence lengths of SNLI and writes them to
`results/benchmarks/sentence_lengths.json`, which is used if SNLI is not available.
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

LABELS = ("entailment", "neutral", "contradiction")  # one pair each per premise
PAIR_BYTES, VECTOR_LINE_BYTES = 1_000, 2_700  # approximate size in the files

LENGTHS = Path(__file__).parents[1] / "results/benchmarks/sentence_lengths.json"


def learn_lengths():
    """Counts the sentences of SNLI by length; uses the committed counts without SNLI.

    Returns: number of premises with 0, 1, 2, ... tokens, the same for hypotheses, and
        the name of the source file.
    """
    from dsa.data.corpora.catalogue import get_corpus
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.tokenizer import Tokenizer

    file = measuring.find_corpus()
    if not file.name.startswith("snli"):
        record = json.loads(LENGTHS.read_bytes())
        premises, hypotheses = map(np.array, record["pairs_by_tokens"])
        return premises, hypotheses, LENGTHS.name
    corpus = prepare(file, get_corpus("snli"), Tokenizer())
    premises, hypotheses = count_lengths(corpus)
    return premises, hypotheses, file.name


def count_lengths(corpus):
    """Counts the labelled pairs of a `PreparedCorpus` by length.

    Returns: two arrays, the number of premises and the number of hypotheses with 0, 1,
        2, ... tokens.
    """
    lengths = corpus.sentences.lengths[corpus.sentence_indices[corpus.labelled]]
    return [np.bincount(side) for side in lengths.T]


def name_word(line):
    """Returns the word of a line of the vector file, for the first line a full stop."""
    return f"w{line}" if line else "."


class Sentences:
    """Draws sentences of invented words that end with a full stop.

    Args:
        words: number of distinct words. The frequency of the word of rank r is 1 / r
            times that of the first word.
        lines: number of lines of the vector file. The words are spread evenly over it.
        counts: number of sentences with 0, 1, 2, ... tokens.
        random: NumPy random generator.
    """

    def __init__(self, words, lines, counts, random):
        word_lines = np.linspace(0, lines - 1, words).astype(int)
        self._words = [name_word(line) for line in word_lines[1:]]
        self._word_sums = _sum_shares(1 / np.arange(1, words))
        self._length_sums = _sum_shares(np.asarray(counts))
        self._random = random

    def draw(self):
        """Returns the text of a random sentence."""
        tokens = np.searchsorted(self._length_sums, self._random.random(), "right")
        quantiles = self._random.random(max(tokens - 1, 1))
        ranks = np.searchsorted(self._word_sums, quantiles, "right")
        return " ".join([self._words[rank] for rank in ranks]) + "."


def _sum_shares(shares):
    """Returns the cumulative sums of some shares, scaled to end at 1."""
    sums = np.cumsum(shares, dtype=float)
    return sums / sums[-1]


def write_pairs(path, premises, hypotheses, pairs, unlabelled):
    """Writes a file in SNLI's format, with three pairs per premise, one of each label.

    Args:
        path: the `.jsonl` file.
        premises: `Sentences` of the premises.
        hypotheses: `Sentences` of the hypotheses.
        pairs: number of labelled pairs.
        unlabelled: number of rows without a label, written after the labelled pairs.
    """
    with open(path, "w", encoding="utf-8") as file:
        for number in range(pairs + unlabelled):
            if number % len(LABELS) == 0:
                premise = premises.draw()
            label = LABELS[number % len(LABELS)] if number < pairs else "-"
            texts = premise, hypotheses.draw()
            file.write(write_row(number, label, texts) + "\n")


def write_vector_file(path, lines, seed):
    """Writes a vector file, either `.txt` or, like GloVe, a `.zip` with one `.txt`."""
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
        raise SystemExit("SNLI is missing in the data root. Set DSA_DATA")
    record = {
        "of": source,
        "tokenizer": "treebank",
        "date": environment.get_timestamp(),
        **environment.describe_commit(),
        "pairs": int(counts[0].sum()),
        "pairs_by_tokens": [side.tolist() for side in counts],
    }
    write_atomically(LENGTHS, (json.dumps(record) + "\n").encode())


if __name__ == "__main__":
    main()
