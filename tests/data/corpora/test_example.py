import math

import pytest

from dsa.data.corpora.example import Example, check_examples, find_id, to_id
from dsa.errors import InputError


def example(*texts, parses=None, line=7):
    return Example(texts, None, None, None, parses, line)


def test_valid_examples_are_returned_unchanged():
    examples = [example("a"), example("", "b", parses=("( a )", "b"))]
    assert list(check_examples(iter(examples), "f")) == examples


def test_a_file_without_rows_raises_an_error():
    with pytest.raises(InputError, match="^f: the file contains no pairs$"):
        list(check_examples(iter(()), "f", "pairs"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [(7, "7"), (7.0, "7"), (7.5, "7.5"), ("a", "a"), (None, None), (math.nan, None)],
)
def test_ids_are_text_and_missing_values_are_none(value, expected):
    assert to_id(value) == expected
    assert find_id({"id": value, "idx": "next"}) == (expected or "next")


LONG = "a" * 50_001


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (example(LONG), "f, row 7: the sentence must .*: 50,001"),
        (example("a", LONG), "f, row 7: 'sentence2' must .*: 50,001"),
        (example("\ud800", "a"), "f, row 7: 'sentence1' is not valid Unicode"),
        (example("a", "b", parses=("a", LONG)), "f, row 7: the parse must .*: 50,001"),
    ],
)
def test_an_invalid_text_raises_an_error_with_its_row(bad, message):
    with pytest.raises(InputError, match=message):
        list(check_examples(iter([example("a", line=6), bad]), "f"))
