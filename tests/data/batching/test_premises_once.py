"""Batches that contain every distinct premise once."""

import keras
import numpy as np
import pytest

from dsa.data.batching.training_batches import TrainingBatches, TrainingRows
from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.tasks.task import PAIR, PREMISE_POSITIONS
from tests.support.ci_cases import first_on_jax
from tests.support.compiled_models import compiled_model
from tests.support.padding import measure_padding
from tests.support.runs import write_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too

BATCH = 12


def batches(premises=200, seed=5, most=4, batch_size=BATCH, **settings):
    """Pairs of premises with one to `most` hypotheses, of random lengths; a longer
    hypothesis has a higher label."""
    random = np.random.default_rng(0)
    counts = random.integers(1, most + 1, premises)
    lengths = random.integers(1, 30, premises + counts.sum())
    sentences = Sentences.from_lists(
        [[int(number) % 90 + 2] * length for number, length in enumerate(lengths)]
    )
    first = np.repeat(np.arange(premises), counts)
    second = premises + np.arange(counts.sum())
    labels = np.searchsorted([10, 20], lengths[premises:])
    order = random.permutation(len(first))
    texts = np.stack([first, second], axis=1)[order]
    rows = TrainingRows(ModelRows(sentences, texts, PAIR), labels[order])
    settings = {"premises_once": True, **settings}
    return TrainingBatches(rows, batch_size, seed, **settings)


def batches_of_an_epoch(made):
    return [made.get_batch_rows(step) for step in range(made.steps_per_epoch)]


@pytest.mark.parametrize("by_length", [True, False])
def test_an_epoch_contains_every_pair_once_and_repeats_few_premises(by_length):
    made = batches(by_length=by_length)
    rows = batches_of_an_epoch(made)
    count = len(made.labels)
    assert sorted(np.concatenate(rows).tolist()) == list(range(count))
    assert {len(each) for each in rows[:-1]} == {BATCH}
    premises = made.rows.sentence_indices[:, 0]
    in_batches = sum(len(np.unique(premises[each])) for each in rows)
    # those of the last batch are drawn, and the end of a batch can cut a premise's
    assert in_batches - len(np.unique(premises)) <= len(rows) + BATCH
    shared = sum(
        len(np.unique(premises[each]))
        for each in batches_of_an_epoch(batches(premises_once=False))
    )
    assert in_batches < 0.6 * shared


def test_a_batch_contains_each_premise_once_and_its_positions():
    made, each = batches(), batches(premises_once=False)
    inputs, labels = made.make_batch(3)
    rows = made.get_batch_rows(3)
    ordinary = each.rows.pad(rows, each.rows.lengths[rows].max(axis=0))
    np.testing.assert_array_equal(labels, each.labels[rows])
    np.testing.assert_array_equal(inputs["hypothesis"], ordinary["hypothesis"])
    positions = inputs[PREMISE_POSITIONS]
    assert positions.dtype == np.int32
    np.testing.assert_array_equal(inputs["premise"][positions], ordinary["premise"])
    assert (
        len(inputs["premise"])
        == len(np.unique(made.rows.sentence_indices[rows, 0]))
        < BATCH
    )


def test_a_batch_depends_on_seed_and_step_alone():
    made, steps = batches(), range(90)
    in_order = [made.get_batch_rows(step).tolist() for step in steps]
    assert in_order == [batches().get_batch_rows(step).tolist() for step in steps]
    assert in_order != [batches(seed=6).get_batch_rows(step).tolist() for step in steps]
    assert in_order[0] != in_order[made.steps_per_epoch]


def test_pairs_of_similar_length_are_batched_together():
    many = {"premises": 9000, "most": 2, "batch_size": 60}
    assert measure_padding(batches(**many)) < 0.8 * measure_padding(
        batches(**many, by_length=False)
    )


def test_no_batch_has_a_label_too_often_though_length_carries_it():
    def deviation(**settings):
        made = batches(premises=6000, most=2, batch_size=60, **settings)
        rows = np.stack(batches_of_an_epoch(made)[:-1])
        shares = np.mean(made.labels[rows][..., None] == np.arange(3), axis=1)
        return np.std(shares - shares.mean(axis=0))

    assert deviation() < 0.6 * deviation(by_length=False)


@pytest.mark.parametrize("shapes", [2, 6])
def test_all_batches_of_all_epochs_have_few_shapes(shapes):
    made = batches(premises=600, max_shapes=shapes)
    found = set()
    for step in range(5 * made.steps_per_epoch):
        inputs, _ = made.make_batch(step)
        found.add(tuple(ids.shape for ids in inputs.values()))
        assert inputs[PREMISE_POSITIONS].max() < len(inputs["premise"])
    assert shapes - 1 <= len(found) <= shapes


@pytest.mark.parametrize("premises", [1, 3, 8])
def test_small_corpora_make_batches(premises):
    made = batches(premises=premises, max_shapes=3)
    assert sum(map(len, batches_of_an_epoch(made))) == len(made.labels)
    assert len(made.make_batch(0)[0]["hypothesis"]) <= BATCH


NO_DROPOUT = {
    "name": "dsa",
    "units": 8,
    "heads": 2,
    "dropout": 0.0,
    "classifier": {"units": 7, "dropout": 0.0},
}


@pytest.mark.parametrize("shapes", first_on_jax([4, None]))
def test_loss_and_gradients_are_those_of_repeated_premises(tmp_path, shapes):
    training = {"optimizer": {"name": "sgd"}, "learning_rate": 1.0}
    config = write_experiment(tmp_path, model=NO_DROPOUT, training=training)
    experiment = load_experiment(config)
    made = batches(max_shapes=shapes)
    rows = made.get_batch_rows(2)
    once = made.make_batch(2)
    each = made.rows.pad(rows, made.rows.lengths[rows].max(axis=0)), made.labels[rows]

    def trained(batch):
        keras.utils.set_random_seed(0)
        model = compiled_model(experiment, 100)
        table = np.random.default_rng(1).normal(size=(100, model.embedding.units))
        model.embedding.set_vectors(table.astype(np.float32))
        before = [np.array(each) for each in model.trainable_variables]
        loss = model.train_on_batch(*batch)
        after = [np.array(each) for each in model.trainable_variables]
        return loss, [b - a for b, a in zip(before, after, strict=True)]

    (loss, gradients), (same_loss, same) = trained(once), trained(each)
    np.testing.assert_allclose(loss, same_loss, rtol=1e-5)
    assert np.mean([np.abs(gradient).max() > 1e-4 for gradient in gradients]) > 0.7
    for one, other in zip(gradients, same, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"model": {"name": "esim"}},
            "'training.premises_once' requires an encoder of sentence pairs. Received: "
            "'model.name: esim', 'data.corpus: snli'",
        ),
        (
            {"model": {"name": "self_attentive"}},
            "'model.penalty' counts every sentence of a batch",
        ),
        ({"training": {"devices": "all"}}, "'training.premises_once' requires"),
    ],
)
def test_incompatible_settings_raise_an_error(tmp_path, changes, message):
    training = {"premises_once": True, **changes.pop("training", {})}
    config = write_experiment(tmp_path, training=training, **changes)
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        load_experiment(config)
