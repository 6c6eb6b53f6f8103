import json
import shutil

import h5py
import pytest
import yaml

import dsa
from dsa.data.corpora.files import find_file
from dsa.experiment.yaml_file import format_assignments, load_experiment
from dsa.jobs.local import PrintingExecutor
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.sweeps.finished_runs import RunIndex, find_missing_splits, read_evaluations
from dsa.sweeps.grid import plan_grid
from dsa.sweeps.overview import list_runs
from dsa.sweeps.planned_runs import complete_runs


def test_a_run_is_found_by_what_it_is_wherever_it_is(finished, tmp_path):
    shutil.copytree(finished / "run", tmp_path / "a" / "b")
    experiment = load_experiment(finished / "small.yaml")
    run = RunIndex.scan(tmp_path, finished).find(experiment)
    assert run.path == tmp_path / "a" / "b"
    tracked = load_experiment(finished / "small.yaml", {"training.track": ["wandb"]})
    assert RunIndex.scan(tmp_path, finished).find(tracked).path == run.path
    other = load_experiment(finished / "small.yaml", {"training.epochs": 3})
    assert RunIndex.scan(tmp_path, finished).find(other) is None


def test_a_stage_of_a_run_is_no_run(finished, tmp_path):
    shutil.copytree(finished / "run", tmp_path / "run" / "first")
    experiment = load_experiment(finished / "small.yaml")
    assert RunIndex.scan(tmp_path, finished).find(experiment) is not None
    other = load_experiment(finished / "small.yaml", {"training.epochs": 3})
    (tmp_path / "run" / "config.yaml").write_text(other.to_yaml())
    for folder in (tmp_path, tmp_path / "run"):
        assert RunIndex.scan(folder, finished).find(experiment) is None
    (tmp_path / "run" / "config.yaml").rename(tmp_path / "run" / "other.yaml")
    assert RunIndex.scan(tmp_path, finished).find(experiment) is not None


@pytest.mark.parametrize("folder", ["a", "a/b/run"])
def test_a_folder_with_a_reason_is_excluded(finished, tmp_path, folder):
    shutil.copytree(finished / "run", tmp_path / "a" / "b" / "run")
    experiment = load_experiment(finished / "small.yaml")
    assert RunIndex.scan(tmp_path, finished).find(experiment) is not None
    (tmp_path / folder / "not_in_tables.md").write_text("It lacks a file.")
    assert RunIndex.scan(tmp_path, finished).find(experiment) is None


def test_a_run_with_a_retired_setting_is_logged_once(finished, run_copy, caplog):
    config = run_copy / "config.yaml"
    text = config.read_text().replace("training:", "training:\n  steps_at_once: 10")
    config.write_text(text)
    caplog.set_level("INFO", logger="dsa")
    for _ in range(2):  # as for two tables of a paper
        assert RunIndex.scan(run_copy.parent, finished).list_finished() == []
    (line,) = caplog.messages
    assert line.startswith("run excluded: ") and "'training.steps_at_once: 10'" in line


def test_of_many_unusable_configs_only_three_are_logged(finished, tmp_path, caplog):
    for number in range(5):
        run = shutil.copytree(finished / "run", tmp_path / f"run-{number}")
        with open(run / "config.yaml", "a") as file:
            file.write("unknown: 1\n")
    caplog.set_level("INFO", logger="dsa")
    assert RunIndex.scan(tmp_path, finished).list_finished() == []
    *lines, last = caplog.messages
    assert len(lines) == 3 and all("run excluded" in line for line in lines)
    assert last == "other runs with unusable configs excluded: 2"


def test_a_run_on_other_data_is_another_run(finished, run_copy, tmp_path):
    experiment = load_experiment(finished / "small.yaml")
    data = tmp_path / "data"
    data.mkdir()
    runs = RunIndex.scan(run_copy, data)
    assert runs.find(experiment) is not None  # no file that could differ
    shutil.copy(finished / "train.jsonl", data)
    assert RunIndex.scan(run_copy, data).find(experiment) is not None
    with open(find_file(data, "train.jsonl"), "a") as file:
        file.write("\n")
    assert RunIndex.scan(run_copy, data).find(experiment) is None


def test_an_unfinished_run_is_not_found(finished, run_copy):
    experiment = load_experiment(finished / "small.yaml")
    run = RunFolder(run_copy)
    facts = run.environment()
    unfinished = {**facts, "steps": facts["steps"] - 1, "stopped": False}
    run.write_json("environment.json", unfinished)
    assert RunIndex.scan(run_copy, finished).find(experiment) is None
    run.write_json("environment.json", facts)
    assert RunIndex.scan(run_copy, finished).find(experiment) is not None


def test_a_run_that_stopped_early_is_finished(run_copy):
    run = RunFolder(run_copy)
    assert run.environment()["stopped"] and is_finished(run)
    for stopped in (True, False):
        facts = {**run.environment(), "steps": 4, "stopped": stopped}
        run.write_json("environment.json", facts)
        assert is_finished(run) is stopped


def test_a_run_killed_in_its_training_with_dev_goes_on(finished, run_copy, capsys):
    overrides = {"training.refit_with_dev": True}
    (plan,) = plan_grid(finished / "small.yaml", [3], {}, format_assignments(overrides))
    run = RunFolder(run_copy)
    run.write("config.yaml", plan.experiment.to_yaml())
    given = ([plan], (), run_copy.parent, finished, PrintingExecutor())
    complete_runs(*given)
    (line,) = capsys.readouterr().out.splitlines()
    assert f"--run {run_copy} --resume" in line
    assert "unfinished (continue with --resume)" in list_runs(run_copy)
    shutil.copytree(finished / "run", run_copy / "with_dev")
    complete_runs(*given)
    assert capsys.readouterr().out == ""
    assert "unfinished" not in list_runs(run_copy)


def test_only_splits_with_a_file_that_were_not_evaluated_are_missing(
    finished, run_copy, tmp_path
):
    splits = ("train", "test", "dev")
    run = RunFolder(run_copy)
    assert find_missing_splits(run, splits, finished) == ["train", "test"]
    assert find_missing_splits(run, splits, tmp_path) == []


def test_a_stage_of_a_run_with_a_retired_setting_is_no_run(finished, run_copy):
    config = run_copy / "config.yaml"
    text = config.read_text().replace("training:", "training:\n  steps_at_once: 10")
    config.write_text(text)
    shutil.copytree(finished / "run", run_copy / "first")
    assert RunIndex.scan(run_copy.parent, finished).list_finished() == []


def test_a_damaged_run_is_excluded_and_logged_once(finished, run_copy, caplog):
    experiment = load_experiment(finished / "small.yaml")
    (run_copy / "environment.json").write_text("{")
    runs = RunIndex.scan(run_copy, finished)
    for _ in range(2):
        assert runs.find(experiment) is None
    (line,) = caplog.messages
    assert line.startswith(f"run excluded: {run_copy / 'environment.json'}")


def test_an_evaluation_of_another_file_is_made_again(finished, run_copy, tmp_path):
    run = RunFolder(run_copy)
    assert find_missing_splits(run, ["dev"], finished) == []
    shutil.copy(finished / "train.jsonl", tmp_path / "dev.jsonl")
    assert find_missing_splits(run, ["dev"], tmp_path) == ["dev"]


def test_an_evaluation_of_an_earlier_checkpoint_is_made_again(finished, run_copy):
    run = RunFolder(run_copy)
    dsa.evaluate(run_copy, "test", data_root=finished)
    assert find_missing_splits(run, ["dev", "test"], finished) == []
    with run.replace_file(run.weights.name) as path:  # as a training that goes on
        shutil.copy(finished / "run" / run.weights.name, path)
        with h5py.File(path, "r+") as file:
            file.attrs["epoch"] = 4
    run.write_record()  # as the end of a training does
    assert find_missing_splits(run, ["dev", "test"], finished) == ["dev", "test"]
    assert "| - | finished |" in list_runs(run_copy)
    dsa.evaluate(run_copy, "test", data_root=finished)
    assert list(read_evaluations(run, finished)) == ["test"]


def test_a_folder_that_is_no_run_does_not_stop_the_search(finished, tmp_path):
    (tmp_path / "config.yaml").write_text("a: [")
    experiment = load_experiment(finished / "small.yaml")
    assert RunIndex.scan(tmp_path, finished).find(experiment) is None


def test_a_run_of_a_study_has_no_jobs(finished, tmp_path, capsys):
    run = RunFolder(finished / "run")
    record = {
        "run": "dsa/seed-3",
        "config": yaml.safe_load(run.read("config.yaml")),
        "environment": run.environment(),
        "history": [{"step": 1}],
        "metrics": run.metrics(),  # of dev only
    }
    (tmp_path / "runs.jsonl").write_text(json.dumps(record) + "\n")
    (plan,) = plan_grid(finished / "small.yaml", [3], {}, [])
    complete_runs([plan], ("train", "test"), tmp_path, finished, PrintingExecutor())
    assert capsys.readouterr().out == ""
