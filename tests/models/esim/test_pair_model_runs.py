"""Pair models from a YAML file to predictions, on small corpora."""

import keras
import numpy as np
import pytest

import dsa
from dsa.backends.compilation import CompiledCall
from dsa.backends.weight_files import save_weights
from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.tasks.task import PAIR
from dsa.training.schedules import HalveAndReload
from tests.support.layer_checks import numpy_of
from tests.support.runs import SMALL_MODEL, write_experiment
from tests.support.stopped_runs import (
    KILLED,
    assert_equal_ends,
    read_run_history,
    train,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

MODEL = {"name": "aesim", "units": 4, "dropout": 0.2}


def without_other_settings(config):
    """Replaces the small experiment's model section, which has DSA's settings."""
    import yaml

    settings = yaml.safe_load(config.read_text())
    settings["model"] = MODEL
    config.write_text(yaml.safe_dump(settings))
    return config


@pytest.fixture(scope="module")
def joint(scripts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("joint")
    config = without_other_settings(write_experiment(folder))
    arguments = [str(config), "--data-root", str(folder), "--run", str(folder / "run")]
    assert scripts.train.main(arguments) == 0
    return folder / "run"


def test_inference_returns_the_models_logits_in_the_order_of_the_rows(joint):
    trained = dsa.load(joint)
    random = np.random.default_rng(0)
    lists = [random.integers(1, 20, n).tolist() for n in (3, 9, 1, 5, 30, 2)]
    sentences = Sentences.from_lists(lists)
    texts = random.integers(0, 6, (300, 2))
    found = trained.inference.logits(ModelRows(sentences, texts, PAIR))
    for row in (0, 7, 299):
        ids = (np.array([lists[text]], np.int32) for text in texts[row])
        pair = dict(zip(trained.model.sentences, ids, strict=True))
        expected = numpy_of(trained.model(pair))[0]
        np.testing.assert_allclose(found[row], expected, rtol=1e-4, atol=1e-5)


def test_very_long_pairs_are_batched_in_small_batches(joint, monkeypatch):
    inference = dsa.load(joint).inference
    shapes = []

    def predict(model, batches, **settings):
        made = [inputs for (inputs,) in batches]
        shapes.extend(next(iter(inputs.values())).shape for inputs in made)
        return np.zeros((sum(len(i["premise"]) for i in made), 3))

    monkeypatch.setattr(
        "dsa.inference.corpus_inference.feed", lambda batches: batches()
    )
    monkeypatch.setattr(CompiledCall, "predict", predict)
    sentences = Sentences.from_lists([[2] * n for n in (3, 1000)])
    texts = np.array([[0, 0], [1, 1], [1, 1], [0, 1]])
    assert inference.logits(ModelRows(sentences, texts, PAIR)).shape == (4, 3)
    assert [rows for rows, _ in shapes] == [1, 1, 1, 1]  # 4 x 128 x 128 weights at most


@pytest.mark.slow
def test_no_pairs_have_no_logits(joint, finished):
    nothing = ModelRows(Sentences.from_lists([]), np.empty((0, 2), int), PAIR)
    for run in (joint, finished / "run"):
        assert dsa.load(run).inference.logits(nothing).shape == (0, 3)


@pytest.mark.filterwarnings("error:When providing `inputs` as a dict")
def test_pairs_are_evaluated_and_predicted(joint):
    (entry,) = RunFolder(joint).metrics()
    assert entry["count"] == 11
    pairs = [("A man sleeps.", "Nobody sleeps."), ("A dog.", "A cat eats.")]
    predictions = dsa.load(joint).predict(pairs)
    assert [len(each.probabilities) for each in predictions] == [3, 3]


def test_encoding_with_a_pair_model_raises_an_error_that_lists_the_encoders(
    scripts, joint, tmp_path, capsys
):
    (tmp_path / "a.txt").write_text("A man sleeps.\n")
    arguments = ["--file", str(tmp_path / "a.txt"), "--out", str(tmp_path / "v.npy")]
    assert scripts.encode.main([str(joint), *arguments]) == 2
    message = capsys.readouterr().err
    assert "Received: 'aesim'" in message
    assert "require a sentence encoder (dsa, disan" in message
    assert scripts.visualize_attention.main([str(joint), "--sentence", "A man."]) == 2
    assert "Received: 'aesim'" in capsys.readouterr().err


def test_the_alignment_is_drawn(scripts, joint, tmp_path):
    arguments = ["--pair", "A man sleeps.", "Nobody sleeps.", "--out", str(tmp_path)]
    arguments.append("--single")
    assert scripts.visualize_attention.main([str(joint), *arguments]) == 0
    assert {path.name for path in tmp_path.glob("*.png")} == {
        f"{sentence}_{figure}.png"
        for sentence in ("premise", "hypothesis")
        for figure in ("alignment", "words")
    }
    arrays = np.load(tmp_path / "case_study.npz")
    assert arrays["1/premise/alignment"].shape == (4, 3)


def test_each_evaluation_without_improvement_halves_and_reloads_and_the_last_stops(
    tmp_path,
):
    run = RunFolder(tmp_path)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.8), "mse", jit_compile=False)
    callback = HalveAndReload("accuracy", 2, run)
    callback.set_model(model)
    best, rates, stopped = None, [], []
    for accuracy, rises in (
        (0.5, 1),
        (0.5, 0),
        (0.6, 1),
        (None, 0),
        (0.4, 0),
        (0.5, 0),
    ):
        model.train_on_batch(np.ones((4, 2)), np.zeros((4, 1)))
        trained = numpy_of(model.weights[0]).copy()
        callback.on_epoch_end(0, {"val_accuracy": accuracy})
        if rises:  # what `Checkpoint` does
            save_weights(run.weights, model)
            best = trained
        last = accuracy == 0.5 and len(rates) == 5
        expected = trained if rises or accuracy is None or last else best
        np.testing.assert_array_equal(numpy_of(model.weights[0]), expected)
        rates.append(float(keras.ops.convert_to_numpy(model.optimizer.learning_rate)))
        stopped.append(bool(model.stop_training))
    assert rates == pytest.approx([0.8, 0.4, 0.4, 0.4, 0.2, 0.2])
    assert stopped == [False] * 5 + [True]
    assert int(keras.ops.convert_to_numpy(model.optimizer.iterations)) == 6


@pytest.mark.nightly_on_jax
@pytest.mark.slow
def test_a_run_that_reloads_its_best_weights_resumes_bit_identically(tmp_path):
    schedule = {"name": "halve_and_reload", "halvings": 3}
    training = {"evaluate_every": 3, "epochs": 3, "schedule": schedule}
    training["learning_rate"] = 1e-5  # dev accuracy stays what it was
    config = write_experiment(tmp_path, model=SMALL_MODEL, training=training)
    whole, stopped = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "stopped")
    assert train("never", "-", config, whole.path)[0] == 0
    rates = [float(row["learning_rate"]) for row in read_run_history(whole)]
    assert rates[-1] == pytest.approx(1e-5 / 2**3)  # it went back three times,
    assert len(rates) < 8 and whole.environment()["stopped"]  # then stopped
    assert is_finished(whole)
    for step in (7, 4):
        assert train("kill-step", step, config, stopped.path, "--resume")[0] == KILLED
    assert train("never", "-", config, stopped.path, "--resume")[0] == 0
    assert_equal_ends(whole, stopped, arrays=10)
