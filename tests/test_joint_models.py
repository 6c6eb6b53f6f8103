"""Joint models from a YAML file to predictions, on small corpora."""

import types

import keras
import numpy as np
import pytest

import dsa
from dsa.callbacks import HalveAndReload
from dsa.data.sentences import Sentences
from dsa.run_folder import RunFolder
from tests.layer_checks import numpy_of
from tests.runs import write_experiment
from tests.stopped_runs import (
    KILLED,
    assert_equal_ends,
    history_of,
    train,
)

MODEL = {"name": "aesim", "units": 4, "dropout": 0.2}


def without_other_settings(config):
    """The small experiment's model has DSA's settings as well."""
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


def test_logits_are_those_of_the_model_in_any_order(joint):
    trained = dsa.load(joint)
    random = np.random.default_rng(0)
    lists = [random.integers(1, 20, n).tolist() for n in (3, 9, 1, 5, 30, 2)]
    sentences = Sentences.from_lists(lists)
    texts = random.integers(0, 6, (300, 2))
    found = trained.inference.logits(sentences, texts)
    for row in (0, 7, 299):
        ids = (np.array([lists[text]], np.int32) for text in texts[row])
        pair = dict(zip(trained.model.sentences, ids, strict=True))
        expected = numpy_of(trained.model(pair))[0]
        np.testing.assert_allclose(found[row], expected, rtol=1e-4, atol=1e-5)


def test_pairs_are_evaluated_and_predicted(joint):
    (entry,) = RunFolder(joint).metrics()
    assert entry["count"] == 11
    pairs = [("A man sleeps.", "Nobody sleeps."), ("A dog.", "A cat eats.")]
    predictions = dsa.load(joint).predict(pairs)
    assert [len(each.probabilities) for each in predictions] == [3, 3]


def test_sentence_vectors_are_refused_with_the_models_that_have_them(
    scripts, joint, tmp_path, capsys
):
    (tmp_path / "a.txt").write_text("A man sleeps.\n")
    arguments = ["--file", str(tmp_path / "a.txt"), "--out", str(tmp_path / "v.npy")]
    assert scripts.encode.main([str(joint), *arguments]) == 2
    message = capsys.readouterr().err
    assert "'aesim' is a joint model" in message
    assert "Models that encode: dsa, disan" in message
    assert scripts.visualize_attention.main([str(joint), "--sentence", "A man."]) == 2
    assert "is a joint model" in capsys.readouterr().err


def test_the_alignment_is_drawn(scripts, joint, tmp_path):
    arguments = ["--pair", "A man sleeps.", "Nobody sleeps.", "--out", str(tmp_path)]
    assert scripts.visualize_attention.main([str(joint), *arguments]) == 0
    assert {path.name for path in tmp_path.glob("*.png")} == {
        f"{sentence}_{figure}.png"
        for sentence in ("premise", "hypothesis")
        for figure in ("alignment", "words")
    }
    arrays = np.load(tmp_path / "case_study.npz")
    assert arrays["1/premise/alignment"].shape == (4, 3)


class Weights:
    """A model that holds one number as its weights."""

    def __init__(self, rate):
        self.optimizer = types.SimpleNamespace(learning_rate=rate)
        self.stop_training = False
        self.loaded = []

    def load_weights(self, path):
        self.loaded.append(path)


def test_each_evaluation_without_a_rise_halves_and_reloads_and_the_last_one_stops():
    callback = HalveAndReload("accuracy", 2, types.SimpleNamespace(weights="best"))
    model = Weights(keras.ops.convert_to_tensor(0.8))
    callback.set_model(model)
    rates, stopped = [], []
    for accuracy in (0.5, 0.5, 0.6, None, 0.4, 0.5):
        callback.on_epoch_end(0, {"val_accuracy": accuracy})
        rates.append(float(model.optimizer.learning_rate))
        stopped.append(model.stop_training)
    assert rates == pytest.approx([0.8, 0.4, 0.4, 0.4, 0.2, 0.2])
    assert model.loaded == ["best", "best"]
    assert stopped == [False] * 5 + [True]


def test_a_run_that_goes_back_to_its_best_weights_is_resumed_bit_by_bit(tmp_path):
    schedule = {"name": "halve_and_reload", "halvings": 3}
    training = {"evaluate_every": 3, "epochs": 3, "schedule": schedule}
    training["learning_rate"] = 1e-5  # dev accuracy stays what it was
    config = without_other_settings(write_experiment(tmp_path, training=training))
    whole, stopped = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "stopped")
    assert train("never", "-", config, whole.path)[0] == 0
    rates = [float(row["learning_rate"]) for row in history_of(whole)]
    assert rates[-1] == pytest.approx(1e-5 / 2**3)  # it went back three times,
    assert len(rates) < 8  # then stopped
    for step in (7, 4):
        assert train("kill-step", step, config, stopped.path, "--resume")[0] == KILLED
    assert train("never", "-", config, stopped.path, "--resume")[0] == 0
    assert_equal_ends(whole, stopped)
