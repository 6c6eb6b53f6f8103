import pytest

from dsa.data.corpora.example import Example, check_examples
from dsa.errors import InputError


def example(*texts, parses=None, line=7):
    return Example(texts, None, None, None, parses, line)


def test_examples_that_can_be_read_come_as_they_are():
    examples = [example("a"), example("", "b", parses=("( a )", "b"))]
    assert list(check_examples(iter(examples), "f")) == examples


def test_a_file_without_any_row_is_refused():
    with pytest.raises(InputError, match="^f: no pairs$"):
        list(check_examples(iter(()), "f", "pairs"))


LONG = "a" * 50_001


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (example(LONG), "f, row 7: the sentence has 50,001 characters"),
        (example("a", LONG), "f, row 7: 'sentence2' has 50,001 characters"),
        (example("\ud800", "a"), "f, row 7: 'sentence1' is not valid Unicode"),
        (example("a", "b", parses=("a", LONG)), "f, row 7: the parse has 50,001"),
    ],
)
def test_an_unreadable_text_is_refused_with_its_place(bad, message):
    with pytest.raises(InputError, match=message):
        list(check_examples(iter([example("a", line=6), bad]), "f"))
