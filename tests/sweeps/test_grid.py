"""Settings times seeds: what is planned, and what its runs have reached."""

import csv
import io
import json
import shlex
import shutil

import pytest

from dsa.errors import InputError
from dsa.experiment.yaml_file import format_assignments, parse_overrides
from dsa.jobs.execute import JobsFailed
from dsa.jobs.local import ONE_BY_ONE, PrintingExecutor
from dsa.runs.outputs import OutputFolder
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import read_curve
from dsa.sweeps import grid_results as module
from dsa.sweeps.grid import name_folder, parse_grid, plan_grid
from dsa.sweeps.grid_results import GridResults, sweep
from dsa.system.extras import format_install_command

CONFIG = "configs/mini/dsa.yaml"
LINEAR = "configs/quora/features.yaml"
GRID = {"model.alpha": [0, 1.5], "model.dropout": [0.1]}


def copy_run(finished, folder, plan, accuracy):
    """The finished run, as if it were that of a plan with an accuracy on dev."""
    run = RunFolder(shutil.copytree(finished / "run", folder))
    run.write("config.yaml", plan.experiment.to_yaml())
    content = json.loads(run.read("metrics.json"))
    for entry in content["evaluations"]:
        entry["accuracy"] = accuracy
    run.write_json("metrics.json", content)


def plan_small(finished):
    grid = {"model.dropout": [0.2, 0.1, 0.3]}
    return plan_grid(finished / "small.yaml", [3, 5], grid, [], finished)


def test_values_are_read_as_yaml():
    assert parse_grid(["model.alpha=0,1,1.5", "a.b=x,[1, 2],null"]) == {
        "model.alpha": [0, 1, 1.5],
        "a.b": ["x", [1, 2], None],
    }
    (values,) = parse_grid(["a.b=0,false,1,true"]).values()
    assert [repr(value) for value in values] == ["0", "False", "1", "True"]


@pytest.mark.parametrize(
    "assignments, message",
    [
        (["model.alpha"], "--grid must be 'key.key=value,value'. Received: 'model.al"),
        (["model.alpha="], "--grid model.alpha: at least one value"),
        (["model.alpha=1,1"], "--grid model.alpha: duplicate value 1"),
        (["model.alpha=1", "model.alpha=2"], "--grid: duplicate key model.alpha"),
        (["seed=1,2"], "cannot contain 'seed'. Use --seeds"),
        (["model.alpha=1]"], "--grid model.alpha, line 1: "),
    ],
)
def test_a_wrong_grid_is_refused(assignments, message):
    with pytest.raises(InputError, match=message):
        parse_grid(assignments)


def test_every_combination_has_every_seed():
    plans = plan_grid(CONFIG, [13, 14], GRID, ["training.epochs=1"])
    assert [(plan.row, plan.overrides["seed"]) for plan in plans] == [
        (f"model.alpha={alpha}, model.dropout=0.1", seed)
        for alpha in (0, 1.5)
        for seed in (13, 14)
    ]
    assert [plan.experiment.model.alpha for plan in plans] == [0, 0, 1.5, 1.5]
    assert {plan.experiment.training.epochs for plan in plans} == {1}
    assert len({plan.path for plan in plans}) == 4


def test_settings_of_a_plan_are_read_back_as_they_were():
    texts = ["train.jsonl", "a b", "x #1.jsonl", "1", "true", "null", "", "a: b"]
    texts += ["[a", " a ", "'a'", "a\nb", "\u00e4\t\U0001f600", "01", "*a", "a=b"]
    overrides = {f"a.k{number}": text for number, text in enumerate(texts)}
    overrides |= {"b": None, "c": 1e-5, "d": [1, "x"], "e": {"f": "1"}, "g": 1e16}
    written = format_assignments(overrides)
    assert written[:3] == ["a.k0=train.jsonl", "a.k1=a b", 'a.k2="x #1.jsonl"']
    read = parse_overrides(written)
    read["c"] = float(read["c"])  # a text to YAML; the schema makes it a number
    read["g"] = float(read["g"])
    assert read == overrides


def test_without_a_grid_the_seeds_are_those_of_the_config():
    (plan,) = plan_grid(CONFIG, [], {}, [])
    assert plan.row == "as in the config" and plan.overrides == {"seed": 13}


@pytest.mark.parametrize(
    "seeds, grid, settings, message",
    [
        ([1, 1], {}, [], "--seeds must be distinct"),
        ([], {"model.alpha": [1]}, ["model.alpha=2"], "'model.alpha' is given twice"),
        ([], {"model.heads": [7]}, [], "heads"),
        (range(5_001), {"model.alpha": [1, 2]}, [], "at most 10,000 runs"),
        ([], {"model.alpha": [*range(10_001)]}, [], "at most 10,000 runs"),
        ([1, 2], {}, ["seed=5"], "--seeds cannot be combined with the setting 'seed'"),
    ],
)
def test_wrong_settings_stop_before_any_run(seeds, grid, settings, message):
    with pytest.raises(InputError, match=message):
        plan_grid(CONFIG, list(seeds), grid, settings)


def test_a_grid_has_a_folder_of_its_own():
    first = name_folder(CONFIG, GRID, [], "runs")
    assert str(first).startswith("runs/mini/dsa/sweep-")
    assert name_folder(CONFIG, {}, [], "runs") != first
    assert name_folder(CONFIG, GRID, ["seed=1"], "runs") != first


def test_the_best_by_dev_is_marked(finished, tmp_path):
    plans = plan_small(finished)
    for number, accuracy in enumerate((0.5, 0.7, 0.8, 0.6)):
        folder = tmp_path / str(number)
        copy_run(finished, folder, plans[number], accuracy)
    results = GridResults(plans, tmp_path, finished)
    assert results.as_markdown() == (
        "| setting | dev accuracy, mean | range | n | seeds | |\n"
        "|---|---|---|---|---|---|\n"
        "| model.dropout=0.2 | 0.6000 | 0.5000-0.7000 | 2 | 3, 5 | |\n"
        "| model.dropout=0.1 | 0.7000 | 0.6000-0.8000 | 2 | 3, 5 | **best** |\n"
        "| model.dropout=0.3 | - | - | 0 | - | |"
    )
    rows = list(csv.DictReader(io.StringIO(results.as_csv())))
    assert [row["best"] for row in rows] == ["0", "1", "0"]
    assert rows[0]["seeds"] == "3 5" and rows[2]["mean"] == ""
    steps, numbers = read_curve(RunFolder(tmp_path / "0"), "val_accuracy")
    assert steps == [8, 16] and len(numbers) == 2
    (axes,) = results.draw().axes
    assert axes.get_ylabel() == "dev accuracy" and len(axes.lines) == 4
    colors = [line.get_color() for line in axes.lines]
    assert colors[0] == colors[1] != colors[2] == colors[3]


@pytest.mark.parametrize(
    "settings, warning",
    [
        (
            {"dev": None, "select_on_test": True},
            "Checkpoints selected on the test set",
        ),
        ({"train_on_dev": True}, "Trained on the dev set"),
    ],
)
def test_metrics_of_known_rows_get_a_warning_about_bias(finished, settings, warning):
    overrides = {f"data.{key}": value for key, value in settings.items()}
    assignments = format_assignments(overrides)
    grid = {"model.dropout": [0.2, 0.1]}
    plans = plan_grid(finished / "small.yaml", [3, 5], grid, assignments, finished)
    table = GridResults(plans, finished, finished).as_markdown()
    names = "model.dropout=0.2, model.dropout=0.1"
    line = f"**{warning}: {names}. Their metrics are optimistically biased.**"
    assert table.endswith(f"|\n\n{line}")


def test_a_linear_model_has_no_curve(tmp_path):
    (plan,) = plan_grid(LINEAR, [], {}, [])
    run = RunFolder(tmp_path / "runs")
    run.path.mkdir()
    run.write("config.yaml", plan.experiment.to_yaml())
    facts = {"run_format": 1, "sha256": {}, "steps": 9, "stopped": True}
    run.write_json("environment.json", facts)
    run.write_history([{"evaluation": 1, "C": 1, "val_accuracy": 0.5}])
    run.add_metrics({"split": "dev", "accuracy": 0.5})
    out = OutputFolder(tmp_path / "out")
    assert "0.5000" in sweep([plan], run.path, tmp_path, ONE_BY_ONE, out)
    files = sorted(path.name for path in out.path.iterdir())
    assert files == ["sweep.csv", "sweep.md"]


def test_a_history_can_lack_the_metric_of_the_first_run(tmp_path):
    grid = {"training.metric": ["macro_f1", None]}
    plans = plan_grid("configs/snli/dsa.yaml", [], grid, [])
    columns_by_plan = (["macro_f1", "accuracy"], ["accuracy"])
    for plan, columns in zip(plans, columns_by_plan, strict=True):
        run = RunFolder(tmp_path / "-".join(columns))
        run.path.mkdir()
        run.write("config.yaml", plan.experiment.to_yaml())
        facts = {"run_format": 1, "sha256": {}, "steps": 9, "stopped": True}
        run.write_json("environment.json", facts)
        history = {f"val_{column}": 0.5 for column in columns}
        run.write_history([{"evaluation": 1, "step": 9, **history}])
        run.add_metrics({"split": "dev", "accuracy": 0.5, "macro_f1": 0.25})
    results = GridResults(plans, tmp_path, tmp_path)
    assert [combination.mean for combination in results.combinations] == [0.25, 0.25]
    assert [len(combination.curves) for combination in results.combinations] == [1, 0]


def test_a_curve_without_numbers_is_refused(run_copy):
    (run_copy / "history.csv").write_text("step,loss\n1,2\n")
    with pytest.raises(InputError, match="no numbers in 'step' and 'val_accuracy'"):
        read_curve(RunFolder(run_copy), "val_accuracy")


def test_files_are_written_also_where_a_run_has_failed(finished, tmp_path, monkeypatch):
    plans = plan_small(finished)

    def complete_one(plans, splits, folder, *_):
        copy_run(finished, folder / "one", plans[0], 0.75)
        raise JobsFailed("one has failed")

    monkeypatch.setattr(module, "complete_runs", complete_one)
    out = OutputFolder(tmp_path / "out")
    with pytest.raises(JobsFailed, match="one has failed"):
        sweep(plans, tmp_path / "runs", finished, None, out)
    files = sorted(path.name for path in out.path.iterdir())
    assert files == ["curves.png", "sweep.csv", "sweep.md"]
    table = (out.path / "sweep.md").read_text()
    assert "0.7500" in table and "best" not in table  # one of two seeds
    with pytest.raises(InputError, match="already exists. --force replaces it"):
        sweep(plans, tmp_path / "runs", finished, None, out)


def test_a_run_without_its_dev_evaluation_is_evaluated(finished, tmp_path, capsys):
    plans = plan_small(finished)[:1]
    copy_run(finished, tmp_path / "runs" / "a", plans[0], 0.75)
    out = OutputFolder(tmp_path / "out", force=True)
    assert "0.7500" in sweep(plans, tmp_path / "runs", finished, ONE_BY_ONE, out)
    (tmp_path / "runs" / "a" / "metrics.json").unlink()  # killed before it
    executor = PrintingExecutor()
    assert sweep(plans, tmp_path / "runs", tmp_path, executor, out) is None
    assert capsys.readouterr().out == ""  # the file of dev is not here
    sweep(plans, tmp_path / "runs", finished, executor, out)
    (line,) = capsys.readouterr().out.splitlines()
    assert "evaluate" in line and "--split dev" in line


def test_the_command_prints_one_line_a_run(finished, tmp_path, scripts, capfd):
    arguments = [str(finished / "small.yaml"), "--data-root", str(finished)]
    arguments += ["--runs", str(tmp_path), "--grid", "model.dropout=0.2,0.1"]
    assert scripts.sweep.main([*arguments, "--executor", "print"]) == 0
    printed = capfd.readouterr()
    lines = [shlex.split(line) for line in printed.out.splitlines()]
    assert [line[line.index("--set") + 1] for line in lines] == [
        "model.dropout=0.2",
        "model.dropout=0.1",
    ]
    assert all("--resume" in line for line in lines)
    assert "runs: 2, jobs left: 2" in printed.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options, message",
    [
        (["--workers", "2", "--executor", "print"], "--workers requires --executor"),
        (["--address", "auto"], "--address requires --executor ray"),
        (["--gpus", "1"], "--gpus requires --executor ray"),
        (["--cores", "2", "--executor", "print"], "--cores cannot be combined"),
    ],
)
def test_options_of_other_executors_are_refused(scripts, capsys, options, message):
    assert scripts.sweep.main([CONFIG, *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", ["--workers=0", "--workers=x", "--gpus=1.5", "--executor=slurm"]
)
def test_wrong_values_of_options_are_refused(scripts, capsys, option):
    with pytest.raises(SystemExit) as end:
        scripts.sweep.main([CONFIG, option])
    assert end.value.code == 2


def test_a_missing_ray_names_its_extra(scripts, capsys, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "ray", None)
    arguments = [CONFIG, "--executor", "ray", "--runs", str(tmp_path)]
    assert scripts.sweep.main(arguments) == 2
    assert (
        f"To install it: {format_install_command('cluster')}" in capsys.readouterr().err
    )
    assert not list(tmp_path.rglob(".shared*"))


@pytest.mark.parametrize(
    ("grid", "settings", "key"),
    [
        ({"data.dev": ["a.jsonl", "b.jsonl"]}, [], "data.dev"),
        ({}, ["data.folds.fold=2"], "data.folds.fold"),
    ],
)
def test_settings_that_the_folds_replace_are_an_error(grid, settings, key):
    with pytest.raises(InputError, match=f"--folds cannot be combined with '{key}'"):
        plan_grid(CONFIG, [], grid, settings, folds=5)
