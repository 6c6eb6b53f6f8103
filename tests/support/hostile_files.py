"""Files that are broken, odd, or made to do harm, by what is wrong with them.

Each entry writes a file into a folder. `GOOD` files are to be read rightly, `BAD` ones
refused with the words given.
"""

import gzip
import itertools
import json
import pickle
import string
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


# name -> (file name, bytes, the premise that is read)
GOOD_CORPORA = {
    "n/a as a text": ("a.jsonl", line(sentence1="n/a"), "n/a"),
    "null as a text": ("a.jsonl", line(sentence1="null"), "null"),
    "None as a text": ("a.jsonl", line(sentence1="None"), "None"),
    "NaN as a text in a table": ("a.txt", table("neutral\tNaN\tb"), "NaN"),
    "quotes in a table": ("a.txt", table('neutral\t"a\tb'), '"a'),
    "a comma and a quote": ("a.txt", table('neutral\ta, "b"\tc'), 'a, "b"'),
    "an escaped control character": ("a.jsonl", line(sentence1="a\u0001b"), "a\x01b"),
    "a control character in a table": ("a.txt", table("neutral\ta\x02b\tc"), "a\x02b"),
    "a NUL in a table": ("a.txt", table("neutral\ta\x00b\tc"), "a\x00b"),
    "an escaped NUL": ("a.jsonl", line(sentence1="a\x00b"), "a\x00b"),
    "a next-line character": ("a.txt", table("neutral\ta\x85b\tc"), "a\x85b"),
    "a line separator": ("a.jsonl", line(sentence1="a\u2028b"), "a\u2028b"),
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
    "white space alone": ("a.jsonl", line(sentence1=" \t "), " \t "),
    "an empty sentence": ("a.jsonl", line(sentence1=""), ""),
    "2,000 words": ("a.jsonl", line(sentence1="word " * 2000), "word " * 2000),
    "a byte order mark": ("a.jsonl", b"\xef\xbb\xbf" + line(), PREMISE),
    "CRLF line ends": ("a.txt", table("neutral\ta\tb\r"), "a"),
    "no newline at the end": ("a.jsonl", line().rstrip(b"\n"), PREMISE),
    "empty lines between": ("a.jsonl", b"\n\n" + line() + b"\n", PREMISE),
    "duplicate pairIDs": ("a.jsonl", 3 * line(), PREMISE),
    "a pairID that is no text": ("a.jsonl", line(pairID=[1, {"a": None}]), PREMISE),
    "half a surrogate pair in the pairID": (
        "a.jsonl",
        json.dumps(row(pairID="\ud800")).encode() + b"\n",
        PREMISE,
    ),
    "a long field that is not read": ("a.jsonl", line(extra="x" * 10**6), PREMISE),
    "several gzip members": (
        "a.jsonl.gz",
        gzip.compress(line()) + gzip.compress(line()),
        PREMISE,
    ),
    "missing fields at the end": (
        "a.txt",
        table("neutral\ta\tb", header="gold_label\tsentence1\tsentence2\tpairID"),
        "a",
    ),
    "columns in another order": (
        "a.txt",
        table("b\ta\tneutral", header="sentence2\tsentence1\tgold_label"),
        "a",
    ),
}

# name -> (file name, bytes, words of the error)
BAD_CORPORA = {
    "empty": ("a.jsonl", b"", "no rows"),
    "blank lines alone": ("a.jsonl", b"\n \n", "no rows"),
    "a header alone": ("a.txt", table(), "no rows"),
    "no JSON": ("a.jsonl", b"<html>\n", "line 1: not JSON"),
    "half a line": ("a.jsonl", line() + line()[:40], "line 2: not JSON"),
    "a JSON list": ("a.jsonl", b"[]\n", "line 1: not a JSON object"),
    "a JSON number": ("a.jsonl", b"1e999\n", "line 1: not a JSON object"),
    "a number of 10,000 digits": (
        "a.jsonl",
        b'{"pairID": ' + b"9" * 10_000 + b"}\n",
        "line 1: not JSON",
    ),
    "deep nesting": ("a.jsonl", b"[" * 100_000 + b"\n", "line 1: not JSON"),
    "a key given twice": (
        "a.jsonl",
        line() + line().replace(b"{", b'{"sentence1": "x", ', 1),
        "line 2: duplicate key 'sentence1'",
    ),
    "a key given twice in a field that is not read": (
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
    "NUL bytes alone": ("a.jsonl", bytes(5000), "line 1: not JSON"),
    "invalid UTF-8": ("a.jsonl", line() + b'{"a": "\xff"}\n', "line 2: not UTF-8"),
    "an overlong encoding": ("a.jsonl", b'{"a": "\xc0\x80"}\n', "line 1: not UTF-8"),
    "a cut character": ("a.txt", table() + "é".encode()[:1], "line 2: not UTF-8"),
    "UTF-16": ("a.jsonl", line().decode().encode("utf-16"), "line 1: not UTF-8"),
    "half a surrogate pair": (
        "a.jsonl",
        json.dumps(row(sentence1="a \ud800")).encode() + b"\n",
        "row 1: 'sentence1' is not valid Unicode",
    ),
    "a sentence of 1 MB": (
        "a.jsonl",
        line(sentence2="a " * 500_000),
        "row 1: 'sentence2' has 1,000,000 characters. The maximum is 50,000",
    ),
    "a word of 1 MB": ("a.jsonl", line(sentence1="a" * 10**6), "1,000,000 characters"),
    "a line of 1 MB in a table": (
        "a.txt",
        table("neutral\t" + "a" * 10**6 + "\tb"),
        "row 1: 'sentence1' has 1,000,000 characters",
    ),
    "a gzip of 20 kB with a line of 17 MB": (
        "a.jsonl.gz",
        gzip.compress(line() + b"a" * (17 * 2**20)),
        "line 2: longer than 16,777,216 bytes",
    ),
    "5,000 words": (
        "a.jsonl",
        line(sentence1="a " * 5000),
        "a sentence of row p has 5,000 tokens. The maximum is 4,000",
    ),
    "a sentence that is a number": (
        "a.jsonl",
        line(sentence1=1),
        "row 1: 'sentence1' is not a text",
    ),
    "a sentence that is null": (
        "a.jsonl",
        line(sentence2=None),
        "row 1: 'sentence2' is not a text",
    ),
    "no sentence": (
        "a.jsonl",
        b'{"gold_label": "neutral"}\n',
        "'sentence1' is missing",
    ),
    "no label": (
        "a.jsonl",
        b'{"sentence1": "a", "sentence2": "b"}\n',
        "'gold_label' is missing",
    ),
    "an unknown label": ("a.jsonl", line(gold_label="maybe"), "unknown label 'maybe'"),
    "a label in capitals": ("a.jsonl", line(gold_label="Neutral"), "unknown label"),
    "a label that is null": (
        "a.jsonl",
        line(gold_label=None),
        "'gold_label' is not a text",
    ),
    "labels alone without": ("a.jsonl", line(gold_label="-"), "no row has a label"),
    "too many columns": (
        "a.txt",
        table("neutral\ta\tb\tc"),
        "row 1: 4 fields, but the header has 3 columns",
    ),
    "too few columns": ("a.txt", table("neutral\ta"), "row 1: 'sentence2' is missing"),
    "no header": ("a.txt", b"neutral\ta\tb\n", "the header line must contain"),
    "no gzip": ("a.jsonl.gz", line(), "damaged gzip file"),
    "a gzip of nothing": ("a.jsonl.gz", gzip.compress(b""), "no rows"),
    "garbage after the gzip": (
        "a.jsonl.gz",
        gzip.compress(line()) + b"garbage",
        "damaged gzip file",
    ),
}


class Mischief:
    """Touches a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def object_array(path, marker):
    """An `.npz` whose loading would run code, were objects allowed."""
    np.savez(path, record=np.array([Mischief(marker)], dtype=object))
    with zipfile.ZipFile(path) as archive:
        content = archive.read("record.npy")
    assert pickle.dumps(Mischief(marker))[-20:-1] in content  # it is really there


# name -> (YAML text, words of the error); MARKER is a file that must not appear
LETTERS = list(itertools.pairwise(string.ascii_lowercase))
BAD_YAML = {
    "a Python object": (
        "!!python/object/apply:os.system ['touch MARKER']",
        "could not determine a constructor",
    ),
    "a Python object in a value": (
        "seed: !!python/object/apply:pathlib.Path.touch [MARKER]",
        "could not determine a constructor",
    ),
    "a Python name": ("seed: !!python/name:os.system", "could not determine a constr"),
    "a billion laughs": (
        "a: &a [x, x]\n" + "".join(f"{n}: &{n} [*{p}, *{p}]\n" for p, n in LETTERS),
        "more than 100,000 values",
    ),
    "an alias to itself": ("seed: &a [*a]", "an alias contains itself"),
    "deep nesting": ("[" * 20_000, "maximum nesting depth"),
    "a key twice": ("seed: 1\nseed: 2", "'seed' is given twice"),
    "a key that is a list": ("[a, b]: 1", "unhashable key"),
    "a tab": ("seed:\n\t- 1", "line 2"),
    "a NUL": ("seed: \x00", "not readable as YAML"),
    "an impossible date": ("seed: 2026-13-45", "not readable as YAML"),
    "a number of 10,000 digits": ("seed: " + "9" * 10_000, "not readable as YAML"),
    "infinity": ("training: {learning_rate: .inf}", "finite"),
    "not a number": ("training: {learning_rate: .nan}", "finite"),
    "a list": ("- a", "a mapping of sections is needed"),
    "nothing": ("", "a mapping of sections is needed"),
    "two documents": ("seed: 1\n---\nseed: 2", "found another document"),
    "a long text for a number": ("seed: " + "x" * 10**5, "seed"),
    "a section that is a text": ("data: train.jsonl", "'data'"),
}
