"""A corpus and a vector file of full size, invented, for `rehearsal.py`."""

import contextlib
import zipfile

import measuring
import numpy as np
from preparation import write_row
from vectors import write_vectors

LABELS = ("entailment", "neutral", "contradiction")  # of the pairs of a premise
BYTES_OF_A_PAIR, BYTES_OF_A_LINE = 1_000, 2_700  # about, in their files

# How many of 118,369 labelled pairs of SNLI's training file have 0, 1, 2, ... tokens,
# treebank tokenizer: of the partial file that this project's results name
# (docs/results.md). The few longer sentences are left out.
PREMISES = (
    *(0, 0, 10, 36, 198, 775, 2439, 5544, 7624, 8864, 9993, 10621, 10154, 9027, 8096),
    *(7010, 5805, 4872, 4242, 3801, 3531, 2826, 2544, 2021, 1463, 1285, 985, 788, 746),
    *(479, 382, 469, 277, 250, 210, 158, 145, 93, 107, 76, 72, 66, 46, 51, 27, 18, 13),
)
HYPOTHESES = (
    *(0, 5, 245, 1528, 6035, 12417, 15427, 19501, 17759, 12875, 9796, 6965, 4823, 3282),
    *(2298, 1487, 1122, 806, 565, 426, 267, 209, 144, 96, 69, 48, 40, 43, 20, 16, 7, 8),
    *(11, 7, 4, 7, 1, 6, 1, 1, 1),
)


def learn_lengths():
    """How many pairs of the available SNLI file have 0, 1, 2, ... tokens.

    Returns: two arrays, of premises and of hypotheses, and what they are of.
    """
    from dsa.data.corpora.catalogue import corpus_named
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.tokenizer import Tokenizer

    file = measuring.find_corpus()
    if not file.name.startswith("snli"):
        return np.array(PREMISES), np.array(HYPOTHESES), "full_size_data.py"
    corpus = prepare(file, corpus_named("snli"), Tokenizer())
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
        lines: of the vector file; the words are spread over all of it.
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
    """For each share the sum of those up to it; the last one is 1."""
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
