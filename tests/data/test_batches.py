import numpy as np
import pytest

from dsa.data.batches import PairBatches, batches_by_length
from dsa.data.sentences import Sentences

N, BATCH = 103, 8


def batches(seed=5, window=4, n=N):
    random = np.random.default_rng(0)
    lengths = random.integers(1, 30, 2 * n)
    sentences = Sentences.from_lists(
        [[int(i) + 2] * length for i, length in enumerate(lengths)]
    )
    pairs = np.arange(2 * n).reshape(2, n)
    return PairBatches(sentences, *pairs, np.arange(n) % 3, BATCH, seed, window)


def test_an_epoch_holds_every_pair_once():
    made = batches()
    rows = np.concatenate([made.rows(s) for s in range(made.steps_per_epoch)])
    assert sorted(rows.tolist()) == list(range(N))


def test_a_batch_depends_on_seed_and_step_alone():
    made, steps = batches(), range(40)
    in_order = [made.rows(step).tolist() for step in steps]
    fresh = [batches().rows(step).tolist() for step in reversed(steps)]
    assert in_order == fresh[::-1]
    assert in_order != [batches(seed=6).rows(step).tolist() for step in steps]


def test_every_epoch_has_another_order():
    made = batches()
    first, second = made.rows(0), made.rows(made.steps_per_epoch)
    assert first.tolist() != second.tolist()


def test_a_batch_is_padded_ids_and_labels():
    made = batches()
    inputs, labels = made.batch(3)
    rows = made.rows(3)
    np.testing.assert_array_equal(labels, rows % 3)
    assert labels.dtype == np.int32
    for name, sentences in (("premise", rows), ("hypothesis", rows + N)):
        ids = inputs[name]
        assert ids.shape[1] % 4 == 0
        np.testing.assert_array_equal(ids[:, 0], sentences + 2)
        np.testing.assert_array_equal(
            (ids > 0).sum(1), made.sentences.lengths[sentences]
        )


def padding(made):
    shares = []
    for step in range(made.steps_per_epoch):
        inputs, _ = made.batch(step)
        shares += [(ids == 0).sum() / ids.size for ids in inputs.values()]
    return np.mean(shares)


def test_windows_save_padding():
    many = {"n": 1009}
    assert padding(batches(window=50, **many)) < 0.85 * padding(
        batches(window=1, **many)
    )


@pytest.mark.parametrize("n", [1, BATCH, BATCH + 1])
def test_small_corpora_make_batches(n):
    made = batches(n=n)
    assert sum(len(made.rows(s)) for s in range(made.steps_per_epoch)) == n


def test_sentences_by_length_come_once_each():
    sentences = Sentences.from_lists([[2] * n for n in (5, 1, 9, 3, 4)])
    made = list(batches_by_length(sentences, 2))
    assert np.concatenate([which for which, _ in made]).tolist() == [1, 3, 4, 0, 2]
    assert [ids.shape for _, ids in made] == [(2, 4), (2, 8), (1, 12)]
