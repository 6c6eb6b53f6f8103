"""Bodies of requests: what is read, and what is refused with one line."""

import json

import pytest

from dsa.errors import InputError
from dsa.inference.serving.bounds import MOST_ADDRESSES, Bounds, Rates
from dsa.inference.serving.questions import TooLarge, read_question
from dsa.tasks.task import PAIR, SINGLE


def read(kind, content, inputs=PAIR, **bounds):
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return read_question(kind, body, inputs, Bounds(**bounds))


def test_rows_are_lists_or_dictionaries():
    rows = [
        ["A man.", "A dog."],
        {"premise": "é", "hypothesis": "b"},
        {"sentence1": "a", "sentence2": "b"},
    ]
    expected = [("A man.", "A dog."), ("é", "b"), ("a", "b")]
    assert read("predict", {"rows": rows}) == expected
    assert read("predict", {"rows": []}) == []
    for row, texts in zip(rows, expected, strict=True):
        assert read("explain", {"row": row}) == [texts]


def test_a_run_on_sentences_takes_texts():
    rows = ["A man.", ["A dog."], {"sentence": "c"}]
    assert read("predict", {"rows": rows}, SINGLE) == [
        ("A man.",),
        ("A dog.",),
        ("c",),
    ]
    assert read("explain", {"row": "A man."}, SINGLE) == [("A man.",)]


def test_texts_to_encode_are_single_whatever_the_task_is():
    assert read("encode", {"texts": ["a", "b"]}) == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("predict", b"\xff{}", "Invalid JSON: expected value at line 1 column 1"),
        ("predict", b"", "Invalid JSON: EOF while parsing"),
        ("predict", b"{", "Invalid JSON: EOF while parsing an object"),
        ("predict", b"[" * 100_000, "Invalid JSON: recursion limit"),
        ("predict", b"9" * 6000, "Invalid JSON: number out of range"),
        ("predict", b"[]", "must be a JSON object with 'rows': Input should be an obj"),
        ("predict", b"NaN", "must be a JSON object with 'rows': Input should be an"),
        ("predict", {}, "object with 'rows': 'rows': Field required$"),
        ("predict", {"texts": []}, "required; 'texts': Extra inputs are not perm"),
        ("encode", {"texts": [], "a": 1}, "'texts': 'a': Extra inputs are not"),
        ("predict", {"x" * 9999: 1}, f"; '{'x' * 40}': Extra inputs"),
        ("predict", {"rows": "ab"}, "'rows': Input should be a valid array$"),
        ("encode", {"texts": None}, "'texts': Input should be a valid array$"),
        ("predict", {"rows": ["a", "b"]}, "row 1: this run reads premise and hyp"),
        ("predict", {"rows": [["a", "b", "c"]]}, "hypothesis. Received: 3 texts"),
        ("predict", {"rows": [[]]}, "hypothesis. Received: 0 texts"),
        ("predict", {"rows": [["a", "b"], 3]}, "row 2: a text, a tuple of texts or"),
        ("predict", {"rows": [["a", None]]}, "the hypothesis of row 1 is no text"),
        ("predict", {"rows": [{"premise": "a"}]}, "premise and hypothesis, or sent"),
        ("predict", {"rows": [["a", " \n"]]}, "the hypothesis of row 1 is empty"),
        ("encode", {"texts": ["a", ["b"]]}, "the text 2 is no text"),
        ("encode", {"texts": ["a", ""]}, "the text of row 2 is empty"),
        ("explain", {"row": "a"}, "premise and hypothesis. Received: 1 text$"),
        ("explain", {"row": [["a", "b"]]}, "is no text|Received: 1 text"),
        (
            "predict",
            b'{"rows": [["a", "\\ud800"]]}',
            "Invalid JSON: unexpected end of",
        ),
    ],
)
def test_what_is_no_question_is_refused(kind, body, message):
    with pytest.raises(InputError, match=message) as error:
        read(kind, body)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300
    assert not isinstance(error.value, TooLarge)


def test_a_pair_for_a_run_on_sentences_is_refused():
    with pytest.raises(InputError, match="row 1: this run reads sentence. Received: 2"):
        read("predict", {"rows": [["a", "b"]]}, SINGLE)


def test_what_is_too_large_is_refused_as_such():
    pair = ["a", "b"]
    assert len(read("predict", {"rows": [pair] * 1000})) == 1000
    with pytest.raises(TooLarge, match="'rows' has 1,001 items; .* at most 1,000$"):
        read("predict", {"rows": [pair] * 1001})
    with pytest.raises(TooLarge, match="hypothesis of row 2 has 100,000 characters"):
        read("predict", {"rows": [pair, ["a", "b" * 100_000]]})
    assert read("encode", {"texts": ["abc"]}, text_characters=3)
    with pytest.raises(TooLarge, match="a text has at most 3$"):
        read("encode", {"texts": ["abcd"]}, text_characters=3)


def test_a_queue_without_room_for_a_full_request_is_refused():
    with pytest.raises(InputError, match="a queue of 999 rows never has room for"):
        Bounds(queue_rows=999)


def test_each_address_has_its_rate_and_saves_up_a_second():
    rates = Rates(Bounds(rate=10, request_rows=5))
    assert [rates.take("a", 5, 0.0) for _ in range(3)] == [0, 0, 1]
    assert rates.take("b", 10, 0.0) == 0
    assert rates.take("a", 5, 0.4) == 1
    assert rates.take("a", 5, 0.5) == 0
    assert rates.take("a", 11, 100.0) == 1 and rates.take("a", 10, 100.0) == 0


def test_a_full_request_is_taken_even_where_the_rate_is_lower():
    rates = Rates(Bounds(rate=1, request_rows=50))
    assert rates.take("a", 50, 0.0) == 0
    assert rates.take("a", 50, 1.0) == 49
    assert rates.take("a", 50, 50.0) == 0


def test_addresses_that_are_remembered_are_bounded():
    rates = Rates(Bounds(rate=1, request_rows=1))
    for number in range(MOST_ADDRESSES + 10):
        assert rates.take(f"a{number}", 1, 0.0) == 0
    assert len(rates._saved) == MOST_ADDRESSES
    assert rates.take(f"a{MOST_ADDRESSES}", 1, 0.0) == 1
