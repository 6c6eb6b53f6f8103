"""A run folder that version 0.1.0 wrote, before modules moved, works as it did.

`tests/support/run_of_0_1_0/` was made at commit 872d30b on TensorFlow by
`scripts/train.py small.yaml` and `scripts/evaluate.py run --split test`.
"""

import json
import pathlib
import shutil

import keras
import pytest

import dsa
from dsa.runs.run_folder import RunFolder

pytestmark = pytest.mark.keras
FOLDER = pathlib.Path(__file__).parents[1] / "support" / "run_of_0_1_0"


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(FOLDER, tmp_path / "earlier")


def test_it_predicts_the_same(folder):
    rows = json.loads((folder / "predictions.json").read_text())
    predictions = dsa.load(folder / "run").predict([pair for pair, _ in rows])
    for prediction, (_, expected) in zip(predictions, rows, strict=True):
        assert prediction.label == expected[0]
        assert prediction.probabilities == pytest.approx(expected[1], abs=1e-5)


def test_it_is_evaluated_the_same(folder):
    dev, test = RunFolder(folder / "run").metrics()
    for entry in (dev, test):
        again = dsa.evaluate(folder / "run", entry["split"], data_root=folder)
        assert again["accuracy"] == entry["accuracy"]
        assert again["loss"] == pytest.approx(entry["loss"], abs=1e-5)
        assert again["confusion"] == entry["confusion"]
        assert again["sha256"] == entry["sha256"]
        assert {*entry} <= {*again}


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="TensorFlow's state",
)
def test_it_is_finished_and_its_state_is_read(folder):
    weights = (folder / "run" / "best.weights.h5").read_bytes()
    dsa.train(folder / "small.yaml", folder / "run", data_root=folder)
    assert (folder / "run" / "best.weights.h5").read_bytes() == weights
    assert len(RunFolder(folder / "run").metrics()) == 3
