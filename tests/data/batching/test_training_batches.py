import numpy as np
import pytest

from dsa.data.batching.shapes import make_batches_by_length
from dsa.data.batching.training_batches import TrainingBatches, TrainingRows
from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.tasks.task import PAIR
from tests.support.padding import measure_padding

pytestmark = pytest.mark.keras  # run on JAX in CI too

N, BATCH = 103, 8


def batches(seed=5, n=N, **settings):
    random = np.random.default_rng(0)
    lengths = random.integers(1, 30, 2 * n)
    sentences = Sentences.from_lists(
        [[int(i) + 2] * length for i, length in enumerate(lengths)]
    )
    pairs = np.arange(2 * n).reshape(2, n)
    labels = np.arange(n) % 3
    training_rows = TrainingRows(ModelRows(sentences, pairs.T, PAIR), labels)
    return TrainingBatches(training_rows, BATCH, seed, **settings)


def test_an_epoch_contains_every_pair_once():
    made = batches()
    rows = np.concatenate([made.get_batch_rows(s) for s in range(made.steps_per_epoch)])
    assert sorted(rows.tolist()) == list(range(N))


def test_the_share_of_the_epochs_with_each_row():
    rows = batches().rows
    labels = np.zeros(N, np.int32)
    assert TrainingRows(rows, labels).shares_per_epoch.tolist() == [1.0] * N
    training_rows = TrainingRows(rows, labels, fixed_count=3, sample_size=10)
    shares = training_rows.shares_per_epoch
    assert shares[:3].tolist() == [1.0] * 3 and set(shares[3:]) == {0.1}
    assert shares.sum() == pytest.approx(training_rows.rows_per_epoch)


def test_a_batch_depends_on_seed_and_step_alone():
    made, steps = batches(), range(40)
    in_order = [made.get_batch_rows(step).tolist() for step in steps]
    fresh = [batches().get_batch_rows(step).tolist() for step in reversed(steps)]
    assert in_order == fresh[::-1]
    assert in_order != [batches(seed=6).get_batch_rows(step).tolist() for step in steps]


def test_every_epoch_has_another_order():
    made = batches()
    first, second = made.get_batch_rows(0), made.get_batch_rows(made.steps_per_epoch)
    assert first.tolist() != second.tolist()


def test_batches_of_similar_length_are_not_in_order_of_length():
    made = batches(n=1009, by_length=True)
    for epoch in range(3):
        first = epoch * made.steps_per_epoch
        rows = [made.get_batch_rows(first + step) for step in range(1009 // BATCH)]
        longest = [made.rows.lengths[batch].max() for batch in rows]
        assert abs(np.corrcoef(range(len(longest)), longest)[0, 1]) < 0.3


def test_a_batch_is_padded_ids_and_labels():
    made = batches()
    inputs, labels = made.make_batch(3)
    rows = made.get_batch_rows(3)
    np.testing.assert_array_equal(labels, rows % 3)
    assert labels.dtype == np.int32
    for name, sentences in (("premise", rows), ("hypothesis", rows + N)):
        ids = inputs[name]
        assert ids.shape[1] == made.rows.sentences.lengths[sentences].max()
        np.testing.assert_array_equal(ids[:, 0], sentences + 2)
        np.testing.assert_array_equal(
            (ids > 0).sum(1), made.rows.sentences.lengths[sentences]
        )


def test_batches_by_length_save_padding():
    many = {"n": 1009}
    assert measure_padding(batches(**many)) < 0.5 * measure_padding(
        batches(by_length=False, **many)
    )


def labelled_by_length(n=3000):
    """Labels follow the length of the hypothesis, as in SNLI but more so."""
    made = batches(n=n)
    labels = np.searchsorted([10, 20], made.rows.sentences.lengths[n:])
    training_rows = TrainingRows(made.rows, labels)
    return TrainingBatches(training_rows, 60, seed=5)


def test_no_batch_has_a_label_too_often_though_length_carries_it():
    made = labelled_by_length()
    whole = np.bincount(made.labels) / len(made.labels)
    for step in range(made.steps_per_epoch):
        share = np.bincount(made.labels[made.get_batch_rows(step)], minlength=3) / 60
        np.testing.assert_allclose(share, whole, atol=0.1)


@pytest.mark.parametrize("n", [1000, 1009])
def test_all_batches_of_all_epochs_have_few_shapes(n):
    made = batches(n=n, max_shapes=6)
    shapes = set()
    for step in range(5 * made.steps_per_epoch):
        inputs, _ = made.make_batch(step)
        shapes.add((inputs["premise"].shape, inputs["hypothesis"].shape))
    assert 3 <= len(shapes) <= 6


def test_shapes_change_padding_alone():
    exact, shaped = batches(n=1000), batches(n=1000, max_shapes=6)
    for step in range(exact.steps_per_epoch):
        assert (
            exact.get_batch_rows(step).tolist() == shaped.get_batch_rows(step).tolist()
        )
    assert (
        measure_padding(exact)
        < measure_padding(shaped)
        < measure_padding(batches(by_length=False))
    )


@pytest.mark.parametrize("n", [1, BATCH, BATCH + 1])
def test_small_corpora_make_batches(n):
    made = batches(n=n)
    assert sum(len(made.get_batch_rows(s)) for s in range(made.steps_per_epoch)) == n


def test_batches_of_sentences_by_length_have_one_size():
    sentences = Sentences.from_lists([[2] * n for n in (5, 1, 9, 3, 4)])
    made = list(make_batches_by_length(sentences, 2))
    assert np.concatenate([which for which, _ in made]).tolist() == [1, 1, 3, 4, 0, 2]
    assert [ids.shape for _, ids in made] == [(2, 2), (2, 4), (2, 9)]
    few = [ids.shape for _, ids in make_batches_by_length(sentences, 2, max_shapes=2)]
    assert few == [(2, 4), (2, 4), (2, 9)]


def test_very_long_sentences_are_batched_in_small_batches():
    sentences = Sentences.from_lists([[2] * n for n in (3, 5, 2000, 1000)])
    made = [ids.shape for _, ids in make_batches_by_length(sentences, 2)]
    assert made == [(2, 5), (1, 1000), (1, 2000)]


@pytest.mark.slow
def test_the_bundled_corpus_and_its_dev_set_need_at_most_24_programs():
    """16 shapes of training, 7 of sentences to encode, 1 of pairs to classify."""
    from dsa.data.corpora.catalogue import CORPORA
    from dsa.data.prepared.corpus import prepare
    from dsa.data.prepared.tokenizer import Tokenizer
    from dsa.experiment.config import TrainingConfig
    from dsa.inference.corpus_inference import MAX_SHAPES

    train, dev = (
        prepare(f"data/mini/{split}.jsonl.gz", CORPORA["snli"], Tokenizer())
        for split in ("train", "dev")
    )
    config = TrainingConfig()
    sentences = Sentences(train.sentences.ids + 1, train.sentences.offsets)
    made = TrainingBatches(
        TrainingRows(ModelRows(sentences, train.sentence_indices, PAIR), train.labels),
        config.batch_size,
        seed=13,
        max_shapes=config.shapes,
    )
    shapes = set()
    for step in range(2 * made.steps_per_epoch):
        inputs, _ = made.make_batch(step)
        shapes.add(tuple(inputs[side].shape for side in ("premise", "hypothesis")))
    encoded = {
        ids.shape
        for _, ids in make_batches_by_length(dev.sentences, 256, max_shapes=MAX_SHAPES)
    }
    assert 10 < len(shapes) + len(encoded) + 1 <= 24
    assert measure_padding(made) < 0.25


def test_an_epoch_has_its_own_rows_of_those_that_are_drawn():
    made = batches(n=41)
    rows = TrainingRows(made.rows, made.labels, fixed_count=30, sample_size=5)
    drawn = TrainingBatches(rows, BATCH, seed=7)
    epochs = []
    for epoch in range(20):
        steps = range(
            epoch * drawn.steps_per_epoch, (epoch + 1) * drawn.steps_per_epoch
        )
        epochs.append(
            sorted(np.concatenate([drawn.get_batch_rows(step) for step in steps]))
        )
    assert all(epoch[:30] == list(range(30)) and len(epoch) == 35 for epoch in epochs)
    assert {row for epoch in epochs for row in epoch} == set(range(41))
    again = TrainingBatches(rows, BATCH, seed=7)
    last = 20 * drawn.steps_per_epoch - 1  # resumed there, it is the same batch
    np.testing.assert_array_equal(
        again.get_batch_rows(last), drawn.get_batch_rows(last)
    )
