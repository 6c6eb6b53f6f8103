import math

import numpy as np
import pytest

from dsa.data.pair_features.ngrams import NgramCounts, compute_rouge, count_skip_bigrams
from dsa.data.pair_features.pair import Pair
from dsa.data.pair_features.translation import (
    replace_related,
    score_bleu,
    score_characters,
    score_compression,
    score_edits,
    score_matching,
    score_meteor,
    score_nist,
)
from tests.data.pair_features.support import GivenRelations

TRAINING = [["a", "b", "a", "c"], ["a", "b", "d"], ["a", "e"], ["f"]]


def penalty(ratio):
    """NIST's: .5 for an output of two thirds of the reference's length."""
    return 0.5 ** (math.log(ratio) / math.log(2 / 3)) ** 2


def test_bleu_smooths_orders_without_a_match():
    # 3 of 4 words, 1 of 3 bigrams, 0 of 2 trigrams, 0 of 1: 1/(2 2) and 1/(4 1)
    short = math.exp(1 - 5 / 4)
    expected = [
        0.75 * short,
        (0.75 / 3) ** (1 / 2) * short,
        (0.75 / 3 / 4) ** (1 / 3) * short,
        (0.75 / 3 / 4 / 4) ** (1 / 4) * short,
    ]
    assert score_bleu(list("abcde"), list("abxd")) == pytest.approx(expected)


def test_bleu_leaves_out_orders_that_the_output_is_too_short_for():
    assert score_bleu(["a", "b"], ["a", "b"]) == pytest.approx([1, 1, 1, 1])


def test_nist_of_a_training_pair_by_hand():
    # 10 tokens; a 4 times, b twice, "a b" twice; a counts once: the output has one
    first = (math.log2(10 / 4) + math.log2(10 / 2)) / 3
    second = first + math.log2(4 / 2) / 2
    expected = np.array([first, second, second, second, second]) * penalty(3 / 4)
    scores = score_nist(*TRAINING[:2], NgramCounts.fit(TRAINING), is_train=True)
    np.testing.assert_allclose(scores, expected)


def test_nist_of_another_pair_counts_its_own_sentences():
    # 10 + 4 tokens; a 4 + 2, b 2 + 2, "a b" 2 + 2
    first = (math.log2(14 / 6) + math.log2(14 / 4)) / 2
    second = first + math.log2(6 / 4)
    counts = NgramCounts.fit(TRAINING)
    scores = score_nist(["a", "b"], ["a", "b"], counts, is_train=False)
    np.testing.assert_allclose(scores, [first, *[second] * 4])
    scores = score_nist(["new"], ["new"], counts, is_train=False)
    np.testing.assert_allclose(scores, [math.log2(12 / 2)] * 5)


def test_nist_counts_a_match_as_often_as_the_reference_has_it():
    # 10 + 4 tokens, a 4 + 3; one of two a matches
    counts = NgramCounts.fit(TRAINING)
    scores = score_nist(["a", "g"], ["a", "a"], counts, is_train=False)
    np.testing.assert_allclose(scores, [math.log2(14 / 7) / 2] * 5)


def test_nist_refuses_training_sentences_that_were_not_counted():
    with pytest.raises(ValueError, match="sentence 2 'a new'"):
        score_nist(["a"], ["a", "new"], NgramCounts.fit(TRAINING), is_train=True)


def test_ngrams_do_not_cross_the_end_of_a_sentence():
    counts = NgramCounts.fit(TRAINING).look_up(["c", "a", "b"])
    assert [count.tolist() for count in counts] == [[1, 4, 2], [0, 2], [0], [], []]


def test_nist_has_the_same_mean_for_training_and_other_pairs():
    random = np.random.default_rng(5)

    def make_pair():
        words = [f"w{n}" for n in random.zipf(1.3, 17) % 100_003]
        return words, [w if random.random() < 0.7 else "other" for w in words]

    train, test = ([make_pair() for _ in range(400)] for _ in range(2))
    counts = NgramCounts.fit([sentence for pair in train for sentence in pair])
    means = [
        np.mean([score_nist(*pair, counts, is_train) for pair in pairs], axis=0)
        for pairs, is_train in ((train, True), (test, False))
    ]
    np.testing.assert_allclose(means[1], means[0], rtol=0.05)


def test_ter_counts_a_moved_phrase_as_one_edit():
    assert score_edits(list("abcd"), list("cdab")) == 1 / 4
    assert score_edits(list("abcd"), list("axcdy")) == 2 / 4
    assert score_edits([], list("abc")) == 3


def test_terp_takes_stems_before_synonyms():
    relations = GivenRelations({("big", "large"), ("runs", "sprints")})
    reference = "sprints he runs in large shoes".split()
    assert replace_related(reference, "he running big in hats".split(), relations) == (
        "he runs large in hats".split()
    )
    assert replace_related(["sprints"], ["runs"], relations) == ["sprints"]


def test_maxsim_matches_each_word_once():
    relations = GivenRelations({("dog", "hound")})
    # dog-dog 1, runs-running .8; 3 and 2 words
    score = score_matching(["dog", "runs", "fast"], ["running", "dog"], relations)
    assert score == pytest.approx(2 * 1.8 / 5)
    # one of the two dogs is left for the hound
    score = score_matching(["dog", "dog"], ["hound", "dog"], relations)
    assert score == pytest.approx(2 * 1.5 / 4)


def test_meteor_by_hand():
    # two matches in one piece: precision 2/3, recall 2/4
    mean = (2 / 3 * 2 / 4) / (0.9 * 2 / 3 + 0.1 * 2 / 4)
    expected = mean * (1 - 0.5 * (1 / 2) ** 3)
    relations = GivenRelations()
    score = score_meteor(["a", "run", "c", "d"], ["a", "runs", "x"], relations)
    assert score == pytest.approx(expected)


def test_chrf_by_hand():
    # one of two characters, no pair of characters: mean of 1/2 and 0
    assert score_characters(["ab"], ["ac"]) == pytest.approx(0.25)
    assert score_characters(["a", "b"], ["ab"]) == pytest.approx(1)


def test_compression_finds_repeated_words():
    words = "a woman slices an onion beside the window".split()
    others = "two dogs jump over some very old fences".split()
    assert score_compression(words, words) < score_compression(words, others)
    assert score_compression([], []) == 0


def test_rouge_by_hand():
    # words 2 of 3 and 2; bigrams 0 of 2 and 1; words and skip bigrams 3 of 6 and 3
    scores = compute_rouge(Pair(["a", "b", "c"], ["a", "c"], False), None)
    assert scores == pytest.approx([4 / 5, 0, 6 / 9])


def test_skip_bigrams_have_at_most_four_words_between_them():
    counts = count_skip_bigrams(list("abcdefga"))
    assert ("a", "f") in counts and ("a", "g") not in counts
    assert counts[("a",)] == 2 and ("b", "a") not in counts
    assert counts.total() == 8 + (7 + 6 + 5 + 4 + 3)
