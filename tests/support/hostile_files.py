"""Damaged, unusual and malicious files, with the expected content or error.

The readers' own tests in `tests/data` and `tests/experiment` cover common errors.
"""

import gzip
import json
import pickle
import zipfile

import numpy as np

from tests.support.corpora import PAIRS

PREMISE, HYPOTHESIS, LABEL = PAIRS[0]


def row(**fields):
    return {
        "gold_label": LABEL,
        "sentence1": PREMISE,
        "sentence2": HYPOTHESIS,
        "pairID": "p",
        **fields,
    }


def line(**fields):
    return json.dumps(row(**fields), ensure_ascii=False).encode() + b"\n"


def table(*lines, header="gold_label\tsentence1\tsentence2"):
    return "".join(f"{each}\n" for each in (header, *lines)).encode()


# name -> (file name, bytes, expected premise)
GOOD_CORPORA = {
    "NaN as a text in a table": ("a.txt", table("neutral\tNaN\tb"), "NaN"),
    "quotes in a table": ("a.txt", table('neutral\t"a\tb'), '"a'),
    "a comma and a quote": ("a.txt", table('neutral\ta, "b"\tc'), 'a, "b"'),
    "an escaped control character": ("a.jsonl", line(sentence1="a\u0001b"), "a\x01b"),
    "a control character in a table": ("a.txt", table("neutral\ta\x02b\tc"), "a\x02b"),
    "a NUL in a table": ("a.txt", table("neutral\ta\x00b\tc"), "a\x00b"),
    "an escaped NUL": ("a.jsonl", line(sentence1="a\x00b"), "a\x00b"),
    "a form feed": ("a.txt", table("neutral\ta\x0cb\tc"), "a\x0cb"),
    "right-to-left text": ("a.jsonl", line(sentence1="שלום עולם"), "שלום עולם"),
    "a direction override": ("a.jsonl", line(sentence1="a\u202eb"), "a\u202eb"),
    "emoji": ("a.jsonl", line(sentence1="👩‍👩‍👧 🎉"), "👩‍👩‍👧 🎉"),
    "escaped emoji": (
        "a.jsonl",
        json.dumps(row(sentence1="🎉")).encode() + b"\n",
        "🎉",
    ),
    "combining accents": ("a.jsonl", line(sentence1="e\u0301" * 9), "e\u0301" * 9),
    "a zero-width space": ("a.jsonl", line(sentence1="a\u200bb"), "a\u200bb"),
    "only white space": ("a.jsonl", line(sentence1=" \t "), " \t "),
    "an empty sentence": ("a.jsonl", line(sentence1=""), ""),
    "2,000 words": ("a.jsonl", line(sentence1="word " * 2000), "word " * 2000),
    "a byte order mark": ("a.jsonl", b"\xef\xbb\xbf" + line(), PREMISE),
    "CRLF line endings": ("a.txt", table("neutral\ta\tb\r"), "a"),
    "empty lines between": ("a.jsonl", b"\n\n" + line() + b"\n", PREMISE),
    "duplicate pairIDs": ("a.jsonl", 3 * line(), PREMISE),
    "a pairID of another type": ("a.jsonl", line(pairID=[1, {"a": None}]), PREMISE),
    "a lone surrogate in the pairID": (
        "a.jsonl",
        json.dumps(row(pairID="\ud800")).encode() + b"\n",
        PREMISE,
    ),
    "a long unused field": ("a.jsonl", line(extra="x" * 10**6), PREMISE),
    "several gzip members": (
        "a.jsonl.gz",
        gzip.compress(line()) + gzip.compress(line()),
        PREMISE,
    ),
}

# name -> (file name, bytes, part of the error)
BAD_CORPORA = {
    "only blank lines": ("a.jsonl", b"\n \n", "no rows"),
    "HTML": ("a.jsonl", b"<html>\n", "line 1: not JSON"),
    "a JSON number": ("a.jsonl", b"1e999\n", "line 1: not a JSON object"),
    "a number of 10,000 digits": (
        "a.jsonl",
        b'{"pairID": ' + b"9" * 10_000 + b"}\n",
        "line 1: not JSON",
    ),
    "a duplicate key": (
        "a.jsonl",
        line() + line().replace(b"{", b'{"sentence1": "x", ', 1),
        "line 2: duplicate key 'sentence1'",
    ),
    "a duplicate key in an unused field": (
        "a.jsonl",
        line(extra={"a": 1}).replace(b'"a"', b'"a": 2, "a"'),
        "line 1: duplicate key 'a'",
    ),
    "a raw control character": (
        "a.jsonl",
        line().replace(b"man", b"m\x01n", 1),
        "line 1: not JSON",
    ),
    "a raw NUL": ("a.jsonl", line().replace(b"man", b"m\x00n", 1), "not JSON"),
    "only NUL bytes": ("a.jsonl", bytes(5000), "line 1: not JSON"),
    "an overlong encoding": ("a.jsonl", b'{"a": "\xc0\x80"}\n', "line 1: not UTF-8"),
    "a truncated character": ("a.txt", table() + "é".encode()[:1], "line 2: not UTF-8"),
    "UTF-16": ("a.jsonl", line().decode().encode("utf-16"), "line 1: not UTF-8"),
    "a sentence of 1 MB": (
        "a.jsonl",
        line(sentence2="a " * 500_000),
        "row 1: 'sentence2' must have at most 50,000 characters. Received: 1,000,000",
    ),
    "a line of 1 MB in a table": (
        "a.txt",
        table("neutral\t" + "a" * 10**6 + "\tb"),
        "row 1: 'sentence1' must have at most 50,000 characters",
    ),
    "a gzip of 20 kB with a line of 17 MB": (
        "a.jsonl.gz",
        gzip.compress(line() + b"a" * (17 * 2**20)),
        "line 2: expected a line of at most 16,777,216 bytes",
    ),
    "5,000 words": (
        "a.jsonl",
        line(sentence1="a " * 5000),
        "a sentence of row p must have at most 4,000 tokens. Received: 5,000",
    ),
    "no sentence": (
        "a.jsonl",
        b'{"gold_label": "neutral"}\n',
        "'sentence1' is missing",
    ),
    "a capitalized label": ("a.jsonl", line(gold_label="Neutral"), "unknown label"),
    "only unlabelled rows": (
        "a.jsonl",
        line(gold_label="-"),
        "no row has a label",
    ),
    "an empty gzip file": ("a.jsonl.gz", gzip.compress(b""), "no rows"),
    "garbage after the gzip data": (
        "a.jsonl.gz",
        gzip.compress(line()) + b"garbage",
        "damaged gzip file",
    ),
}


class Mischief:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def object_array(path, marker):
    """Writes an `.npz` file that runs code if objects are loaded."""
    np.savez(path, record=np.array([Mischief(marker)], dtype=object))
    with zipfile.ZipFile(path) as archive:
        content = archive.read("record.npy")
    assert pickle.dumps(Mischief(marker))[-20:-1] in content


# name -> (YAML text, part of the error); MARKER is a file that must not be created
BAD_YAML = {
    "a Python object": (
        "!!python/object/apply:os.system ['touch MARKER']",
        "could not determine a constructor",
    ),
    "a Python object in a value": (
        "seed: !!python/object/apply:pathlib.Path.touch [MARKER]",
        "could not determine a constructor",
    ),
    "a list as a key": ("[a, b]: 1", "unhashable key"),
    "a tab": ("seed:\n\t- 1", "line 2"),
    "a NUL": ("seed: \x00", "not readable as YAML"),
    "an impossible date": ("seed: 2026-13-45", "not readable as YAML"),
    "a number of 10,000 digits": ("seed: " + "9" * 10_000, "not readable as YAML"),
    "infinity": ("training: {learning_rate: .inf}", "finite"),
    "not a number": ("training: {learning_rate: .nan}", "finite"),
    "two documents": ("seed: 1\n---\nseed: 2", "found another document"),
    "a long text instead of a number": ("seed: " + "x" * 10**5, "seed"),
    "a text instead of a section": ("data: train.jsonl", "'data'"),
}
