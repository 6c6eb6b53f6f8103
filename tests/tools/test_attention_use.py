"""The use of attention by a small ABCNN-3."""

import csv

import numpy as np
import pytest

import dsa
from dsa.evaluation.splits import find_split
from dsa.runs.run_folder import RunFolder
from tests.support.runs import VECTORS, write_experiment
from tools.attention_use import main, measure_run, measure_variation


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a corpus and a run of ABCNN-3."""
    folder = tmp_path_factory.mktemp("attention")
    (folder / "vectors.txt").write_text(VECTORS)
    config = write_experiment(
        folder,
        model={"name": "abcnn3", "convolutions": 1, "filters": 3, "width": 2},
        embedding={"path": "vectors.txt", "units": 4, "trainable": False},
        tokenizer={"max_tokens": 6},
    )
    dsa.train(config, folder / "runs/own/abcnn3/seed-3", data_root=folder)
    return folder


def test_a_line_per_run(folder, tmp_path, capsys):
    out = tmp_path / "attention.csv"
    arguments = [str(folder / "runs"), "--data-root", str(folder), "--out", str(out)]
    assert main(arguments) == 0
    with open(out) as file:
        (line,) = csv.DictReader(file)
    assert [line[key] for key in ("corpus", "model", "run")] == [
        *("own", "abcnn3", "seed-3")
    ]
    (entry,) = RunFolder(
        folder / "runs/own/abcnn3/seed-3"
    ).metrics()  # nothing is recorded
    assert float(line["attended"]) == pytest.approx(entry["accuracy"], abs=1e-6)
    assert float(line["variation"]) > 0
    assert line["uniform_pooling"] and line["without_maps"]
    assert line["run"] in capsys.readouterr().out


def test_equal_columns_have_uniform_weights(folder):
    trained = dsa.load(folder / "runs/own/abcnn3/seed-3")
    (block,) = trained.model.all_blocks
    kernel = block.convolution.convolution.kernel
    kernel.assign(np.zeros(kernel.shape))
    prepared = find_split(trained, folder, "dev").prepared
    assert measure_variation(trained, prepared) == pytest.approx(0, abs=1e-6)


def test_zero_maps_and_uniform_weights_are_evaluated(folder, monkeypatch):
    blocks = []

    def record(trained, rows):
        (block,) = trained.model.all_blocks
        is_zero = not np.asarray(block.feature_map.map).any()
        blocks.append((block.attends_pooling, is_zero))
        return {"accuracy": 0.5}, None

    monkeypatch.setattr("dsa.evaluation.evaluate.evaluate_split", record)
    line = measure_run(RunFolder(folder / "runs/own/abcnn3/seed-3"), folder)
    assert blocks == [(True, False), (False, False), (True, True)]
    assert line["uniform_pooling"] == line["without_maps"] == "0.500000"


def test_a_folder_without_an_abcnn_is_an_error(tmp_path):
    arguments = [str(tmp_path), "--data-root", ".", "--out", str(tmp_path / "a.csv")]
    assert main(arguments) == 2
    assert not (tmp_path / "a.csv").exists()
