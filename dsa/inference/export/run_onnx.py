"""Use an exported model: texts in, labels or vectors out.

    python run_onnx.py "A man sleeps." "Nobody is awake."
    python run_onnx.py --file pairs.jsonl
    python run_onnx.py --encode --file sentences.txt --out vectors.npy

It needs NumPy, onnxruntime and, unless the model's tokenizer is `whitespace`, NLTK. It
reads model.onnx, encoder.onnx, vocabulary.txt and settings.json beside it.

A file has one pair per line, with a tab between the texts, or one sentence per line; or
JSON lines with `sentence1` and `sentence2`, or `sentence`, and an `id` if there is one,
and for a model with features of the pair a list of numbers `features`. Every row gives
one JSON line. All words that vocabulary.txt lacks are one unknown word. From Python:

    from run_onnx import ExportedModel
    ExportedModel("folder").predict([("A man sleeps.", "Nobody is awake.")])
"""

import argparse
import hashlib
import importlib.util
import itertools
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime

FORMAT = 1
SETTINGS = """model answer names scale inputs without_common_words features encodes
tokenizer ids empty_sentence most_characters most_tokens sha256""".split()  # needed
ROWS_PER_BATCH = 32
SPLITTERS = re.compile("([-\u2212\u2014\u2013/~\"'\u201c\u2019\u201d\u2018\u00b0])")


class ExportedModel:
    """The model of a folder that `dsa export --format onnx` has written; `threads`: of
    onnxruntime, 0 for as many as there are cores."""

    def __init__(self, folder: str | Path, threads: int = 0) -> None:
        self.folder, self.threads = Path(folder), threads
        path = self.folder / "settings.json"
        self.settings = settings = read_json(path.read_text("utf-8"), path)
        if settings.get("format") != FORMAT:
            raise ValueError(f"{path}: format {settings.get('format')!r} is unknown")
        if missing := [key for key in SETTINGS if key not in settings]:
            raise ValueError(f"{path}: damaged: {', '.join(missing)} is missing")
        # only "\n" ends a word: some hold line ends of other kinds
        words = self._find("vocabulary.txt").read_bytes().decode().split("\n")[:-1]
        self.ids = {w: n for n, w in enumerate(words, settings["ids"]["first_word"])}
        self.tokenize = make_tokenizer(**settings["tokenizer"])
        self._sessions = {}

    def predict(self, rows: Sequence, features: Sequence | None = None) -> list[dict]:
        """Returns `label` or `score`, and `probabilities`, of each row of texts.

        Args:
            rows: a list of pairs, or of texts for a model of single sentences.
            features: numbers `(rows, F)`, where the model needs them.
        """
        return [self._answer(logits) for logits in self.logits(rows, features)]

    def logits(self, rows: Sequence, features: Sequence | None = None) -> np.ndarray:
        """Returns the logits of rows of texts: `(rows, outputs)`."""
        rows = [(row,) if isinstance(row, str) else tuple(row) for row in rows]
        count = len(self.settings["inputs"])
        for number, row in enumerate(rows, start=1):
            if len(row) != count:
                raise ValueError(f"row {number}: {count} texts are needed")
        arrays = self._read_features(rows, features)
        return self._run("model", [self._read_row(row) for row in rows], arrays)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Returns vectors of sentences, `(texts, S)`."""
        if not self.settings["encodes"]:
            raise ValueError(f"'{self.settings['model']}' has no vector of a sentence")
        rows = [{"sentence": self._read_ids(self._read_text(text))} for text in texts]
        return self._run("encoder", rows, {})

    def _read_row(self, texts):
        """Returns the ids of a row, by input."""
        tokens = [self._read_text(text) for text in texts]
        row = dict(zip(self.settings["inputs"], tokens, strict=True))
        if others := self.settings["without_common_words"]:
            shared = set(tokens[0]) & set(tokens[1])
            for name, words in zip(others, tokens, strict=True):
                rest = [word for word in words if word not in shared]
                row[name] = rest or [self.settings["empty_sentence"]]
        return {name: self._read_ids(words) for name, words in row.items()}

    def _read_text(self, text):
        if len(text) > self.settings["most_characters"]:
            raise ValueError(f"a text of {len(text):,} characters is too long")
        tokens = self.tokenize(text)
        if len(tokens) > self.settings["most_tokens"]:
            raise ValueError(f"a text of {len(tokens):,} tokens is too long")
        return tokens or [None]  # read as an unknown word

    def _read_ids(self, tokens):
        unknown = self.settings["ids"]["unknown"]
        return [self.ids.get(token, unknown) for token in tokens]

    def _read_features(self, rows, features):
        """Returns the features by input; none for a model without any."""
        if not self.settings["features"]:
            return {}
        shape = (len(rows), self.settings["features"])
        try:
            array = np.asarray([] if features is None else features, np.float32)
        except (TypeError, ValueError, OverflowError):
            array = np.empty(0)
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"features of shape {shape} are needed: finite numbers")
        return {"features": array}

    def _find(self, name):
        """Returns the path of a file; raises `ValueError` if it is of another run."""
        path = self.folder / name
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest != self.settings["sha256"].get(name):
            raise ValueError(f"{path}: settings.json is of another file")
        return path

    def _run(self, name, rows, arrays):
        """Returns the output of a model for rows, dictionaries of ids by input."""
        if not rows:
            return np.empty((0, 0), np.float32)
        if name not in self._sessions:
            options, path = onnxruntime.SessionOptions(), self._find(f"{name}.onnx")
            options.intra_op_num_threads = self.threads
            try:
                self._sessions[name] = onnxruntime.InferenceSession(
                    path, options, providers=["CPUExecutionProvider"]
                )
            except Exception as error:  # onnxruntime's errors share no other class
                raise ValueError(f"{path}: not readable: {error}") from error
        order = np.argsort([max(map(len, row.values())) for row in rows], kind="stable")
        outputs = []
        for start in range(0, len(order), ROWS_PER_BATCH):
            batch = order[start : start + ROWS_PER_BATCH]
            # by name: the inputs of a file can come in another order
            feed = {key: values[batch] for key, values in arrays.items()}
            for key in rows[0]:
                ids = itertools.zip_longest(*(rows[n][key] for n in batch), fillvalue=0)
                feed[key] = np.stack(list(ids), axis=1, dtype=np.int32)
            outputs.append(self._sessions[name].run(None, feed)[0])
        return np.concatenate(outputs)[np.argsort(order)]

    def _answer(self, logits):
        logits = logits.astype(np.float64)
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        names = self.settings["names"]
        probabilities = dict(zip(names, shares.tolist(), strict=True))
        if self.settings["answer"] == "label":
            return {"label": names[shares.argmax()], "probabilities": probabilities}
        score = logits[1] - logits[0]  # of a ranking
        if self.settings["answer"] != "rank":
            score = shares @ np.array(self.settings["scale"])
        return {"score": float(score), "probabilities": probabilities}


def make_tokenizer(name, lowercase, max_tokens, boundaries, extra_split, **of_parses):
    """Returns a function of a text to its tokens. A text has no parse: rules do it."""
    before, after = ([token] if token else [] for token in boundaries or (None, None))
    most = max_tokens and max_tokens - len(before) - len(after)
    if name == "whitespace":
        sentences, split = (lambda text: [text]), str.split
    else:
        sentences, split = (one.tokenize for one in load_tokenizers())

    def tokenize(text):
        tokens = [token for sentence in sentences(text) for token in split(sentence)]
        if extra_split:
            tokens = [part for token in tokens for part in SPLITTERS.split(token)]
        if lowercase:
            tokens = [token.lower() for token in tokens]
        return [*before, *tokens[:most], *after]

    return tokenize


def load_tokenizers():
    """Returns those of NLTK, without the rest of it, which takes seconds to import."""
    alone, spec = "nltk" not in sys.modules, importlib.util.find_spec("nltk")
    if alone and spec:
        sys.modules["nltk"] = importlib.util.module_from_spec(spec)
    from nltk.tokenize import punkt, treebank

    for name in [n for n in sys.modules if alone and n.partition(".")[0] == "nltk"]:
        del sys.modules[name]  # who imports NLTK later gets it as a whole
    return punkt.PunktSentenceTokenizer(), treebank.TreebankWordTokenizer()


def read_file(path, inputs):
    """Returns the rows of a file as `dsa predict` reads it: texts, features and id."""
    names = ("sentence1", "sentence2") if len(inputs) > 1 else ("sentence",)
    with sys.stdin.buffer if path == "-" else open(path, "rb") as stream:
        # only "\n" ends a line: texts hold line ends of other kinds
        lines = stream.read().decode("utf-8-sig").split("\n")
    lines = [line.removesuffix("\r") for line in lines[: None if lines[-1] else -1]]
    is_json = bool(lines) and lines[0].lstrip().startswith("{")
    rows = []
    for number, line in enumerate(lines, start=1):
        place = f"{path}, line {number}"
        if is_json and not line.strip() and len(names) > 1:
            continue
        record = read_json(line, place) if is_json else {}
        texts = list(map(record.get, names)) if is_json else line.split("\t")
        if len(texts) != len(names) or not all(isinstance(t, str) for t in texts):
            raise ValueError(f"{place}: {' and '.join(names)} needed")
        if len(names) == 1 and not str(texts[0]).strip():
            raise ValueError(f"{place}: the sentence is empty")
        facts = record.get("features"), record.get("pairID", record.get("id"))
        rows.append((texts, *facts))
    if not rows:
        raise ValueError(f"{path}: no rows")
    return rows


def read_json(text, place):
    """Returns the JSON object of a text."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place}: not JSON: {error}") from error
    if not isinstance(record, dict):
        raise ValueError(f"{place}: not a JSON object")
    return record


def check_output(path, force, source):
    """Raises `ValueError` if writing a file would lose one."""
    if not (path and os.path.exists(path)):
        return
    if source not in (None, "-") and os.path.samefile(path, source):
        raise ValueError(f"{path}: is read, so it cannot be written")
    if not os.path.isfile(path):
        raise ValueError(f"{path}: no regular file, it is not replaced")
    if not force:
        raise ValueError(f"{path} is there already. --force replaces it")


def write(path, save):
    """Writes a file with a function of the open file. It is whole or not there."""
    temporary = Path(f"{path}.tmp.{os.getpid()}")
    try:
        with open(temporary, "xb") as file:
            save(file)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", nargs="*", metavar="TEXT", help="a pair or a sentence")
    parser.add_argument("--file", help="rows; '-' for standard input")
    parser.add_argument("--encode", action="store_true", help="vectors of sentences")
    parser.add_argument("--out", help="file for the answers; .npy for vectors")
    parser.add_argument("--force", action="store_true", help="replace the file --out")
    parser.add_argument("--folder", default=Path(__file__).parent, help="of the model")
    options = parser.parse_args(arguments)
    if bool(options.texts) == bool(options.file):
        parser.error("give either texts or --file")
    if options.encode and not str(options.out).endswith(".npy"):
        parser.error("--encode needs --out, a .npy file for the vectors")
    try:
        run(options)
    except (OSError, ValueError, ImportError) as error:
        parser.exit(2, f"error: {' '.join(str(error).split())}\n")


def run(options):
    check_output(options.out, options.force, options.file)
    model = ExportedModel(options.folder)
    texts = [(t,) for t in options.texts] if options.encode else [options.texts]
    features = names = [None]
    if options.file:
        inputs = ["sentence"] if options.encode else model.settings["inputs"]
        texts, features, names = zip(*read_file(options.file, inputs), strict=True)
    if options.encode:
        vectors = model.encode([text for (text,) in texts])
        return write(options.out, lambda file: np.save(file, vectors))
    answers = model.predict(texts, features if features[0] else None)
    records = [{"id": n, **a} for n, a in zip(names, answers, strict=True)]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    if options.out:
        return write(options.out, lambda file: file.write(lines.encode()))
    print(lines, end="")


if __name__ == "__main__":
    main()
