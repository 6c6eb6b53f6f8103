"""`dsa.train` and `dsa.evaluate`, as a notebook or a worker process calls them."""

import concurrent.futures
import json
import logging
import multiprocessing
import os
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml

import dsa
from dsa.api.training import train_and_evaluate
from dsa.evaluation.answers import has_answers
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.sweeps.overview import list_configs, list_runs
from tests.support.runs import SMALL_MODEL, write_experiment
from tests.support.stopped_runs import assert_equal_ends, read_run_arrays

SHORT = ["training.epochs=1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with `small.yaml`, its corpus, and its run in `run`."""
    folder = tmp_path_factory.mktemp("one_run")
    config = write_experiment(folder, model=SMALL_MODEL)
    run = dsa.train(config, folder / "run", SHORT, data_root=folder)
    assert run == folder / "run"
    return folder


def test_a_path_a_dictionary_and_an_experiment_are_the_same_run(folder):
    config = folder / "small.yaml"
    weights = read_run_arrays(RunFolder(folder / "run"))
    settings = yaml.safe_load(config.read_text())
    before = yaml.safe_dump(settings)
    experiment = load_experiment(config, {"training.epochs": 1})
    for given, overrides in (
        (config, {"training.epochs": 1}),
        (settings, SHORT),
        (experiment, ()),
    ):
        # other settings would be refused; the finished run is not trained again
        run = dsa.train(given, folder / "run", overrides, data_root=folder)
        assert read_run_arrays(RunFolder(run)) == weights
    assert yaml.safe_dump(settings) == before
    assert is_finished(RunFolder(run))


@pytest.mark.slow
def test_log_handlers_do_not_pile_up(folder):
    for _ in range(2):
        dsa.train(folder / "small.yaml", folder / "run", SHORT, data_root=folder)
    handlers = logging.getLogger("dsa").handlers
    assert not [h for h in handlers if isinstance(h, logging.FileHandler)]


def test_the_recorded_command_can_be_repeated_in_a_shell(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(folder / "small.yaml", "small pairs.yaml")
    run = dsa.train("small pairs.yaml", "run", SHORT, data_root=folder)
    command = RunFolder(run).environment()["command"]
    expected = ["dsa", "train", "small pairs.yaml", "--set", *SHORT]
    assert shlex.split(command) == expected


def test_an_evaluation_is_returned_and_recorded(folder):
    entry = dsa.evaluate(folder / "run", "test", data_root=folder)
    assert (
        repr(entry).startswith("test: ") and "<td>accuracy</td>" in entry._repr_html_()
    )
    assert entry["split"] == "test" and entry["count"] == 7
    assert RunFolder(folder / "run").metrics()[-1] == entry


def test_further_splits_are_evaluated_once(folder):
    config, run = folder / "small.yaml", RunFolder(folder / "run")
    before = [entry["split"] for entry in run.metrics()]
    splits = ["test", "dev", "train", "train"]
    given = (config, run.path, SHORT, folder)
    assert not has_answers(run, "dev")
    trained = train_and_evaluate(*given, splits=splits)
    evaluated = [entry["split"] for entry in trained.evaluations]
    missing = [split for split in ("test", "train") if split not in before]
    assert evaluated == ["dev", *missing] and "train" in missing
    assert [entry["split"] for entry in run.metrics()] == before + evaluated
    assert has_answers(run, "train") and has_answers(run, "dev")
    again = train_and_evaluate(*given, splits=splits)
    assert [entry["split"] for entry in again.evaluations] == ["dev"]
    with pytest.raises(dsa.InputError, match="config has no file for the split 'tset'"):
        train_and_evaluate(*given, splits=["tset"])


def test_mistakes_are_input_errors(folder, tmp_path):
    config = folder / "small.yaml"
    with pytest.raises(dsa.InputError, match="unknown key 'training.epoch'"):
        dsa.train(config, tmp_path / "run", ["training.epoch=1"], data_root=folder)
    with pytest.raises(dsa.InputError, match="config: 'data' is missing"):
        dsa.train({"model": {"name": "dsa"}}, tmp_path / "run")
    with pytest.raises(
        dsa.InputError, match="different settings.* Changed: training.epochs"
    ):
        dsa.train(config, folder / "run", ["training.epochs=2"], data_root=folder)
    with pytest.raises(dsa.InputError, match="already exists and is not overwritten"):
        dsa.train(config, folder / "run", SHORT, data_root=folder, resume=False)
    with pytest.raises(dsa.InputError, match="'run': expected the name of a folder"):
        dsa.train(config, "", data_root=folder)
    for wrong in (None, 3, dsa):
        for use in (dsa.load, lambda run: dsa.ensemble([run])):
            with pytest.raises(dsa.InputError, match="a run is a name or a path, such"):
                use(wrong)
    assert not (tmp_path / "run").exists()


def test_a_run_that_fails_leaves_no_folder_that_it_made(folder, tmp_path):
    (tmp_path / "runs").mkdir()
    new = tmp_path / "runs/small/hash/seed-3"
    with pytest.raises(dsa.InputError, match="file not found"):
        dsa.train(folder / "small.yaml", new, ["data.train=none"], data_root=folder)
    assert [*tmp_path.rglob("*")] == [tmp_path / "runs"]


@pytest.mark.slow
def test_settings_without_a_file_have_a_run_folder_named_by_them(folder, monkeypatch):
    monkeypatch.chdir(folder)
    settings = yaml.safe_load((folder / "small.yaml").read_text())
    run = dsa.train(settings, overrides=SHORT, data_root=folder)
    assert run.parts[0] == "runs" and run.parts[1].startswith("swem-")
    assert run.parts[2] == "seed-3" and is_finished(RunFolder(run))
    other = dsa.train({**settings, "seed": 4}, overrides=SHORT, data_root=folder)
    assert other == run.with_name("seed-4")


@pytest.mark.slow
def test_a_worker_process_trains_the_same(folder, tmp_path):
    context = multiprocessing.get_context("spawn")
    arguments = (folder / "small.yaml", tmp_path / "run", SHORT, folder)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        run = pool.submit(dsa.train, *arguments).result()
    assert_equal_ends(RunFolder(run), RunFolder(folder / "run"), arrays=10)


@pytest.mark.slow
def test_two_trainings_that_begin_at_once_on_an_empty_cache_end_equal(folder, tmp_path):
    environment = {**os.environ, "DSA_CACHE": str(tmp_path / "cache")}
    script = "import sys, dsa; dsa.train(*sys.argv[1:3], ['training.epochs=1'], '{}')"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script.format(folder)]
            + [str(folder / "small.yaml"), str(tmp_path / name)],
            env=environment,
        )
        for name in ("one", "two")
    ]
    assert [process.wait() for process in processes] == [0, 0]
    ends = RunFolder(tmp_path / "one"), RunFolder(tmp_path / "two")
    assert_equal_ends(*ends, arrays=10)
    assert not list((tmp_path / "cache").rglob("*tmp*"))


def test_runs_and_configs_are_listed(folder):
    text = list_runs(folder)
    assert f"| {folder / 'run'} | swem | snli | 3 | 8 | accuracy" in text
    assert "| finished |" in text
    (folder / "none.yaml").write_text("model: {name: nothing}\n")
    table = list_configs(folder)
    paper = "Shen et al. 2018, SWEM"
    assert f"| {folder / 'small.yaml'} | swem | snli | {paper} |" in table
    assert "none.yaml: " in table
    (folder / "none.yaml").unlink()
    with pytest.raises(dsa.InputError, match="no run below"):
        list_runs(folder / "nowhere")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"split": "dev", "accuracy": 0.5}, "'count' must be an integer"),
        ({"split": "dev", "accuracy": "x", "count": 3}, "'accuracy' must be a number"),
        ({"split": ["dev"], "accuracy": 0.5, "count": 3}, "a list of 'evaluations'"),
        ({"split": "dev", "accuracy": 0.5, "count": "3"}, "'count' must be an integer"),
    ],
)
def test_a_run_with_a_damaged_evaluation_does_not_hide_the_others(
    run_copy, entry, message
):
    damaged = run_copy.parent / "broken"
    shutil.copytree(run_copy, damaged)
    (damaged / "metrics.json").write_text(json.dumps({"evaluations": [entry]}))
    table = list_runs(run_copy.parent).splitlines()
    lines = [line for line in table if f"{damaged} |" in line]
    assert len(lines) == 1 and message in lines[0]
    assert len(table) == 4
