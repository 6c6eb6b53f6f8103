"""Only what looks like a number is read as one."""

import pytest

from dsa.parsing import parse_integer, parse_number, shorten

NO_NUMBERS = ["", "1_0", "\u0661", "\uff11", " 1", "1 ", "nan", "inf", "1e", ".", "0x1"]


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("-2.5", -2.5), ("+1.", 1), (".5", 0.5), ("1e-3", 1e-3), ("2E2", 200)],
)
def test_a_number_is_read(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_other_texts_are_no_numbers(text):
    for parse in (parse_number, parse_integer):
        with pytest.raises(ValueError, match="^expected .* Received: "):
            parse(text)


def test_an_integer_has_at_most_300_digits():
    assert parse_integer("-" + 300 * "1") == -int(300 * "1")
    for text in ("1.0", 301 * "1", 6000 * "1"):
        with pytest.raises(ValueError, match="expected an integer. Received: "):
            parse_integer(text)


def test_a_long_text_is_shortened():
    assert shorten("a" * 40) == repr("a" * 40)
    assert shorten("a" * 41) == repr("a" * 40 + "...")
