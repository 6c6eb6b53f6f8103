import csv
import json

import numpy as np
import pytest

import dsa
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder
from dsa.system.atomic_files import name_temporary
from dsa.training import network_training
from dsa.training.stage_runs import count_best_epochs
from dsa.training.steps import make_batches
from dsa.training.training_corpora import find_training_files
from dsa.training.training_data import build_training_data
from tests.support.corpora import rows, write_jsonl
from tests.support.layer_checks import numpy_of
from tests.support.runs import SMALL_MODEL, write_experiment


def train(scripts, config, *arguments):
    run = config.parent / "run"
    return scripts.train.main(
        [str(config), "--data-root", str(config.parent), "--run", str(run), *arguments]
    )


def read_run_history(run):
    with open(run / "history.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_leaves_what_the_readme_says(finished):
    names = sorted(path.name for path in (finished / "run").iterdir())
    assert names == [
        "best.weights.h5",
        "config.yaml",
        "environment.json",
        "history.csv",
        "log.txt",
        "metrics.json",
        "sha256.json",
        "state",
        "training_rows.npz",
        "vocabulary.txt",
    ]


def test_the_history_has_a_row_per_evaluation(finished):
    history = read_run_history(finished / "run")
    assert [row["step"] for row in history] == ["8", "16"]
    assert [float(row["epoch"]) for row in history] == [1, 2]
    assert float(history[1]["loss"]) < float(history[0]["loss"])
    assert {"val_loss", "val_accuracy", "learning_rate", "seconds"} <= set(history[0])


def test_the_environment_says_with_what_and_names_no_place(finished):
    text = (finished / "run" / "environment.json").read_text()
    environment = json.loads(text)
    assert environment["pairs"] == {"train": 30, "dev": 11}
    assert environment["parameters"]["embeddings_trained"] is True
    assert environment["steps"] == 16
    assert environment["peak_memory_bytes"] > 1e8
    assert environment["seconds_per_epoch"] > 0
    assert len(environment["sha256"]["train"]) == 64
    assert str(finished) not in text
    assert environment["command"].startswith("dsa train ")


def test_the_selected_weights_are_those_of_the_best_dev_evaluation(finished):
    history = read_run_history(finished / "run")
    (dev,) = RunFolder(finished / "run").metrics()
    best = max(float(row["val_accuracy"]) for row in history)
    assert dev["accuracy"] == pytest.approx(best, abs=1e-6)
    assert dev["split"] == "dev" and dev["count"] == 11


def test_a_run_is_never_overwritten(scripts, finished, capsys):
    before = (finished / "run" / "history.csv").read_text()
    assert train(scripts, finished / "small.yaml") == 2
    assert (
        "is not overwritten. Continue the run with --resume" in capsys.readouterr().err
    )
    assert (finished / "run" / "history.csv").read_text() == before


def test_a_run_that_lacks_its_config_is_not_to_be_continued(
    scripts, finished, run_copy, capsys
):
    config = run_copy.parent / "again.yaml"
    (run_copy / "config.yaml").rename(config)
    arguments = [str(config), "--data-root", str(finished), "--run", str(run_copy)]
    assert scripts.train.main([*arguments, "--resume"]) == 2
    message = capsys.readouterr().err
    assert "It cannot be resumed (config.yaml is missing): choose another" in message
    assert "Continue the run with --resume" not in message


def test_a_finished_run_resumes_to_itself_and_not_to_other_settings(
    scripts, run_copy, finished, capsys
):
    config = finished / "small.yaml"
    arguments = [str(config), "--data-root", str(finished), "--run", str(run_copy)]
    before = (run_copy / "best.weights.h5").read_bytes()
    facts = (run_copy / "environment.json").read_bytes()
    assert scripts.train.main([*arguments, "--resume"]) == 0
    assert (run_copy / "best.weights.h5").read_bytes() == before
    assert (run_copy / "environment.json").read_bytes() == facts
    assert "training is already finished" in capsys.readouterr().out
    changed = [*arguments, "--resume", "--set", "training.epochs=3"]
    assert scripts.train.main(changed) == 2
    assert "Changed: training.epochs. The run has finished" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_killed_before_its_last_report_gets_it_when_resumed(
    scripts, run_copy, finished
):
    facts = json.loads((run_copy / "environment.json").read_text())
    times = ("steps", "steps_per_epoch", "seconds_per_epoch", "peak_memory_bytes")
    without = {key: value for key, value in facts.items() if key not in times}
    (run_copy / "environment.json").write_text(json.dumps(without))
    arguments = ["--data-root", str(finished), "--run", str(run_copy), "--resume"]
    assert scripts.train.main([str(finished / "small.yaml"), *arguments]) == 0
    again = json.loads((run_copy / "environment.json").read_text())
    assert set(again) == set(facts)
    for key in ("steps", "steps_per_epoch", "seconds_per_epoch", "sha256", "pairs"):
        assert again[key] == facts[key]


def test_a_run_that_fails_at_once_removes_what_it_made_and_nothing_else(
    scripts, tmp_path, capsys
):
    config = write_experiment(tmp_path, data={"train": "malformed.jsonl"})
    (tmp_path / "malformed.jsonl").write_text("{}\n")
    run = tmp_path / "run"
    run.mkdir()
    assert train(scripts, config) == 2
    assert list(run.iterdir()) == []  # the user's folder
    (run / "tmp.precious").write_text("x")
    assert train(scripts, config) == 2
    assert "already exists and is not overwritten" in capsys.readouterr().err
    assert (run / "tmp.precious").read_text() == "x"
    (run / "tmp.precious").rename(tmp_path / "tmp.precious")
    name_temporary(run / "config.yaml").write_text("left by a kill")
    assert train(scripts, config) == 2
    assert list(run.iterdir()) == []


def test_a_run_does_not_resume_with_other_data(
    scripts, run_copy, finished, tmp_path, capsys
):
    for name in ("dev", "test"):
        write_jsonl(tmp_path / f"{name}.jsonl", rows({"dev": 11, "test": 7}[name]))
    write_jsonl(tmp_path / "train.jsonl", rows(29))
    arguments = ["--data-root", str(tmp_path), "--run", str(run_copy), "--resume"]
    assert scripts.train.main([str(finished / "small.yaml"), *arguments]) == 2
    message = "files of these splits have changed since the run was started: train"
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_a_loss_that_is_no_number_stops_with_the_step_named(
    scripts, tmp_path, capsys, monkeypatch
):
    from dsa.data.words.embeddings import build_embedding

    def poisoned(*arguments):  # as a broken vector file could be
        vocabulary, vectors, frozen = build_embedding(*arguments)
        vectors[vocabulary.ids(["apple"])] = np.nan  # in every fifth pair of six
        return vocabulary, vectors, frozen

    monkeypatch.setattr("dsa.training.training_data.build_embedding", poisoned)
    config = write_experiment(tmp_path)
    assert train(scripts, config) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: the loss is nan at step ")
    assert not (tmp_path / "run").exists()


def test_too_little_memory_for_a_model_is_one_line(
    scripts, tmp_path, capsys, monkeypatch
):
    def fail(*arguments):
        raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes")

    monkeypatch.setattr("dsa.training.network_training.build_model", fail)
    assert train(scripts, write_experiment(tmp_path, model=SMALL_MODEL)) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: not enough memory: reduce 'training.batch_size'")
    assert "RESOURCE_EXHAUSTED" in error


@pytest.mark.parametrize(
    "function", ["dsa.inference.loading.build_model", "keras.Model.load_weights"]
)
def test_too_little_memory_for_a_loaded_model_is_one_line(
    scripts, finished, capsys, monkeypatch, function
):
    def fail(*arguments):
        raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes")

    monkeypatch.setattr(function, fail)
    pair = ["A dog runs.", "It runs."]
    assert scripts.predict.main([str(finished / "run"), *pair]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: not enough memory: ")
    assert "the model does not fit into memory (RESOURCE_EXHAUSTED" in error


@pytest.mark.slow
def test_the_learning_rate_falls_and_training_ends_when_dev_does_not_rise(
    scripts, tmp_path
):
    still = {"learning_rate": 1e-12, "epochs": 9, "early_stopping": 3}
    schedule = {"name": "halve_on_plateau", "minimum": 4e-13}
    config = write_experiment(
        tmp_path, model=SMALL_MODEL, training={**still, "schedule": schedule}
    )
    assert train(scripts, config) == 0
    rates = [float(row["learning_rate"]) for row in read_run_history(tmp_path / "run")]
    np.testing.assert_allclose(rates, [1e-12, 1e-12, 5e-13, 4e-13], rtol=1e-5)


@pytest.mark.slow
def test_training_can_be_counted_in_steps_and_evaluated_late(scripts, tmp_path):
    late = {"steps": 11, "evaluate_every": 4, "evaluate_from": 8}
    config = write_experiment(tmp_path, model=SMALL_MODEL, training=late)
    assert train(scripts, config) == 0
    history = read_run_history(tmp_path / "run")
    assert [row["step"] for row in history] == ["4", "8", "11"]
    assert [bool(row["val_accuracy"]) for row in history] == [False, True, True]
    assert all(row["loss"] and row["seconds"] for row in history)


def test_a_run_that_would_select_nothing_is_refused(scripts, tmp_path, capsys):
    config = write_experiment(tmp_path, training={"steps": 5, "evaluate_from": 6})
    assert train(scripts, config) == 2
    assert "after the last step, 5" in capsys.readouterr().err
    late = {"evaluate_from": 1, "early_stopping": 2}
    assert train(scripts, write_experiment(tmp_path, training=late)) == 2
    assert "'training.evaluate_from' must be 0" in capsys.readouterr().err


@pytest.mark.slow
def test_a_share_of_another_corpus_is_mixed_into_training(scripts, tmp_path):
    short = {"epochs": 1}
    data = {"mix": {"path": "snli.jsonl", "share": 0.25, "redraw": "once"}}
    config = write_experiment(tmp_path, model=SMALL_MODEL, data=data, training=short)
    pairs = rows(40)
    for number, row in enumerate(pairs):
        row["sentence1"] = f"Word{number} sings."
    write_jsonl(tmp_path / "snli.jsonl", pairs)
    assert train(scripts, config) == 0
    run = RunFolder(tmp_path / "run")
    environment = run.environment()
    assert environment["pairs"] == {"train": 30, "dev": 11, "mix": 10}
    assert environment["steps"] == 10  # 40 pairs, 4 a batch
    mixed = [word for word in run.vocabulary().words if word.startswith("word")]
    assert len(mixed) == 10
    write_jsonl(tmp_path / "snli.jsonl", pairs[::-1])
    assert train(scripts, config, "--resume") == 2
    data["mix"]["redraw"] = "epoch"
    config = write_experiment(tmp_path, model=SMALL_MODEL, data=data, training=short)
    drawn = RunFolder(dsa.train(config, tmp_path / "drawn", data_root=tmp_path))
    assert (
        drawn.environment()["pairs"]["mix"] == 10 and drawn.environment()["steps"] == 10
    )
    words = drawn.vocabulary().words  # of all 40: later epochs have others
    assert sum(word.startswith("word") for word in words) == 40


@pytest.mark.slow
def test_mixed_precision_trains(scripts, tmp_path):
    config = write_experiment(
        tmp_path, training={"precision": "mixed_bfloat16", "epochs": 1}
    )
    assert train(scripts, config) == 0
    run = tmp_path / "run"
    model = dsa.load(run).model
    assert model.encoder.compute_dtype == "bfloat16"
    assert {v.dtype for v in model.trainable_variables} == {"float32"}
    (row,) = read_run_history(run)
    assert np.isfinite(float(row["val_loss"]))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "train.jsonl").unlink(), "file not found: .*train.jsonl"),
        (
            lambda f: (f / "dev.jsonl").write_text('{"gold_label": '),
            "dev.jsonl, line 1: not JSON",
        ),
        (
            lambda f: write_jsonl(f / "train.jsonl", rows(3, gold_label="-")),
            "train.jsonl: no row has a label",
        ),
    ],
)
def test_bad_data_is_one_line_and_exit_code_2(
    scripts, tmp_path, capsys, damage, message
):
    config = write_experiment(tmp_path)
    damage(tmp_path)
    assert train(scripts, config) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    with pytest.raises(InputError, match=message):
        raise InputError(line)
    assert not (tmp_path / "run").exists()  # the corrected command can use it


@pytest.mark.parametrize("split", ["train", "dev"])
def test_a_split_column_without_labels_in_a_split_is_an_error(tmp_path, split):
    rows = ["premise,hypothesis,label,part"]
    for part in ("train", "dev"):
        for n in range(4):
            label = "" if part == split else "ab"[n % 2]
            rows.append(f"{part} {n} sleeps,{part} {n} is awake,{label},{part}")
    (tmp_path / "all.csv").write_text("\n".join(rows) + "\n")
    data = {
        "corpus": "own",
        "train": "all.csv",
        "dev": None,
        "test": None,
        "split_column": "part",
        "columns": {name: name for name in ("premise", "hypothesis", "label")},
        "labels": ["a", "b"],
    }
    config = write_experiment(tmp_path, model=SMALL_MODEL, data=data)
    message = f"^all.csv: no row of the split '{split}' has a label$"
    with pytest.raises(InputError, match=message):
        dsa.train(config, tmp_path / "run", data_root=tmp_path)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("select", ["best", "last"])
def test_the_weights_of_the_chosen_evaluation_are_kept(tmp_path, select):
    training = {"learning_rate": 0.3, "evaluate_every": 1, "steps": 5}
    config = write_experiment(
        tmp_path, model=SMALL_MODEL, training={**training, "select": select}
    )
    run = dsa.train(config, tmp_path / "run", data_root=tmp_path)
    history = read_run_history(run)
    best = max(history, key=lambda row: float(row["val_accuracy"]))
    assert best is not history[-1]  # else the two would be the same
    kept = best if select == "best" else history[-1]
    measured = dsa.evaluate(run, "dev", data_root=tmp_path)["loss"]
    assert measured == pytest.approx(float(kept["val_loss"]), abs=1e-5)


@pytest.fixture
def train_with_values(tmp_path, monkeypatch):
    """A function that trains an epoch per given dev accuracy.

    Returns: the run, and its weights before the last evaluation.
    """

    def train_epochs(values, **training):
        run, remaining, weights = RunFolder(tmp_path / "run"), list(values), []

        def measure(*arguments, **options):
            if len(remaining) == 1:
                weights.append(run.weights.read_bytes())
            accuracy = remaining.pop(0)
            return {"loss": 1.0, "accuracy": accuracy, "standard_error": 0.1}

        monkeypatch.setattr(network_training, "measure_labelled_rows", measure)
        training = {"epochs": len(values), **training}
        config = write_experiment(tmp_path, model=SMALL_MODEL, training=training)
        dsa.train(config, run.path, data_root=tmp_path)
        return run, weights[0]

    return train_epochs


@pytest.mark.parametrize("last", [0.7, 0.71])
def test_the_first_of_equal_dev_values_is_the_best(train_with_values, last):
    run, weights = train_with_values([0.5, 0.7, last])
    assert (run.weights.read_bytes() == weights) == (last == 0.7)
    assert count_best_epochs(run, "accuracy") == (2 if last == 0.7 else 3)


def test_values_that_are_equal_in_the_history_are_no_improvement(train_with_values):
    schedule = {"name": "halve_and_reload"}
    run, _ = train_with_values([0.7000001, 0.7000002, 0.6], schedule=schedule)
    rates = [float(row["learning_rate"]) for row in read_run_history(run.path)]
    assert rates == pytest.approx([0.01, 0.01, 0.005])


def test_a_refit_of_fewer_steps_than_the_warm_up_is_trained(train_with_values):
    settings = {"refit_with_dev": True, "warmup_steps": 10}
    run, _ = train_with_values([0.7, 0.6, 0.5, 0.5], epochs=3, **settings)
    refit = RunFolder(run.path / "with_dev")
    assert (run.environment()["steps"], refit.environment()["steps"]) == (24, 11)
    assert refit.experiment().training.warmup_steps == 7


def test_weights_and_batches_depend_on_the_seed(tmp_path):
    weights, rows = [], []
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        config = write_experiment(
            tmp_path,
            model=SMALL_MODEL,
            seed=seed,
            training={"steps": 1, "learning_rate": 1e-9},
        )
        run = dsa.train(config, tmp_path / name, data_root=tmp_path)
        arrays = [numpy_of(v) for v in dsa.load(run).model.trainable_variables]
        weights.append([a for a in arrays if np.ptp(a) > 1e-6])  # no biases, no gains
        experiment = load_experiment(config)
        data = build_training_data(
            experiment, find_training_files(experiment, tmp_path)
        )
        options = experiment.data.training_options
        batches = make_batches(data, experiment.training, options, experiment.seed)
        rows.append(batches.get_batch_rows(0).tolist())
    assert len(weights[0]) >= 3  # word vectors, hidden layer, logits
    for first, same, other in zip(*weights, strict=True):
        np.testing.assert_array_equal(first, same)
        assert np.abs(first - other).max() > 1e-3
    assert rows[0] == rows[1] != rows[2]


def test_the_last_weights_are_not_kept_where_dev_decides_on_the_rate(tmp_path):
    schedule = {"name": "halve_on_plateau"}
    training = {"select": "last", "schedule": schedule}
    config = write_experiment(tmp_path, training=training)
    with pytest.raises(
        InputError, match="'training.select: last' cannot be combined with"
    ):
        dsa.train(config, tmp_path / "run", data_root=tmp_path)
