"""Steps: how they are counted, and several of them in one program."""

import csv
import itertools

import keras
import numpy as np
import pytest

from dsa import evaluate, train
from dsa.data.batching.training_batches import fill_to_batch_size
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.training.compiled_model import compiled_model
from dsa.training.steps import Steps
from tests.data.batching.test_training_batches import BATCH, batches
from tests.support.runs import NO_DROPOUT, write_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too

JAX = keras.backend.backend() == "jax"


def test_calls_end_at_evaluations_and_at_the_end():
    steps = Steps(interval=5, last=13, at_once=2)
    assert (steps.intervals, steps.calls) == (3, 3)
    taken = [list(each) for each in itertools.islice(steps.ranges(0), 8)]
    assert taken == [[0, 1], [2, 3], [4], [5, 6], [7, 8], [9], [10, 11], [12]]
    ends = [steps.end_of(n, call) for n in range(3) for call in range(3)]
    assert ends == [2, 4, 5, 7, 9, 10, 12, 13, 13]
    assert list(next(steps.ranges(5))) == [5, 6]
    assert [list(each) for each in itertools.islice(Steps(2, 3).ranges(0), 3)] == [
        *([0], [1], [2])
    ]


def test_a_filled_batch_weighs_as_its_real_rows():
    batch = {"premise": np.array([[1, 2], [3, 4], [5, 0]])}, np.array([2, 0, 1])
    inputs, labels, weights = fill_to_batch_size(batch, 4)
    assert inputs["premise"].tolist() == [[1, 2], [3, 4], [5, 0], [1, 2]]
    assert labels.tolist() == [2, 0, 1, 2]
    assert weights.tolist() == pytest.approx([4 / 3, 4 / 3, 4 / 3, 0])
    loss = keras.losses.MeanSquaredError()  # the mean over all four rows
    found = loss(np.zeros((4, 1)), np.array([[1], [2], [3], [9]]), weights)
    assert float(found) == pytest.approx((1 + 4 + 9) / 3)


def test_batches_of_one_shape_follow_each_other():
    made = batches(n=1009, shapes=4, at_once=3)
    rows = [made.find_rows(step).tolist() for step in range(made.steps_per_epoch)]
    assert sorted(sum(rows, [])) == list(range(1009))
    whole = len(rows) // 3 * 3 - 4 * 3  # what is left over of each shape comes last
    shapes = [
        tuple(ids.shape for ids in made.make_batch(step)[0].values())
        for step in range(whole)
    ]
    windows = [shapes[i : i + 3] for i in range(0, whole, 3)]
    assert all(len(set(window)) == 1 for window in windows)
    assert len({window[0] for window in windows}) == 4
    assert shapes != sorted(shapes)


def test_batches_are_in_no_order_of_shapes_where_few_are_alike():
    made = batches(n=1009, shapes=8, at_once=1000)
    for epoch in range(2):
        sizes = [
            made.make_batch(step)[0]["premise"].shape[1]
            for step in range(epoch * 127, epoch * 127 + 126)
        ]
        assert sizes != sorted(sizes)


def shape_of(inputs):
    return [ids.shape[-1] for ids in inputs.values()]


def test_stacked_batches_are_the_batches():
    made = batches(n=1009, shapes=4, at_once=3)
    largest = made.shapes[-1].tolist()
    small = next(
        step for step in range(9) if shape_of(made.make_batch(step)[0]) != largest
    )
    assert shape_of(made.stack_batches([small])[0]) == largest
    last = made.steps_per_epoch - 1  # of one row
    inputs, labels, weights = made.stack_batches([0, 1, last])
    for place, step in enumerate([0, 1, last]):
        single, expected = made.make_batch(step)
        count = len(expected)
        np.testing.assert_array_equal(labels[place, :count], expected)
        assert weights[place].sum() == pytest.approx(BATCH)
        assert (weights[place] > 0).sum() == count
        for name, ids in single.items():
            found = inputs[name][place, :count]
            shared = min(found.shape[1], ids.shape[1])
            np.testing.assert_array_equal(found[:, :shared], ids[:, :shared])
            assert not found[:, shared:].any() and not ids[:, shared:].any()


@pytest.mark.skipif(not JAX, reason="the scan is JAX's")
def test_steps_in_one_program_are_single_steps(tmp_path):
    config = write_experiment(
        tmp_path, model=NO_DROPOUT, training={"steps_at_once": 3, "clip_norm": 0.1}
    )
    made = batches(n=41, shapes=2, at_once=3)  # a last batch of one row
    experiment = load_experiment(config)

    def trained(data, steps):
        keras.utils.set_random_seed(0)
        model = compiled_model(experiment, 100)
        history = model.fit(
            (each for each in data), steps_per_epoch=steps, shuffle=False, verbose=0
        )
        variables = [*model.variables, *model.optimizer.variables]
        return history.history, [np.array(each) for each in variables]

    count = made.steps_per_epoch
    singles = [
        fill_to_batch_size(made.make_batch(step), BATCH) for step in range(count)
    ]
    expected, one_by_one = trained(singles, count)
    windows = [made.stack_batches(range(i, i + 3)) for i in range(0, count, 3)]
    found, at_once = trained(windows, count // 3)
    assert count == 6 and found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, abs=1e-5), name
    for one, other in zip(one_by_one, at_once, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-5)


@pytest.mark.skipif(not JAX, reason="the scan is JAX's")
def test_a_training_with_steps_at_once_is_evaluated_when_it_says(tmp_path, scripts):
    training = {"steps_at_once": 3, "evaluate_every": 5, "steps": 13, "shapes": 2}
    config = write_experiment(tmp_path, training=training)
    run = tmp_path / "run"
    arguments = [str(config), "--data-root", str(tmp_path), "--run", str(run)]
    assert scripts.train.main(arguments) == 0
    with open(run / "history.csv", newline="") as file:
        history = list(csv.DictReader(file))
    assert [row["step"] for row in history] == ["5", "10", "13"]
    assert float(history[-1]["loss"]) < float(history[0]["loss"])


@pytest.mark.skipif(not JAX, reason="the scan is JAX's")
def test_steps_at_once_of_a_model_with_features_of_the_pair(tmp_path):
    config = write_experiment(
        tmp_path,
        model={"name": "bcnn", "filters": 3, "width": 2, "final_classifier": "network"},
        features={"names": ["lengths"]},
        training={"steps_at_once": 3, "shapes": 2},
    )
    run = train(config, tmp_path / "run", data_root=tmp_path)
    assert evaluate(run, "test", data_root=tmp_path)["count"] > 0


def test_steps_at_once_are_for_one_device(tmp_path):
    training = {"steps_at_once": 3, "devices": "all"}
    config = write_experiment(tmp_path, training=training)
    with pytest.raises(InputError, match="is for 'devices: one'"):
        load_experiment(config)


@pytest.mark.skipif(JAX, reason="JAX scans")
def test_other_backends_take_one_step_at_once(tmp_path, scripts, capsys):
    config = write_experiment(tmp_path, training={"steps_at_once": 3})
    (tmp_path / "train.jsonl").write_text("no row")  # said before any data is read
    arguments = [str(config), "--data-root", str(tmp_path), "--run"]
    assert scripts.train.main([*arguments, str(tmp_path / "run")]) == 2
    assert "needs the JAX backend" in capsys.readouterr().err
