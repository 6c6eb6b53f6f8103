"""Trainings that start from the weights of another run, from config to run folder."""

import csv
import json
import shutil

import keras
import numpy as np
import pytest

import dsa
from dsa.commands.train import main
from dsa.errors import InputError
from dsa.system.arrays import read_arrays
from tests.support.layer_checks import numpy_of
from tests.support.runs import SMALL_MODEL, write_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too

COLUMNS = {"premise": "p", "hypothesis": "h", "label": "l"}
OWN = {"corpus": "own", "columns": COLUMNS, "train": "train.csv", "dev": "dev.csv"}


class Start(keras.callbacks.Callback):
    """Keeps the model's weights before the first step."""

    def on_train_begin(self, logs=None):
        self.weights = [numpy_of(weight) for weight in self.model.weights]
        self.vectors = self.model.embedding.vectors()
        self.encoder = [numpy_of(weight) for weight in self.model.encoder.weights]


class Kill(keras.callbacks.Callback):
    """Ends a training after its first evaluation, as a kill of the process does."""

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 1:
            raise RuntimeError("killed")


@pytest.fixture
def config(tmp_path):
    """A config of pairs with two labels and the new words `zebra` and `yak`."""
    for name, count in (("train", 24), ("dev", 10)):
        rows = [
            (f"a man {name} {row}", f"the {'dog' if row % 2 else 'zebra yak'}", row % 2)
            for row in range(count)
        ]
        with open(tmp_path / f"{name}.csv", "w") as file:
            csv.writer(file).writerows([("p", "h", "l"), *rows])
    data = {**OWN, "labels": ["0", "1"], "test": None}
    return write_experiment(tmp_path, model=SMALL_MODEL, data=data)


@pytest.fixture(scope="module")
def trained_source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    config = write_experiment(folder, model=SMALL_MODEL)
    return dsa.train(config, folder / "run", data_root=folder)


@pytest.fixture
def source(trained_source, tmp_path):
    shutil.copytree(trained_source, tmp_path / "source")
    return tmp_path / "source"


def train(config, name, source=None, callbacks=(), **overrides):
    folder = config.parent
    if source is not None:
        overrides["training.start_from"] = str(source)
    return dsa.train(
        config, folder / name, overrides, data_root=folder, callbacks=callbacks
    )


def test_a_training_with_new_words_and_labels_starts_at_the_weights_of_its_source(
    config, source
):
    (config.parent / "vectors.txt").write_text("zebra 1 2 3 4 5 6 7 8\n")
    start, embedding = Start(), {"embedding.path": "vectors.txt"}
    run = train(config, "run", source, [start], **embedding)
    trained, tuned = dsa.load(source), dsa.load(run)
    expected = [numpy_of(weight) for weight in trained.model.encoder.weights]
    for weight, other in zip(start.encoder, expected, strict=True):
        np.testing.assert_array_equal(weight, other)
    known = len(trained.vocabulary)
    assert tuned.vocabulary.words == [*trained.vocabulary.words, "zebra"]
    np.testing.assert_array_equal(
        start.vectors[:known], trained.model.embedding.vectors()
    )
    np.testing.assert_array_equal(start.vectors[known], np.arange(1.0, 9.0))
    facts = json.loads((run / "environment.json").read_text())["start_from"]
    sha256 = json.loads((source / "sha256.json").read_text())["sha256"]
    assert facts["sha256"] == sha256["best.weights.h5"]
    assert {path.split("/")[1] for path in facts["copied"]} == {"encoder"}
    assert {path.split("/")[1] for path in facts["new"]} == {"hidden", "logits"}
    log = (run / "log.txt").read_text()
    assert f"started from {source} (SHA-256 {facts['sha256'][:12]})" in log
    assert "1 new words" in log


def test_a_run_resumes_bit_for_bit_without_its_source(config, source):
    overrides = {"training.frozen": ["embedding"], "training.epochs": 3}
    whole = train(config, "whole", source, **overrides)
    with pytest.raises(RuntimeError, match="killed"):
        train(config, "killed", source, [Kill()], **overrides)
    facts = json.loads((config.parent / "killed/environment.json").read_text())
    shutil.rmtree(source)
    resumed = train(config, "killed", source, **overrides)
    arrays, record = read_arrays(whole / "state/state.npz", "state")
    other_arrays, other = read_arrays(resumed / "state/state.npz", "state")
    assert arrays.keys() == other_arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, other_arrays[name], err_msg=name)
    assert other["step"] == record["step"]
    assert (
        json.loads((resumed / "environment.json").read_text())["start_from"]
        == facts["start_from"]
    )


def test_frozen_parts_keep_the_weights_of_the_source(config, source):
    run = train(config, "run", source, **{"training.frozen": ["embedding", "encoder"]})
    trained, tuned = dsa.load(source), dsa.load(run)
    texts = ["a man", "the dog"]
    np.testing.assert_array_equal(trained.encode(texts), tuned.encode(texts))
    parameters = json.loads((run / "environment.json").read_text())["parameters"]
    classifier = [*tuned.model.hidden.weights, *tuned.model.logits.weights]
    sizes = [int(np.prod(weight.shape)) for weight in classifier]
    assert parameters["trainable_without_embeddings"] == sum(sizes)
    assert parameters["embeddings_trained"] is False


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("missing/run", "no such run folder"),
        ("mini", "has 'model.name: dsa', but the config has 'model.name: swem'"),
    ],
)
def test_an_unusable_source_is_an_error_before_data_is_read(config, source, message):
    (config.parent / "train.csv").write_text('"no valid file\n')
    with pytest.raises(InputError, match=f"'training.start_from': .*{message}"):
        train(config, "run", source)
    assert not (config.parent / "run" / "config.yaml").exists()


def test_more_epochs_of_a_finished_run_explain_start_from(finished, capsys):
    arguments = [str(finished / "small.yaml"), "--data-root", str(finished), "--resume"]
    run = finished / "run"
    more = ["--run", str(run), "--set", "training.epochs=9"]
    assert main([*arguments, *more]) == 2
    error = capsys.readouterr().err
    assert "Changed: training.epochs. The run has finished. To continue" in error
    assert f"another run with 'training.start_from: {run}'" in error
