import itertools

import numpy as np

from dsa.data.corpora.catalogue import NLI
from dsa.data.corpora.example import Example
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.rows import (
    add_swapped_pairs,
    concatenate,
    sample,
    sample_nested,
)
from dsa.data.prepared.tokenizer import Tokenizer


def corpus(*pairs):
    examples = [
        Example((premise, hypothesis), label, f"{premise}!", None, None, line)
        for line, (premise, hypothesis, label) in enumerate(pairs, start=1)
    ]
    return from_examples(examples, Tokenizer("whitespace"), NLI, "here")


def texts(prepared):
    """Rows as (premise, hypothesis, label) again; an unknown token is `?`."""

    def text(sentence):
        start, end = prepared.sentences.offsets[sentence : sentence + 2]
        ids = prepared.sentences.ids[start:end]
        return " ".join("?" if id < 0 else prepared.words[id] for id in ids)

    return [
        (text(p), text(h), NLI.labels[label] if label >= 0 else None)
        for (p, h), label in zip(
            prepared.sentence_indices, prepared.labels, strict=True
        )
    ]


FIRST = corpus(("a b", "a", "neutral"), ("a c", "", "entailment"))
SECOND = corpus(
    ("d d d", "a", None),
    ("c d", "e", "contradiction"),
    ("", "e e", "neutral"),
    ("f", "a b", "entailment"),
)


def test_swapped_pairs_follow_the_pairs():
    both = add_swapped_pairs(FIRST)
    swapped = [(second, first, label) for first, second, label in texts(FIRST)]
    assert texts(both) == texts(FIRST) + swapped
    assert both.ids == [*FIRST.ids] * 2


def test_joined_corpora_contain_the_rows_of_both_and_each_word_once():
    both = concatenate(FIRST, SECOND)
    assert texts(both) == texts(FIRST) + texts(SECOND)
    assert sorted(both.words) == list("abcdef")
    assert both.ids == [*FIRST.ids, *SECOND.ids]
    assert both.empty == 2
    counts = both.word_counts()
    assert (np.diff(counts) <= 0).all() and counts[both.words.index("d")] == 4


def test_a_sample_draws_labelled_rows_once_and_in_order():
    drawn = sample(SECOND, 0.67, seed=1)
    assert len(drawn) == 2
    rows = [texts(SECOND).index(row) for row in texts(drawn)]
    assert rows == sorted(set(rows)) and 0 not in rows
    assert drawn.ids == [SECOND.ids[row] for row in rows]


def test_a_sample_has_the_words_of_its_rows_alone():
    rows = {seed: sample(SECOND, 0.3, seed) for seed in range(20)}
    for drawn in rows.values():
        (row,) = texts(drawn)
        words = {word for text in row[:2] for word in text.split()} - {"?"}
        assert set(drawn.words) == words
        assert drawn.empty == ("?" in row[:2])
    assert len({texts(drawn)[0] for drawn in rows.values()}) == 3


def test_the_whole_sample_is_the_labelled_rows_and_the_seed_decides():
    assert texts(sample(SECOND, 1.0, seed=5)) == texts(SECOND)[1:]
    assert texts(sample(SECOND, 0.5, 2)) == texts(sample(SECOND, 0.5, 2))


def test_a_larger_nested_sample_contains_the_smaller_one():
    pairs = [(f"word{row}", "same", "neutral") for row in range(50)]
    pairs[7] = ("word7", "same", None)
    whole = corpus(*pairs)

    def draw(count, seed=1):
        return sample_nested(whole, count, seed).ids

    samples = [set(draw(count)) for count in (1, 5, 20, 49)]
    assert [len(ids) for ids in samples] == [1, 5, 20, 49]
    assert all(few < many for few, many in itertools.pairwise(samples))
    assert whole.ids[7] not in samples[-1]
    assert draw(20) == sorted(draw(20), key=whole.ids.index)  # in file order
    assert draw(20) != draw(20, seed=2)
