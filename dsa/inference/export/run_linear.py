"""Predict with an exported linear model.

Print the prediction for a pair as JSON:

    python run_linear.py "A man sleeps." "Nobody is awake."

From Python:

    from run_linear import ExportedModel
    ExportedModel("folder").predict([("A man sleeps.", "Nobody is awake.")])

Requires NumPy, NLTK, and features.npz, vocabulary.txt and settings.json in the same
folder.
"""

import argparse
import hashlib
import itertools
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
from nltk.tokenize import punkt, treebank
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

SPLITTERS = re.compile("([-\u2212\u2014\u2013/~\"'\u201c\u2019\u201d\u2018\u00b0])")
WEIGHTS = [(1 / n,) * n for n in range(1, 5)]  # n-gram weights of BLEU-1 to BLEU-4


class ExportedModel:
    """A model exported by `dsa export --format numpy`.

    Args:
        folder: path of the exported model.
    """

    def __init__(self, folder):
        folder = Path(folder)
        self.settings = json.loads((folder / "settings.json").read_text("utf-8"))
        for name, digest in self.settings["sha256"].items():
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
                raise ValueError(f"{folder / name}: SHA-256 differs from settings.json")
        words = (folder / "vocabulary.txt").read_bytes().decode().split("\n")[:-1]
        self.ids = {word: id for id, word in enumerate(words, start=2)}
        with np.load(folder / "features.npz") as arrays:
            self.codes = arrays["codes"]
            self.mean = arrays["mean"]
            self.std = arrays["deviation"]
            self.kernel = arrays["kernel"]
            self.bias = arrays["bias"]

    def predict(self, rows):
        """Predicts pairs of texts.

        Args:
            rows: list of (premise, hypothesis) tuples.

        Returns: a list of dictionaries with `label` and `probabilities`.
        """
        names = self.settings["names"]
        predictions = []
        for logits in self.logits(rows):
            exponentials = np.exp(logits - logits.max())
            probabilities = exponentials / exponentials.sum()
            predictions.append(
                {
                    "label": names[probabilities.argmax()],
                    "probabilities": dict(
                        zip(names, probabilities.tolist(), strict=True)
                    ),
                }
            )
        return predictions

    def logits(self, rows):
        """Returns the logits `(rows, labels)` of pairs of texts.

        Args:
            rows: see `predict`.
        """
        # `searchsorted` returns the index of the -1 for codes above all known codes
        known_codes = np.append(self.codes, -1)
        logits = np.empty((len(rows), len(self.bias)))
        for row, pair in enumerate(rows):
            if isinstance(pair, (str, dict)) or len(pair) != 2:
                raise ValueError(
                    f"row {row + 1}: expected a (premise, hypothesis) tuple. "
                    f"Received: {pair!r:.80}"
                )
            premise, hypothesis = pair
            premise_ids = self.look_up(premise)
            hypothesis_ids = self.look_up(hypothesis)
            dense = compute_dense_features(premise_ids, hypothesis_ids)
            dense = (dense - self.mean) / self.std
            codes = list_lexical_codes(premise_ids, hypothesis_ids, len(self.ids) + 2)
            columns = np.searchsorted(self.codes, codes)
            columns = columns[known_codes[columns] == codes]
            lexical = self.kernel[len(dense) :][columns].sum(axis=0)
            logits[row] = dense @ self.kernel[: len(dense)] + lexical + self.bias
        return logits

    def look_up(self, text):
        """Returns the token ids of a text.

        The id of an unknown word is 1. A text without tokens is an unknown word.
        """
        ids = [self.ids.get(token, 1) for token in self.tokenize(text)]
        return ids or [1]

    def tokenize(self, text):
        """Returns the tokens of a text."""
        settings = self.settings["tokenizer"]
        tokens = text.split()
        if settings["name"] != "whitespace":
            sentences = punkt.PunktSentenceTokenizer().tokenize(text)
            split = treebank.TreebankWordTokenizer().tokenize
            tokens = [token for sentence in sentences for token in split(sentence)]
        if settings["extra_split"]:
            tokens = [part for token in tokens for part in SPLITTERS.split(token)]
        if settings["lowercase"]:
            tokens = [token.lower() for token in tokens]
        first, last = settings["boundaries"] or (None, None)
        before = [first] if first else []
        after = [last] if last else []
        if settings["max_tokens"]:
            tokens = tokens[: settings["max_tokens"] - len(before) - len(after)]
        return [*before, *tokens, *after]


def compute_dense_features(premise, hypothesis):
    """Computes the dense features `(7,)` of two lists of token ids.

    The features are BLEU-1 to BLEU-4, the length difference, the number of shared
    words, and this number divided by the length of the shorter text. Each unknown word
    gets a distinct negative id, so that unknown words are never shared.
    """
    new_ids = itertools.count(-1, -1)
    first = [next(new_ids) if word == 1 else word for word in premise]
    second = [next(new_ids) if word == 1 else word for word in hypothesis]
    smoothing = SmoothingFunction().method1
    bleu = sentence_bleu([first], second, WEIGHTS, smoothing)
    shared = (Counter(first) & Counter(second)).total()
    shared_ratio = shared / min(len(first), len(second))
    return np.array([*bleu, len(second) - len(first), shared, shared_ratio])


def list_lexical_codes(premise, hypothesis, size):
    """Returns the distinct codes of the lexical features, in ascending order.

    The lexical features are words and bigrams of the hypothesis, and pairs of a premise
    word and a hypothesis word.

    Args:
        premise, hypothesis: lists of token ids.
        size: number of ids of the vocabulary.
    """
    first = np.array(premise, np.int64)
    second = np.array(hypothesis, np.int64)
    bigrams = size + second[:-1] * size + second[1:]
    crossed = size + size * size + first[:, None] * size + second
    return np.unique(np.concatenate([second, bigrams, crossed.reshape(-1)]))


def main():
    """Prints the prediction for the texts given as command line arguments."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", nargs=2, metavar="TEXT", help="texts of the pair")
    options = parser.parse_args()
    try:
        (prediction,) = ExportedModel(Path(__file__).parent).predict([options.texts])
    except (OSError, ValueError) as error:
        parser.exit(2, f"error: {error}\n")
    print(json.dumps(prediction))


if __name__ == "__main__":
    main()
