"""Predict with an exported linear model.

Print the prediction for a pair as JSON:

    python run_linear.py "A man sleeps." "Nobody is awake."

From Python:

    from run_linear import ExportedModel
    ExportedModel("folder").predict([("A man sleeps.", "Nobody is awake.")])

Requires NumPy, NLTK, and features.npz, vocabulary.txt and settings.json in the same
folder.
"""

import hashlib
import itertools
import json
import re
import sys
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
        self.ids = {word: number for number, word in enumerate(words, start=2)}
        with np.load(folder / "features.npz") as arrays:
            self.codes = arrays["codes"]
            self.mean = arrays["mean"]
            self.deviation = arrays["deviation"]
            self.kernel = arrays["kernel"]
            self.bias = arrays["bias"]

    def predict(self, rows):
        """Returns a dictionary with `label` and `probabilities` for each pair."""
        answers = []
        for logits in self.logits(rows):
            shares = np.exp(logits - logits.max())
            shares = (shares / shares.sum()).tolist()
            probabilities = dict(zip(self.settings["names"], shares, strict=True))
            label = max(probabilities, key=lambda name: probabilities[name])
            answers.append({"label": label, "probabilities": probabilities})
        return answers

    def logits(self, rows):
        """Returns the logits `(rows, labels)` of pairs of texts."""
        logits = np.empty((len(rows), len(self.bias)))
        for number, (premise, hypothesis) in enumerate(rows):
            first, second = self.look_up(premise), self.look_up(hypothesis)
            dense = (dense_features(first, second) - self.mean) / self.deviation
            codes = lexical_codes(first, second, len(self.ids) + 2)
            columns = np.searchsorted(self.codes, codes)
            columns = columns[np.append(self.codes, -1)[columns] == codes]
            lexical = self.kernel[len(dense) :][columns].sum(axis=0)
            logits[number] = dense @ self.kernel[: len(dense)] + lexical + self.bias
        return logits

    def look_up(self, text):
        """Returns the ids of the tokens of a text; 1 is the unknown word."""
        return [self.ids.get(token, 1) for token in self.tokenize(text)] or [1]

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


def dense_features(premise, hypothesis):
    """Returns the dense features of two lists of ids.

    The features are BLEU-1 to BLEU-4, the length difference, the number of shared words
    and their share. Every unknown word has an id of its own, so that it is not shared.
    """
    new_ids = itertools.count(-1, -1)
    first = [next(new_ids) if word == 1 else word for word in premise]
    second = [next(new_ids) if word == 1 else word for word in hypothesis]
    smoothing = SmoothingFunction().method1
    bleu = sentence_bleu([first], second, WEIGHTS, smoothing)
    shared = sum((Counter(first) & Counter(second)).values())
    share = shared / min(len(first), len(second))
    return np.array([*bleu, len(second) - len(first), shared, share])


def lexical_codes(premise, hypothesis, size):
    """Returns the distinct codes of the lexical features.

    These are words and bigrams of the hypothesis, and pairs of a premise word and a
    hypothesis word. `size` is the number of ids.
    """
    first, second = np.array(premise, np.int64), np.array(hypothesis, np.int64)
    bigrams = size + second[:-1] * size + second[1:]
    crossed = size + size * size + first[:, None] * size + second
    return np.unique(np.concatenate([second, bigrams, crossed.reshape(-1)]))


if __name__ == "__main__":
    (answer,) = ExportedModel(Path(__file__).parent).predict([sys.argv[1:3]])
    print(json.dumps(answer))
