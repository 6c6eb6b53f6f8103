"""A small ABCNN-3 without its attention."""

import csv
import itertools
import shutil

import keras
import numpy as np
import pytest
import yaml

import dsa
from dsa.evaluation.evaluate import evaluate_split
from dsa.evaluation.splits import find_split
from dsa.runs.run_files import write_record
from dsa.runs.run_folder import RunFolder
from tests.support.runs import VECTORS, write_experiment
from tools.attention_use import (
    main,
    measure_run,
    measure_variation,
    use_mean_scores,
    use_uniform_pooling,
)

RUN = "runs/own/abcnn3/seed-3"


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
    dsa.train(config, folder / RUN, data_root=folder)
    return folder


def rename_model(run, name):
    """Replaces ABCNN-3 in the config of a run by a model with attention removed."""
    config = yaml.safe_load((run / "config.yaml").read_text())
    config["model"]["name"] = name
    del config["model"]["all_ap"], config["model"]["attention_scale"]  # of the pooling
    (run / "config.yaml").write_text(yaml.safe_dump(config))
    write_record(run)


def test_a_line_per_run(folder, tmp_path, capsys):
    out = tmp_path / "attention.csv"
    arguments = [str(folder / "runs"), "--data-root", str(folder), "--out", str(out)]
    assert main(arguments) == 0
    with open(out) as file:
        (line,) = csv.DictReader(file)
    assert [line[key] for key in ("vectors", "corpus", "model", "run")] == [
        *("vectors.txt", "own", "abcnn3", "seed-3")
    ]
    (entry,) = RunFolder(folder / RUN).metrics()  # nothing is recorded
    assert float(line["attended"]) == pytest.approx(entry["accuracy"], abs=1e-6)
    assert float(line["variation"]) > 0
    assert all(line.values())
    assert line["run"] in capsys.readouterr().out


def test_equal_columns_have_uniform_weights(folder):
    trained = dsa.load(folder / RUN)
    (block,) = trained.model.all_blocks
    kernel = block.convolution.convolution.kernel
    kernel.assign(np.zeros(kernel.shape))
    prepared = find_split(trained, folder, "dev").prepared
    assert measure_variation(trained, prepared) == pytest.approx(0, abs=1e-6)


def test_each_change_is_evaluated_and_alters_the_logits(folder, monkeypatch):
    all_logits = []

    def record(trained, rows):
        entry, logits = evaluate_split(trained, rows)
        all_logits.append(logits)
        return entry, logits

    monkeypatch.setattr("dsa.evaluation.evaluate.evaluate_split", record)
    measure_run(RunFolder(folder / RUN), folder)
    assert len(all_logits) == 4  # as trained, and three changes
    for logits, other in itertools.combinations(all_logits, 2):
        assert np.abs(logits - other).max() > 1e-6


def test_abcnn3_with_uniform_pooling_is_abcnn1(folder, tmp_path):
    run = shutil.copytree(folder / RUN, tmp_path / "run")
    rename_model(run, "abcnn1")
    changed = dsa.load(folder / RUN)
    (block,) = changed.model.all_blocks
    use_uniform_pooling(block)
    pair = ("A dog runs.", "A big dog sleeps.")
    expected, answer = (
        model.predict([pair])[0].probabilities for model in (dsa.load(run), changed)
    )
    assert answer == pytest.approx(expected, abs=1e-6)


def test_feature_maps_of_mean_scores(folder):
    trained = dsa.load(folder / RUN)
    (block,) = trained.model.all_blocks
    use_mean_scores(block)
    scores = np.array([[[0.2, 0.4, 0], [0.9, 0.5, 0]]], np.float32)  # one padded token
    first, second = (keras.ops.convert_to_numpy(m) for m in block.feature_map(scores))
    kernel = keras.ops.convert_to_numpy(block.feature_map.map)
    row = 0.5 * (kernel[0] + kernel[1])  # the mean of the scores is 0.5
    np.testing.assert_allclose(first[0], [row, row], atol=1e-6)
    np.testing.assert_allclose(second[0], [row, row, 0 * row], atol=1e-6)


def test_abcnn1_has_no_attention_in_the_pooling(folder, tmp_path):
    run = shutil.copytree(folder / RUN, tmp_path / "run")
    rename_model(run, "abcnn1")
    line = measure_run(RunFolder(run), folder)
    assert line["mean_scores"] and not line["uniform_pooling"]


def test_a_folder_without_an_abcnn_is_an_error(tmp_path, capsys):
    arguments = [str(tmp_path), "--data-root", ".", "--out", str(tmp_path / "a.csv")]
    assert main(arguments) == 2
    assert "no finished run of a BCNN or ABCNN" in capsys.readouterr().err
    assert not (tmp_path / "a.csv").exists()


def test_stages_are_skipped_and_other_layouts_are_errors(folder, tmp_path, capsys):
    run = shutil.copytree(folder / RUN, tmp_path / "own/abcnn3/seed-3")
    shutil.copytree(folder / RUN, run / "first")
    out = tmp_path / "attention.csv"
    arguments = ["--data-root", str(folder), "--out", str(out)]
    assert main([str(tmp_path), *arguments]) == 0
    assert len(out.read_text().splitlines()) == 2
    capsys.readouterr()
    assert main([str(tmp_path / "own"), *arguments]) == 2
    assert "Received: abcnn3/seed-3" in capsys.readouterr().err
