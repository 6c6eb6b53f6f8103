import numpy as np
import pytest

from dsa.data.corpora.catalogue import NLI, POLARITY
from dsa.data.corpora.example import Example
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.rows import SharedRows, compare_rows, take_rows
from dsa.data.prepared.tokenizer import Tokenizer


def corpus(*rows, task=NLI, label=None):
    label = task.labels[0] if label is None else label
    examples = [Example(texts, label, None, None, None, 1) for texts in rows]
    return from_examples(examples, Tokenizer("whitespace"), task, "here")


TRAIN = [("a b", "c"), ("a", "b c"), ("c", "a b"), ("", "a"), ("a b", "c")]


@pytest.mark.parametrize(
    ("rows", "share"),
    [
        ([("a b", "c")], 1),
        ([("A  b", "C"), ("", "a")], 1),  # as the model reads it
        ([("a b", "c"), ("a b", "new")], 0.5),
        ([("new", "newer"), ("x", "y")], 0),
        ([("b a", "c"), ("a b", "b c"), ("a", "c"), ("a", "")], 0),
        ([("b c", "a"), ("c a", "b")], 0),
    ],
)
def test_the_share_of_rows_that_are_in_both(rows, share):
    assert compare_rows(corpus(*TRAIN), corpus(*rows)) == SharedRows(share, False)


def test_the_same_rows_in_another_order_are_identical():
    again = corpus(*reversed(TRAIN))
    assert compare_rows(corpus(*TRAIN), again) == SharedRows(1, True)
    fewer = take_rows(again, np.arange(1, 5))  # one of the two rows that are the same
    assert compare_rows(corpus(*TRAIN), fewer) == SharedRows(1, False)


def test_rows_without_label_do_not_count():
    train, unlabelled = corpus(*TRAIN), corpus(*TRAIN)
    unlabelled.labels[:3] = -1
    assert compare_rows(unlabelled, corpus(("a", "b c"))).share == 0
    assert compare_rows(train, unlabelled) == SharedRows(1, False)


def test_single_sentences_are_compared_too():
    train = corpus(("a b",), ("c",), task=POLARITY)
    other = corpus(("c",), ("b a",), ("d",), ("c",), task=POLARITY)
    assert compare_rows(train, other) == SharedRows(0.5, False)


def test_a_warning_is_given_from_more_than_five_per_cent(caplog):
    SharedRows(0.05, False).warn("dev (a.jsonl)")
    assert not caplog.text
    SharedRows(0.0512, False).warn("dev (a.jsonl)")
    assert "dev (a.jsonl): 5.1 % of the rows are also in train" in caplog.text
