"""Files of NLI corpora with a malformed row."""

import pytest

from dsa.errors import InputError
from tests.support.nli_rows import (
    ANLI,
    BREAKING,
    HANS,
    HANS_HEADER,
    SCITAIL,
    STRESS,
    read,
    write,
)

BROKEN = {
    "breaking without category": (
        "breaking_nli",
        "d.jsonl",
        [{key: BREAKING[key] for key in BREAKING if key != "category"}],
        r"d\.jsonl, row 1: 'category' \(group\) is missing",
    ),
    "breaking with a number as text": (
        "breaking_nli",
        "d.jsonl",
        [BREAKING, {**BREAKING, "sentence1": 3}],
        r"row 2: 'sentence1' must be text",
    ),
    "breaking cut": (
        "breaking_nli",
        "d.jsonl",
        ['{"sentence1": "a'],
        "line 1: not JSON",
    ),
    "breaking with a list": ("breaking_nli", "d.jsonl", ["[]"], "not a JSON object"),
    "anli with SNLI's labels": (
        "anli",
        "t.jsonl",
        [{**ANLI, "label": "entailment"}],
        r"row 1: unknown label 'entailment'\. Known: e, n, c, and -, hidden for",
    ),
    "anli with SNLI's columns": (
        "anli",
        "t.jsonl",
        [STRESS],
        r"row 1: 'context' \(premise\) is missing",
    ),
    "hans with a third label": (
        "hans",
        "h.txt",
        [HANS_HEADER, HANS.replace("non-entailment", "neutral")],
        r"row 1: unknown label 'neutral'\. Known: entailment, non-entailment, and -",
    ),
    "hans without heuristic": (
        "hans",
        "h.txt",
        [HANS_HEADER, "\t".join(HANS.split("\t")[:8])],
        r"row 1: 'heuristic' \(group\) is missing",
    ),
    "hans with more fields": (
        "hans",
        "h.txt",
        [HANS_HEADER, f"{HANS}\tmore"],
        "row 1: expected 11 fields, as in the header. Received: 12",
    ),
    "hans without header": (
        "hans",
        "h.txt",
        [HANS],
        ": the header line must contain the columns sentence1 and sentence2",
    ),
    "xnli without languages": (
        "xnli_en",
        "x.tsv",
        ["gold_label\tsentence1\tsentence2\tgenre", "neutral\ta\tb\tx"],
        "row 1: 'language' is missing",
    ),
    "scitail with two columns": (
        "scitail",
        "s.tsv",
        ["premise\thypothesis"],
        r"row 1: 'column 3' \(label\) is missing",
    ),
    "scitail in JSON without labels": (
        "scitail",
        "s.txt",
        [{"sentence1": "a", "sentence2": "b"}],
        r"row 1: 'gold_label' \(label\) is missing",
    ),
    "scitail with a tab more": (
        "scitail",
        "s.tsv",
        [SCITAIL, f"{SCITAIL}\t"],
        "line 2: expected 3 fields, as in line 1. Received: 4",
    ),
    "scitail with a header": (
        "scitail",
        "s.tsv",
        ["premise\thypothesis\tlabel"],
        r"row 1: unknown label 'label'\. Known: entails, entailment, neutral, and -",
    ),
    "cad with an open quote": (
        "cad",
        "c.tsv",
        ["sentence1\tsentence2\tgold_label", '"a\tb\tneutral'],
        "row 1: unexpected end of data",
    ),
    "cad with a missing field": (
        "cad",
        "c.tsv",
        ["sentence1\tsentence2\tgold_label", "a\tneutral"],
        "row 1: expected 3 fields, as in the header. Received: 2",
    ),
    "cad with a column twice": (
        "cad",
        "c.tsv",
        ["sentence1\tsentence1\tgold_label"],
        ": duplicate column 'sentence1'",
    ),
    "cad without label": (
        "cad",
        "c.tsv",
        ["sentence1\tsentence2\tlabel", "a\tb\tneutral"],
        r"row 1: 'gold_label' \(label\) is missing",
    ),
    "stress test with half a surrogate pair": (
        "nli_stress_tests",
        "s.jsonl",
        [{**STRESS, "sentence2": "\ud800"}],
        "row 1: 'sentence2' is not valid Unicode",
    ),
    "an empty file": ("hans", "h.txt", [], r"h\.txt: the file contains no rows"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_an_error_with_its_place(tmp_path, case):
    corpus, name, lines, message = BROKEN[case]
    with pytest.raises(InputError, match=message):
        read(corpus, write(tmp_path, name, *lines))
