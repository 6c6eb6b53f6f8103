"""Compute predictions and sentence vectors with an exported model.

Print the prediction for a pair, or for a single sentence, as JSON:

    python run_onnx.py "A man sleeps." "Nobody is awake."

From Python:

    from run_onnx import ExportedModel
    model = ExportedModel("folder")
    model.predict([("A man sleeps.", "Nobody is awake.")])
    model.encode(["A man sleeps."])

Requires NumPy, onnxruntime, NLTK (unless the tokenizer is `whitespace`), and
model.onnx, encoder.onnx, vocabulary.txt and settings.json in the same folder. Words
outside vocabulary.txt are replaced by the unknown word.
"""

import argparse
import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime

FORMAT_VERSION = 1
REQUIRED_SETTINGS = """model answer names scale inputs without_common_words features
encodes tokenizer ids empty_sentence most_characters most_tokens sha256""".split()
ROWS_PER_BATCH = 32
NO_TOKEN = "\n"  # token of an empty text; the vocabulary has no line feeds
SPLITTERS = re.compile("([-\u2212\u2014\u2013/~\"'\u201c\u2019\u201d\u2018\u00b0])")


class ExportedModel:
    """A model exported by `dsa export --format onnx`.

    Args:
        folder: path of the exported model.
        threads: number of onnxruntime threads; 0 for one thread per core.
    """

    def __init__(self, folder: str | Path, threads: int = 0) -> None:
        self.folder = Path(folder)
        self.threads = threads
        self.settings = read_settings(self.folder / "settings.json")
        # not `splitlines`: words can contain other line separators
        words = self._check_file("vocabulary.txt").read_bytes().decode().split("\n")
        first_id = self.settings["ids"]["first_word"]
        self.ids = {word: id for id, word in enumerate(words[:-1], start=first_id)}
        self.tokenize = make_tokenizer(**self.settings["tokenizer"])
        self._sessions = {}

    def predict(self, rows: Sequence, features: Sequence | None = None) -> list[dict]:
        """Predicts the labels or scores of rows.

        Args:
            rows: list of pairs, or list of texts for a single-sentence model.
            features: array `(rows, F)`, for a model with pair features.

        Returns: a list of dictionaries with `probabilities`, and `label` or `score`.
        """
        logits = self.logits(rows, features)
        return [self._make_prediction(row_logits) for row_logits in logits]

    def logits(self, rows: Sequence, features: Sequence | None = None) -> np.ndarray:
        """Returns the logits `(rows, outputs)`.

        Args:
            rows, features: see `predict`.
        """
        rows = [(row,) if isinstance(row, str) else row for row in rows]
        num_inputs = len(self.settings["inputs"])
        for number, row in enumerate(rows, start=1):
            if isinstance(row, dict):
                raise ValueError(f"row {number}: expected a tuple. Received: {row!r}")
            if len(row) != num_inputs:
                raise ValueError(
                    f"row {number}: expected {num_inputs} texts. Received: {len(row)}"
                )
        arrays = self._convert_features(rows, features)
        return self._run("model", [self._convert_row(row) for row in rows], arrays)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Returns sentence vectors `(texts, S)`."""
        if not self.settings["encodes"]:
            model = self.settings["model"]
            raise ValueError(f"'{model}' is a pair model without sentence vectors")
        rows = [{"sentence": self._look_up(self._tokenize(text))} for text in texts]
        return self._run("encoder", rows, {})

    def _convert_row(self, texts):
        """Converts the texts of a row to token ids.

        Returns: `{input: token ids}`. The inputs without common words contain the words
            that the other text lacks.
        """
        tokens = [self._tokenize(text) for text in texts]
        row = dict(zip(self.settings["inputs"], tokens, strict=True))
        names = self.settings["without_common_words"]
        if names:
            shared = set(tokens[0]) & set(tokens[1])
            for name, words in zip(names, tokens, strict=True):
                other_words = [word for word in words if word not in shared]
                row[name] = other_words or [self.settings["empty_sentence"]]
        return {name: self._look_up(words) for name, words in row.items()}

    def _tokenize(self, text):
        """Returns the tokens of a text; `NO_TOKEN` for a text without tokens."""
        if len(text) > self.settings["most_characters"]:
            raise ValueError(f"a text of {len(text):,} characters is too long")
        tokens = self.tokenize(text)
        if len(tokens) > self.settings["most_tokens"]:
            raise ValueError(f"a text of {len(tokens):,} tokens is too long")
        return tokens or [NO_TOKEN]

    def _look_up(self, tokens):
        """Returns the ids of tokens; unknown words have the same id."""
        unknown = self.settings["ids"]["unknown"]
        return [self.ids.get(token, unknown) for token in tokens]

    def _convert_features(self, rows, features):
        """Returns `{"features": array}`, or `{}` for a model without pair features."""
        if not self.settings["features"]:
            return {}
        shape = (len(rows), self.settings["features"])
        array = np.empty(0)
        try:
            if features is not None:
                array = np.asarray(features, np.float32)
        except (TypeError, ValueError, OverflowError):
            pass  # the shape (0,) raises the error below
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"features must be finite numbers of shape {shape}")
        return {"features": array}

    def _check_file(self, name):
        """Returns the path of a file after verifying its SHA-256.

        Raises: `ValueError` if the SHA-256 differs from settings.json.
        """
        path = self.folder / name
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest != self.settings["sha256"].get(name):
            raise ValueError(f"{path}: differs from its checksum in settings.json")
        return path

    def _run(self, name, rows, arrays):
        """Runs an ONNX model in batches of rows of similar length.

        Args:
            name: "model" or "encoder".
            rows: list of `{input: token ids}`.
            arrays: `{"features": array (rows, F)}`, or an empty dictionary.

        Returns: array `(rows, outputs)`, in the order of `rows`.
        """
        if not rows:
            return np.empty((0, 0), np.float32)
        if name not in self._sessions:
            path = self._check_file(f"{name}.onnx")
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self.threads
            try:
                self._sessions[name] = onnxruntime.InferenceSession(
                    path, options, providers=["CPUExecutionProvider"]
                )
            except Exception as error:  # onnxruntime's errors have no common class
                raise ValueError(f"{path}: not readable: {error}") from error
        order = np.argsort([max(map(len, row.values())) for row in rows], kind="stable")
        outputs = []
        for start in range(0, len(order), ROWS_PER_BATCH):
            batch = order[start : start + ROWS_PER_BATCH]
            # the order of the inputs differs between models
            feed = {key: values[batch] for key, values in arrays.items()}
            for key in rows[0]:
                feed[key] = pad_ids([rows[row][key] for row in batch])
            output = np.asarray(self._sessions[name].run(None, feed)[0])
            if output.ndim != 2 or len(output) != len(batch):
                raise ValueError(
                    f"{name}.onnx: outputs must have shape ({len(batch)}, outputs). "
                    f"Received: {output.shape}"
                )
            if not np.isfinite(output).all():
                raise ValueError(f"{name}.onnx: outputs are NaN or infinite")
            outputs.append(output)
        return np.concatenate(outputs)[np.argsort(order)]

    def _make_prediction(self, logits):
        """Converts the logits of a row to a label or score, and probabilities."""
        logits = logits.astype(np.float64)
        exponentials = np.exp(logits - logits.max())
        probabilities = exponentials / exponentials.sum()
        names = self.settings["names"]
        by_name = dict(zip(names, probabilities.tolist(), strict=True))
        if self.settings["answer"] == "label":
            return {"label": names[probabilities.argmax()], "probabilities": by_name}
        if self.settings["answer"] == "rank":
            score = logits[1] - logits[0]
        else:
            score = probabilities @ np.array(self.settings["scale"])
        return {"score": float(score), "probabilities": by_name}


def pad_ids(sentences):
    """Returns lists of token ids as an int32 array `(rows, tokens)`, padded with 0."""
    longest = max(len(sentence) for sentence in sentences)
    ids = np.zeros((len(sentences), longest), np.int32)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence)] = sentence
    return ids


def read_settings(path):
    """Reads and validates settings.json.

    Raises: `ValueError` if the file is not a JSON object, has another format version or
        lacks a setting.
    """
    try:
        settings = json.loads(path.read_text("utf-8"))
        version = settings.get("format")
    except (ValueError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path}: not a JSON object: {error}") from error
    if version != FORMAT_VERSION:
        raise ValueError(f"{path}: unknown format {version!r}")
    missing = [key for key in REQUIRED_SETTINGS if key not in settings]
    if missing:
        raise ValueError(f"{path}: damaged: {', '.join(missing)} is missing")
    return settings


def make_tokenizer(name, lowercase, max_tokens, boundaries, extra_split, **unused):
    """Returns a function that maps a text to a list of tokens.

    Args:
        name, lowercase, max_tokens, boundaries, extra_split: settings of the tokenizer.
        unused: settings for parses, which are ignored.
    """
    first, last = boundaries or (None, None)
    before = [first] if first else []
    after = [last] if last else []
    limit = max_tokens - len(before) - len(after) if max_tokens else None
    if name != "whitespace":
        sentence_tokenizer, word_tokenizer = load_tokenizers()

    def tokenize(text):
        if name == "whitespace":
            tokens = text.split()
        else:
            tokens = []
            for sentence in sentence_tokenizer.tokenize(text):
                tokens += word_tokenizer.tokenize(sentence)
        if extra_split:
            tokens = [part for token in tokens for part in SPLITTERS.split(token)]
        if lowercase:
            tokens = [token.lower() for token in tokens]
        return [*before, *tokens[:limit], *after]

    return tokenize


def load_tokenizers():
    """Returns NLTK's sentence and word tokenizers.

    Only their modules are imported, because importing the whole package takes seconds.
    """
    is_new = "nltk" not in sys.modules
    spec = importlib.util.find_spec("nltk")
    if is_new and spec:
        sys.modules["nltk"] = importlib.util.module_from_spec(spec)
    from nltk.tokenize import punkt, treebank

    if is_new:  # a later `import nltk` must import the whole package
        for name in list(sys.modules):
            if name.partition(".")[0] == "nltk":
                del sys.modules[name]
    return punkt.PunktSentenceTokenizer(), treebank.TreebankWordTokenizer()


def main(arguments=None):
    """Prints the prediction for the texts given as command line arguments."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "texts", nargs="+", metavar="TEXT", help="texts of a pair, or a single sentence"
    )
    options = parser.parse_args(arguments)
    try:
        (prediction,) = ExportedModel(Path(__file__).parent).predict([options.texts])
    except (OSError, ValueError, ImportError) as error:
        parser.exit(2, f"error: {' '.join(str(error).split())}\n")
    print(json.dumps(prediction))


if __name__ == "__main__":
    main()
