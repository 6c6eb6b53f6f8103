"""Use an exported model: texts in, labels or vectors out.

    python run_onnx.py "A man sleeps." "Nobody is awake."
    python run_onnx.py --file pairs.jsonl
    python run_onnx.py --encode --file sentences.txt --out vectors.npy

It needs only NumPy, onnxruntime and, where the model's tokenizer is not `whitespace`,
NLTK. It reads the files beside it: model.onnx, encoder.onnx, vocabulary.txt and
settings.json.

A file holds a pair a line, with a tab between the texts, or a sentence a line; or JSON
lines with `sentence1` and `sentence2`, or `sentence`, and an `id` if there is one. A
model with features of the pair needs their numbers as a list `features` in every line.
'-' is standard input. Every row gives one JSON line. Words that vocabulary.txt lacks
are all read as one unknown word. From Python:

    from run_onnx import ExportedModel
    ExportedModel("folder").predict([("A man sleeps.", "Nobody is awake.")])
"""

import argparse
import hashlib
import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import onnxruntime

FORMAT = 1
SETTINGS = (
    *("model", "answer", "names", "scale", "inputs", "without_common_words"),
    *("features", "encodes", "tokenizer", "ids", "empty_sentence"),
    *("most_characters", "most_tokens", "sha256"),
)
BLOCK = 2**20  # bytes that are read at once
ROWS_PER_BATCH = 32
SPLITTERS = re.compile("([-\u2212\u2014\u2013/~\"'\u201c\u2019\u201d\u2018\u00b0])")


class ExportedModel:
    """The model of a folder that `dsa export --format onnx` has written.

    Args:
        folder: the folder.
        threads: of onnxruntime; 0 for as many as there are cores.
    """

    def __init__(self, folder, threads=0):
        self.folder = Path(folder)
        self.threads = threads
        path = self.folder / "settings.json"
        self.settings = settings = read_json(path.read_text("utf-8"), path)
        if settings.get("format") != FORMAT:
            raise ValueError(f"{path}: format {settings.get('format')!r} is unknown")
        if missing := [key for key in SETTINGS if key not in settings]:
            raise ValueError(f"{path}: damaged: {', '.join(missing)} is missing")
        first = settings["ids"]["first_word"]
        # words end at "\n" only: others hold line ends of other kinds
        words = self._find("vocabulary.txt").read_bytes().decode("utf-8")
        words = words.split("\n")[:-1]
        self.ids = {word: number for number, word in enumerate(words, first)}
        self.tokenize = make_tokenizer(**settings["tokenizer"])
        self._sessions = {}

    def predict(self, rows, features=None):
        """Answers to rows of texts.

        Args:
            rows: a list of pairs, or of texts for a model of single sentences.
            features: numbers `(rows, F)`, where the model needs them.

        Returns: a list of dictionaries: `label` or `score`, and `probabilities`.
        """
        return [self._answer(logits) for logits in self.logits(rows, features)]

    def logits(self, rows, features=None):
        """What the model gives for rows of texts: `(rows, outputs)`."""
        rows = [(row,) if isinstance(row, str) else tuple(row) for row in rows]
        count = len(self.settings["inputs"])
        for number, row in enumerate(rows, start=1):
            if len(row) != count:
                raise ValueError(f"row {number}: {count} texts are needed")
        arrays = {}
        if self.settings["features"]:
            arrays["features"] = self._read_features(rows, features)
        return self._run("model", [self._read_row(row) for row in rows], arrays)

    def encode(self, texts):
        """Vectors of sentences, `(texts, S)`."""
        if not self.settings["encodes"]:
            raise ValueError(f"'{self.settings['model']}' has no vector of a sentence")
        rows = [{"sentence": self._read_ids(self._read_text(text))} for text in texts]
        return self._run("encoder", rows, {})

    def _read_row(self, texts):
        """The ids of a row, by input."""
        tokens = [self._read_text(text) for text in texts]
        row = dict(zip(self.settings["inputs"], tokens, strict=True))
        others = self.settings["without_common_words"]
        if others:
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
        shape = (len(rows), self.settings["features"])
        try:
            array = np.asarray([] if features is None else features, np.float32)
        except (TypeError, ValueError, OverflowError):
            array = np.empty(0)
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"features of shape {shape} are needed: finite numbers")
        return array

    def _find(self, name):
        """The path of a file of this export, which no other file has replaced."""
        path, digest = self.folder / name, hashlib.sha256()
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
        if digest.hexdigest() != self.settings["sha256"].get(name):
            raise ValueError(f"{path}: settings.json is of another file")
        return path

    def _run(self, name, rows, arrays):
        """The output of a model for rows, dictionaries of ids by input."""
        if not rows:
            return np.empty((0, 0), np.float32)
        if name not in self._sessions:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self.threads
            path = str(self._find(f"{name}.onnx"))
            try:
                self._sessions[name] = onnxruntime.InferenceSession(
                    path, options, providers=["CPUExecutionProvider"]
                )
            except Exception as error:  # onnxruntime's errors share no other class
                raise ValueError(f"{path}: not readable: {error}") from error
        session = self._sessions[name]
        lengths = [max(map(len, row.values())) for row in rows]
        order = np.argsort(lengths, kind="stable")
        outputs = []
        for start in range(0, len(order), ROWS_PER_BATCH):
            batch = order[start : start + ROWS_PER_BATCH]
            # by name: the inputs of a file can come in another order
            feed = {key: values[batch] for key, values in arrays.items()}
            for key in rows[0]:
                feed[key] = pad([rows[row][key] for row in batch])
            outputs.append(session.run(None, feed)[0])
        joined = np.concatenate(outputs)
        result = np.empty_like(joined)
        result[order] = joined
        return result

    def _answer(self, logits):
        logits = logits.astype(np.float64)
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        names = self.settings["names"]
        probabilities = dict(zip(names, shares.tolist(), strict=True))
        if self.settings["answer"] == "label":
            label = names[int(shares.argmax())]
            return {"label": label, "probabilities": probabilities}
        if self.settings["answer"] == "rank":
            score = logits[1] - logits[0]
        else:
            score = shares @ np.array(self.settings["scale"])
        return {"score": float(score), "probabilities": probabilities}


def pad(lists):
    """Lists of ids as one array, with zeros after each."""
    array = np.zeros((len(lists), max(map(len, lists))), np.int32)
    for row, ids in zip(array, lists, strict=True):
        row[: len(ids)] = ids
    return array


def make_tokenizer(name, lowercase, max_tokens, boundaries, extra_split, **of_parses):
    """A function of a text to its tokens. Texts have no parse: a model that was trained
    on parses reads them by the Treebank's rules."""
    split = str.split if name == "whitespace" else load_treebank()
    before, after = ([token] if token else [] for token in boundaries or (None, None))
    inside = max_tokens
    if max_tokens is not None:
        inside -= len(before) + len(after)

    def tokenize(text):
        tokens = split(text)
        if extra_split:
            tokens = [part for token in tokens for part in SPLITTERS.split(token)]
        if lowercase:
            tokens = [token.lower() for token in tokens]
        return [*before, *tokens[:inside], *after]

    return tokenize


def load_treebank():
    """NLTK's Penn Treebank tokenizer, sentence by sentence."""
    from nltk.tokenize import PunktSentenceTokenizer, TreebankWordTokenizer

    sentences, words = PunktSentenceTokenizer(), TreebankWordTokenizer()
    return lambda text: [
        token for part in sentences.tokenize(text) for token in words.tokenize(part)
    ]


def read_file(path, inputs):
    """The rows of a file as `dsa predict` reads it: texts, features and id of each."""
    names = ("sentence1", "sentence2") if len(inputs) > 1 else ("sentence",)
    stream = sys.stdin.buffer if path == "-" else open(path, "rb")
    with stream:
        # "\n" only ends a line: texts hold line ends of other kinds
        lines = stream.read().decode("utf-8-sig").split("\n")
    lines = [line.removesuffix("\r") for line in lines[: None if lines[-1] else -1]]
    is_json = bool(lines) and lines[0].lstrip().startswith("{")
    rows = []
    for number, line in enumerate(lines, start=1):
        place, record = f"{path}, line {number}", {}
        if is_json:
            if not line.strip() and len(names) > 1:
                continue
            record = read_json(line, place)
        texts = [record.get(name) for name in names] if is_json else line.split("\t")
        if len(texts) != len(names) or not all(isinstance(t, str) for t in texts):
            raise ValueError(f"{place}: {' and '.join(names)} needed")
        if len(names) == 1 and not texts[0].strip():
            raise ValueError(f"{place}: the sentence is empty")
        name = record.get("pairID", record.get("id"))
        rows.append((texts, record.get("features"), name))
    if not rows:
        raise ValueError(f"{path}: no rows")
    return rows


def read_json(text, place):
    """The JSON object of a text."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place}: not JSON: {error}") from error
    if not isinstance(record, dict):
        raise ValueError(f"{place}: not a JSON object")
    return record


def check_output(path, force, source):
    """Raises an error if writing a file would lose one."""
    if os.path.exists(path):
        if source not in (None, "-") and os.path.samefile(path, source):
            raise ValueError(f"{path}: is read, so it cannot be written")
        if not os.path.isfile(path):
            raise ValueError(f"{path}: no regular file, it is not replaced")
        if not force:
            raise ValueError(f"{path} is there already. --force replaces it")


def write(path, content):
    """Write a file, text or an array, that is whole or not there."""
    temporary = f"{path}.tmp.{os.getpid()}"
    try:
        with open(temporary, "xb") as file:
            if isinstance(content, str):
                file.write(content.encode("utf-8"))
            else:
                np.save(file, content)
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", nargs="*", metavar="TEXT", help="a pair or a sentence")
    parser.add_argument("--file", help="rows; '-' for standard input")
    parser.add_argument("--encode", action="store_true", help="vectors of sentences")
    parser.add_argument("--out", help="file for the answers; .npy for vectors")
    parser.add_argument(
        "--force", action="store_true", help="replace the file of --out"
    )
    folder = Path(__file__).parent
    parser.add_argument("--folder", default=folder, help="folder of the exported model")
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
    if options.out:
        check_output(options.out, options.force, options.file)
    model = ExportedModel(options.folder)
    inputs = ["sentence"] if options.encode else model.settings["inputs"]
    if options.file:
        rows = read_file(options.file, inputs)
    elif options.encode:
        rows = [([text], None, None) for text in options.texts]
    else:
        rows = [(options.texts, None, None)]
    if options.encode:
        write(options.out, model.encode([text for (text,), _, _ in rows]))
        return
    features = [numbers for _, numbers, _ in rows] if rows[0][1] else None
    answers = model.predict([texts for texts, _, _ in rows], features)
    lines = [
        json.dumps({"id": name, **answer}) + "\n"
        for (_, _, name), answer in zip(rows, answers, strict=True)
    ]
    if options.out:
        write(options.out, "".join(lines))
    else:
        print("".join(lines), end="")


if __name__ == "__main__":
    main()
