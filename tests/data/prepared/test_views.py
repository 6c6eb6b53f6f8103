import dataclasses
import hashlib
import itertools

import numpy as np
import pytest

from dsa.data.corpora.catalogue import NLI, POLARITY
from dsa.data.corpora.example import Example
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.sentences import Sentences
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.prepared.views import VIEWS, View, format_evaluation_name
from dsa.data.rows.row_reader import RowReader
from dsa.data.words.vocabulary import UNKNOWN, Vocabulary
from dsa.errors import InputError
from dsa.tasks.task import PAIR, SINGLE
from tests.data.prepared.test_rows import corpus, texts

PAIRS = (
    ("the dog bites the man", "a man is bitten", "entailment"),
    ("the dog bites the man", "", None),
    ("one", "a b c d e f g h", "contradiction"),
)
PLAIN = corpus(*PAIRS)


def words_of(prepared):
    """The words of every row's sentences, sorted."""
    return [(sorted(p.split()), sorted(h.split())) for p, h, _ in texts(prepared)]


def test_the_plain_view_changes_no_tokens():
    seen = View().apply(PLAIN)
    assert texts(seen) == texts(PLAIN) and seen.sentences is PLAIN.sentences


@pytest.mark.parametrize("view, shown", [("hypothesis_only", 1), ("premise_only", 0)])
def test_the_hidden_sentence_is_one_unknown_word(view, shown):
    seen = texts(View(view).apply(PLAIN))
    assert [row[shown] for row in seen] == [row[shown] for row in texts(PLAIN)]
    assert {row[1 - shown] for row in seen} == {"?"}
    assert [row[2] for row in seen] == ["entailment", None, "contradiction"]


@pytest.mark.parametrize("view", VIEWS)
def test_everything_but_the_sentences_stays(view):
    seen = View(view).apply(PLAIN)
    for name in ("words", "ids", "groups", "fingerprint", "empty"):
        assert getattr(seen, name) == getattr(PLAIN, name)
    np.testing.assert_array_equal(seen.labels, PLAIN.labels)
    assert seen.sentences.ids.dtype == PLAIN.sentences.ids.dtype
    assert texts(PLAIN) == texts(corpus(*PAIRS))  # the corpus itself is not changed


def test_a_bag_of_words_is_sorted():
    seen = texts(View("bag_of_words").apply(PLAIN))
    assert seen[0][0] == "bites dog man the the" and seen[1][1] == "?"
    other = corpus(("man the bites dog the", "x", "neutral"))
    assert texts(View("bag_of_words").apply(other))[0][0] == seen[0][0]


def test_shuffled_words_are_the_same_words_in_another_order():
    seen = View("shuffled_words").apply(PLAIN)
    assert words_of(seen) == words_of(PLAIN) and texts(seen) != texts(PLAIN)
    assert texts(seen)[0][0] == texts(seen)[1][0]  # one sentence, one order


def test_the_order_is_that_of_the_words_not_of_the_file():
    """In another file words have other numbers, and rows other places."""
    other = corpus(("g g g", "a b", "neutral"), *PAIRS[::-1])
    view = View("shuffled_words")
    assert texts(view.apply(other))[1:] == texts(view.apply(PLAIN))[::-1]


MASK = 2**64 - 1


def mix(number):
    """SplitMix64's output for a state, with Python's whole numbers."""
    number = (number + 0x9E3779B97F4A7C15) & MASK
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & MASK
    return number ^ (number >> 31)


def shuffle(sentence):
    words = sentence.split()
    keys = [
        int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
        for word in words
    ]
    whole = sum(mix(key ^ mix(place)) for place, key in enumerate(keys))
    drawn = [mix((whole + mix(place)) & MASK) for place in range(len(words))]
    return " ".join(word for _, word in sorted(zip(drawn, words, strict=True)))


def test_the_order_is_drawn_by_splitmix_from_the_words():
    assert mix(0) == 0xE220A8397B1DCDAF  # as its authors' program for the seed 0
    seen = texts(View("shuffled_words").apply(PLAIN))
    for row, (premise, hypothesis, _) in zip(seen, PAIRS, strict=True):
        assert row[:2] == (shuffle(premise), shuffle(hypothesis) or "?")


def test_all_orders_are_equally_frequent():
    """4,000 sentences of three words: six orders, chi-squared with 5 degrees of
    freedom, .999 quantile 20.5."""
    examples = [
        Example((f"x{number} y z",), None, None, None, None, number)
        for number in range(4000)
    ]
    prepared = from_examples(examples, Tokenizer("whitespace"), POLARITY, "here")
    seen = View("shuffled_words").apply(prepared)
    ids = seen.sentences.ids.reshape(-1, 3)
    first_letters = np.array([word[0] for word in prepared.words])[ids]
    orders = ["".join(letters) for letters in first_letters]
    counts = [orders.count("".join(order)) for order in itertools.permutations("xyz")]
    expected = len(orders) / 6
    assert sum(counts) == 4000
    assert sum((count - expected) ** 2 / expected for count in counts) < 20.5


@pytest.mark.parametrize("boundaries", [["_b_", "_e_"], ["_b_", None], [None, "_e_"]])
@pytest.mark.parametrize("view", VIEWS)
def test_the_boundaries_of_sentences_are_kept(view, boundaries):
    tokenizer = Tokenizer("whitespace", boundaries=boundaries)
    examples = [
        Example((premise, hypothesis), label, None, None, None, 1)
        for premise, hypothesis, label in PAIRS
    ]
    prepared = from_examples(examples, tokenizer, NLI, "here")
    seen = View(view, tuple(boundaries)).apply(prepared)
    before, after = boundaries
    for premise, hypothesis, _ in texts(seen):
        for words in (premise.split(), hypothesis.split()):
            assert words.count("_b_") == bool(before)
            assert words.count("_e_") == bool(after)
            assert not before or words[0] == before
            assert not after or words[-1] == after
    if view.endswith("only"):
        hidden = " ".join(filter(None, [before, "?", after]))
        assert hidden in texts(seen)[0]


def test_single_sentences_can_be_empty():
    """As a user's text: no unknown word is put into it."""
    sentences = Sentences.from_lists([[], [0, 1, 2], [], [2, 2], []])
    for view in VIEWS:
        seen = View(view).reorder(["c", "b", "a"], sentences)
        assert seen.lengths.tolist() == [0, 3, 0, 2, 0]
        assert sorted(seen.ids[:3]) == [0, 1, 2]
    none = Sentences.from_lists([])
    assert len(View("shuffled_words").reorder([], none)) == 0


def test_only_pairs_have_a_sentence_to_hide():
    View("shuffled_words").check_inputs(SINGLE)
    View("premise_only").check_inputs(PAIR)
    with pytest.raises(InputError, match="'premise_only' requires sentence pairs"):
        View("premise_only").check_inputs(SINGLE)


def test_an_evaluation_is_named_after_a_view_that_differs_from_the_runs():
    assert format_evaluation_name("dev", None, None) == "dev"
    assert format_evaluation_name("dev", "bag_of_words", "bag_of_words") == "dev"
    assert format_evaluation_name("dev", None, "bag_of_words") == "dev (plain)"


@pytest.mark.parametrize("view", VIEWS)
def test_a_reader_makes_rows_of_every_view(view):
    """Also of the copy of the pair without common words, which hides as well."""
    vocabulary = Vocabulary([*PLAIN.words, "<empty>"])
    rows = RowReader(PAIR, nonoverlap=True).convert(View(view).apply(PLAIN), vocabulary)
    batch = rows.pad(np.arange(3), rows.lengths.max(axis=0))
    assert [name for name in batch] == [*PAIR, *list(rows.inputs[2:])]
    if view.endswith("only"):
        hidden = PAIR[0] if view.startswith("hypothesis") else PAIR[1]
        assert (batch[hidden] == UNKNOWN).all()
        copy = rows.inputs[2:][PAIR.index(hidden)]
        (known,) = vocabulary.ids(["<empty>"])
        assert set(batch[copy].ravel()) <= {UNKNOWN, known, 0}


def test_the_tokens_of_a_hidden_sentence_have_a_name():
    one = dataclasses.replace(
        PLAIN, sentence_indices=PLAIN.sentence_indices[:1], labels=PLAIN.labels[:1]
    )
    tokens = RowReader(PAIR).list_first_row_words(View("hypothesis_only").apply(one))
    assert tokens == {"premise": ["<empty>"], "hypothesis": "a man is bitten".split()}


@pytest.mark.parametrize("nonoverlap", [False, True])
def test_the_tokens_of_a_row_have_as_many_names_as_the_model_reads(nonoverlap):
    """Also between boundaries."""
    tokenizer = Tokenizer("whitespace", boundaries=["_b_", "_e_"])
    examples = [Example(("a b", "a c"), None, None, None, None, 1)]
    prepared = from_examples(examples, tokenizer, NLI, "here")
    seen = View("hypothesis_only", ("_b_", "_e_")).apply(prepared)
    reader = RowReader(PAIR, nonoverlap=nonoverlap)
    tokens = reader.list_first_row_words(seen)
    assert tokens["premise"] == ["_b_", "<empty>", "_e_"]
    rows = reader.convert(seen, Vocabulary([*seen.words, "<empty>"]))
    assert [*map(len, tokens.values())] == rows.lengths[0].tolist()
