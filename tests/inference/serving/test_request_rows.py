"""Parsing of request bodies."""

import json

import pytest

from dsa.errors import InputError
from dsa.inference.serving.limits import Limits, TooLargeError
from dsa.inference.serving.request_rows import parse_rows
from dsa.tasks.task import PAIR, SINGLE


def parse(kind, content, inputs=PAIR, **limits):
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return parse_rows(kind, body, inputs, Limits(**limits))


def test_rows_are_lists_or_objects():
    rows = [
        ["A man.", "A dog."],
        {"premise": "é", "hypothesis": "b"},
        {"sentence1": "a", "sentence2": "b"},
    ]
    expected = [("A man.", "A dog."), ("é", "b"), ("a", "b")]
    assert parse("predict", {"rows": rows}) == expected
    assert parse("predict", {"rows": []}) == []
    for row, texts in zip(rows, expected, strict=True):
        assert parse("explain", {"row": row}) == [texts]


def test_rows_of_a_run_on_single_sentences_can_be_texts():
    rows = ["A man.", ["A dog."], {"sentence": "c"}]
    expected = [("A man.",), ("A dog.",), ("c",)]
    assert parse("predict", {"rows": rows}, SINGLE) == expected
    assert parse("explain", {"row": "A man."}, SINGLE) == [("A man.",)]


def test_encode_expects_single_texts_for_every_task():
    assert parse("encode", {"texts": ["a", "b"]}) == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("predict", b"\xff{}", "^the body is not JSON: 'utf-8' codec"),
        ("predict", b"", "^the body is not JSON: Expecting value"),
        ("predict", b"{", "^the body is not JSON: "),
        ("predict", b"[" * 100_000, "^the body is not JSON: "),
        ("predict", b"9" * 6000, "^the body is not JSON: "),
        ("predict", b"[]", "must be a JSON object with the single key 'rows'$"),
        ("predict", b"NaN", "must be a JSON object with the single key 'rows'$"),
        ("predict", {}, "the single key 'rows'$"),
        ("predict", {"texts": []}, "the single key 'rows'$"),
        ("encode", {"texts": [], "a": 1}, "the single key 'texts'$"),
        ("predict", {"rows": "ab"}, "^'rows' must be an array$"),
        ("encode", {"texts": None}, "^'texts' must be an array$"),
        ("predict", {"rows": ["a", "b"]}, "^row 1: expected premise and hyp"),
        ("predict", {"rows": [["a", "b", "c"]]}, "Number of texts received: 3$"),
        ("predict", {"rows": [[]]}, "Number of texts received: 0$"),
        ("predict", {"rows": [["a", "b"], 3]}, "row 2"),
        ("predict", {"rows": [["a", None]]}, "the hypothesis of row 1"),
        ("predict", {"rows": [{"premise": "a"}]}, "premise and hypothesis, or sent"),
        ("predict", {"rows": [["a", " \n"]]}, "^the hypothesis of row 1 is empty$"),
        ("predict", b'{"rows": [["a", "\\ud800"]]}', "^the hypothesis of row 1 is n"),
        ("encode", {"texts": ["a", ["b"]]}, "text 2"),
        ("encode", {"texts": ["a", ""]}, "^the text of row 2 is empty$"),
        ("explain", {"row": "a"}, "Number of texts received: 1$"),
        ("explain", {"row": [["a", "b"]]}, "row 1"),
    ],
)
def test_an_invalid_body_raises_one_line(kind, body, message):
    with pytest.raises(InputError, match=message) as error:
        parse(kind, body)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300
    assert not isinstance(error.value, TooLargeError)


def test_a_pair_for_a_run_on_single_sentences_raises():
    with pytest.raises(InputError, match="row 1: expected sentence. .* 2$"):
        parse("predict", {"rows": [["a", "b"]]}, SINGLE)


def test_rows_and_characters_are_limited():
    pair = ["a", "b"]
    assert len(parse("predict", {"rows": [pair] * 1000})) == 1000
    with pytest.raises(
        TooLargeError, match="'rows' is limited to 1,000 items. .* 1,001$"
    ):
        parse("predict", {"rows": [pair] * 1001})
    with pytest.raises(
        TooLargeError, match="hypothesis of row 2 is limited to 4,000 char"
    ):
        parse("predict", {"rows": [pair, ["a", "b" * 100_000]]})
    assert parse("encode", {"texts": ["abc"]}, text_characters=3)
    with pytest.raises(TooLargeError, match="limited to 3 characters. Received: 4$"):
        parse("encode", {"texts": ["abcd"]}, text_characters=3)
