import numpy as np
import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.data.corpora.example import Example
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.prepared.views import SURROUNDED, View
from dsa.errors import InputError
from dsa.tasks.task import SINGLE
from tests.data.prepared.test_rows import corpus, texts

WORDS = "red green blue white black grey pink brown gold".split()
# a premise of two words in two rows, and an unlabelled row
ROWS = [*((f"a {word}", f"{word} !", "neutral") for word in WORDS)]
ROWS += [("a red", "red ?", "entailment"), ("a grey", "x", None), ("", "y", "neutral")]
PLAIN = corpus(*ROWS)


def split_premises(premise):
    """The premises in a text of them, the one without any token as `?`."""
    return premise.replace("a ", "|").replace("?", "|?").replace(" ", "")[1:].split("|")


@pytest.mark.parametrize(("view", "count"), SURROUNDED.items())
def test_foreign_premises_stand_before_and_after_each_premise(view, count):
    seen = texts(View(view).apply(PLAIN))
    for (premise, hypothesis, label), plain in zip(seen, texts(PLAIN), strict=True):
        assert (hypothesis, label) == plain[1:]
        parts = split_premises(premise)
        assert len(parts) == 2 * count + 1
        assert parts[count] == plain[0].removeprefix("a ")
        assert len(set(parts)) == len(parts)  # no premise twice, so all are foreign
    assert seen[0][0] == seen[len(WORDS)][0]  # one premise, one text
    assert seen == texts(View(view).apply(corpus(*ROWS)))


def test_the_draw_is_numpys_by_the_distinct_premises_in_the_files_order():
    distinct = [row[0].removeprefix("a ") or "?" for row in ROWS[:-3] + ROWS[-1:]]
    random = np.random.default_rng(13)
    seen = texts(View("surrounded_2").apply(PLAIN))
    rows = [*range(len(WORDS)), len(ROWS) - 1]
    for place, (row, own) in enumerate(zip(rows, distinct, strict=True)):
        others = distinct[:place] + distinct[place + 1 :]
        a, b, c, d = (others[n] for n in random.choice(len(others), 4, replace=False))
        assert split_premises(seen[row][0]) == [a, b, own, c, d]


def test_all_but_the_premises_stays():
    seen = View("surrounded_1").apply(PLAIN)
    for name in ("words", "ids", "groups", "fingerprint", "empty"):
        assert getattr(seen, name) == getattr(PLAIN, name)
    np.testing.assert_array_equal(seen.labels, PLAIN.labels)
    np.testing.assert_array_equal(
        seen.sentence_indices[:, 1], PLAIN.sentence_indices[:, 1]
    )
    assert seen.sentences.ids.dtype == PLAIN.sentences.ids.dtype
    assert texts(PLAIN) == texts(corpus(*ROWS))


@pytest.mark.parametrize("boundaries", [("_b_", "_e_"), ("_b_", None), (None, "_e_")])
def test_boundaries_are_at_the_ends_of_the_whole(boundaries):
    tokenizer = Tokenizer("whitespace", boundaries=boundaries)
    examples = [Example(row[:2], row[2], None, None, None, 1) for row in ROWS]
    prepared = from_examples(examples, tokenizer, NLI, "here")
    seen = texts(View("surrounded_2", boundaries).apply(prepared))
    plain = texts(View("surrounded_2").apply(PLAIN))
    for row, (premise, *_) in enumerate(plain):
        expected = [boundaries[0], premise.replace("?", "").strip(), boundaries[1]]
        words = " ".join(filter(None, expected)).split()
        assert seen[row][0].replace("?", "").split() == words


def test_a_corpus_needs_enough_premises():
    few = corpus(*ROWS[:8])
    assert texts(View("surrounded_2").apply(few))
    message = "require a corpus with more than 8 premises. Received: 8"
    with pytest.raises(InputError, match=message):
        View("surrounded_4").apply(few)


def test_only_pairs_have_premises():
    with pytest.raises(InputError, match="'surrounded_1' requires sentence pairs"):
        View("surrounded_1").check_inputs(SINGLE)
