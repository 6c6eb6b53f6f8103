"""The campaign on a GPU: its order, its limits of time, and what it skips."""

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.processes import is_alive

SPREAD = {"median": 0.5, "min": 0.25, "max": 1, "all": [0.25, 0.5, 1]}


@pytest.fixture
def campaign():
    """The module, imported as the script imports it."""
    import campaign as module

    yield module
    for name in ("campaign", "campaign_size", "bounded"):
        del sys.modules[name]


@pytest.fixture
def make(campaign, tmp_path):
    """Makes a `Campaign` that writes below a temporary folder."""

    def make(name="FULL"):
        size = getattr(importlib.import_module("campaign_size"), name)
        folders = tmp_path / "out", tmp_path / "runs", Path("data")
        return campaign.Campaign(size, *folders, torch="/no/python")

    return make


@pytest.fixture
def lines(campaign, monkeypatch):
    """The commands that a campaign would run; each writes its figures."""
    lines = []

    def run(line, deadline, folder, variables):
        lines.append(line[1:])
        if "esim" in line:
            return 1
        figures = {line[line.index("--rounds") + 1]: {"step_seconds": SPREAD}}
        facts = dict.fromkeys(("date", "commit", "processor", "cores"), "-")
        Path(line[line.index("--out") + 1]).write_text(
            json.dumps({**facts, "figures": figures})
        )
        return 0

    monkeypatch.setattr(campaign, "run_bounded", run)
    return lines


def test_the_speed_table_starts_with_all_models_in_the_first_combination(make, lines):
    campaign = make()
    report = campaign.run_part("speed", 60)
    assert len(lines) == 2 * 2 * 4
    assert lines[0][0] == "benchmarks/train_step.py"
    shapes = [line[line.index("--sides") + 1 :] for line in lines]
    assert shapes[0] == ["real", "--precision", "float32", "--batch-size", "64"]
    assert [shape[0] for shape in shapes[:4]] == ["real", "no_mask", "disan", "esim"]
    assert [shape[4] for shape in shapes[::4]] == ["64", "512"] * 2
    assert report["left_out"] == ["plain PyTorch: /no/python cannot import torch"]
    figures = campaign.read("speed")["figures"]
    figure = figures["real, float32, batch 64"]
    assert figure["sides"] == {"1": {"step_seconds": 0.5}}
    assert figure["commit"]  # of each figure: a campaign can go on at another one


def test_only_a_benchmark_that_failed_is_repeated(make, lines):
    report = make().run_part("speed", 60)
    assert report["state"] == "failed"
    name = "speed, esim, float32, batch 64: exit code 1, see above"
    assert report["problems"][0] == name and len(report["problems"]) == 4
    lines.clear()
    make().run_part("speed", 60)
    assert len(lines) == 4 and all("esim" in line for line in lines)


def test_plain_models_come_after_the_first_steps(make, lines, campaign, monkeypatch):
    monkeypatch.setattr(campaign, "has_torch", lambda python: True)
    report = make().run_part("speed", 60)
    assert report["left_out"] == []
    scripts = [line[0] for line in lines]
    first = scripts.index("benchmarks/plain_step.py")
    assert first == 16 and scripts.count("benchmarks/plain_step.py") == 8


def test_all_models_with_the_first_seed_are_trained_first(
    make, campaign, monkeypatch, capsys
):
    plans = []
    monkeypatch.setattr(
        campaign, "complete_runs", lambda *arguments: plans.extend(arguments[0])
    )
    make().run_part("snli", 1)
    rows = ["DSA", "DSA without distance mask", "ESIM", "Bi-LSTM, max pooling"]
    assert [plan.row for plan in plans] == 3 * rows
    assert [plan.experiment.seed for plan in plans] == [13] * 4 + [14] * 4 + [15] * 4
    for plan in plans:
        experiment = plan.experiment
        assert experiment.data.train == "snli_1.0/snli_1.0_train_141k.jsonl"
        assert experiment.embedding.path == "explosion/explosion.300d.nli.txt"
        assert (experiment.embedding.units, experiment.embedding.projection) == (
            300,
            None,
        )
        training = experiment.training
        assert (training.epochs, training.schedule.name) == (4, "linear_decay")
        assert (training.select, training.shapes) == ("last", 4)


def test_the_same_runs_follow_by_pytorch(make, campaign, monkeypatch):
    report = make().run_part("snli_torch", 60)
    assert report["left_out"] == ["PyTorch: /no/python cannot import torch"]
    lines, states = [], iter(["done", "time limit reached"])
    outer = make()

    def run(line, deadline, folder, variables):
        lines.append(line)
        assert variables["KERAS_BACKEND"] == "torch"
        outer.write("torch/campaign", {"snli": {"state": next(states)}})
        return 0

    (outer.out / "torch").mkdir(parents=True)
    monkeypatch.setattr(campaign, "has_torch", lambda python: True)
    monkeypatch.setattr(campaign, "run_bounded", run)
    assert outer.run_part("snli_torch", 5)["state"] == "done"
    over = outer.run_part("snli_torch", 5)["state"]
    assert over == "time limit reached, the same command resumes"
    (line, _) = lines
    assert line[:4] == ["/no/python", "scripts/gpu_campaign.py", "--parts", "snli"]
    assert line[line.index("--minutes") + 1] == "snli=5.00"
    assert line[line.index("--runs") + 1] == str(outer.runs / "torch")


def test_a_tiny_campaign_trains_the_same_models_on_the_bundled_corpus(make, campaign):
    plans = make("TINY").plan_snli()
    assert [plan.row for plan in plans] == [name for name, _ in campaign.ROWS]
    for plan in plans:
        experiment = plan.experiment
        assert experiment.data.train == "mini/train.jsonl"
        assert (experiment.model.units, experiment.training.steps) == (10, 4)
        assert experiment.embedding.path is None and experiment.embedding.trainable


def test_a_part_ends_with_its_minutes(make, campaign, monkeypatch):
    sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    run = campaign.run_bounded
    monkeypatch.setattr(
        campaign, "run_bounded", lambda line, *others: run(sleep, *others)
    )
    began = time.monotonic()
    report = make().run_part("encode", 0.01)
    assert report["state"] == "time limit reached, the same command resumes"
    assert time.monotonic() - began < 30


@pytest.mark.exhaustive  # waits for a process that ignores SIGINT
def test_what_a_command_has_started_ends_with_it(campaign, tmp_path):
    file = tmp_path / "process"
    child = f"open({str(file)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    parent = (
        "import subprocess, sys, signal; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        f"subprocess.run([sys.executable, '-c', {'import os, time; ' + child!r}])"
    )
    with pytest.raises(campaign.TimeIsUp):
        campaign.run_bounded(
            [sys.executable, "-c", parent], time.monotonic() + 3, ".", {}
        )
    process = int(file.read_text())
    for _ in range(50):
        if not is_alive(process):
            break
        time.sleep(0.1)
    assert not is_alive(process)


def test_bulk_work_needs_a_trained_run(make, lines):
    report = make().run_part("encode", 60)
    assert [line[0] for line in lines] == ["benchmarks/encoding.py"] * 2
    assert report["left_out"] == ["bulk encoding: no DSA has been trained"]


def test_a_job_that_is_late_is_told_to_end(campaign, monkeypatch):
    executor = campaign.BoundedExecutor(time.monotonic() - 1)
    executor.open("logs")
    with pytest.raises(campaign.TimeIsUp):
        executor.has_room()
    with pytest.raises(campaign.TimeIsUp):
        executor.wait(0)


def test_minutes_are_of_a_part():
    path = Path("scripts/gpu_campaign.py")
    spec = importlib.util.spec_from_file_location("gpu_campaign", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.parse_minutes("speed=2.5") == ("speed", 2.5)
    for wrong in ("speed", "speeds=3"):
        with pytest.raises(script.argparse.ArgumentTypeError):
            script.parse_minutes(wrong)


@pytest.mark.exhaustive
@pytest.mark.skipif(
    os.environ.get("KERAS_BACKEND") != "jax", reason="the campaign runs on JAX"
)
def test_a_tiny_campaign_does_every_part_once(tmp_path):
    line = [sys.executable, "scripts/gpu_campaign.py", "--tiny"]
    line += ["--out", str(tmp_path / "out"), "--runs", str(tmp_path / "runs")]
    line += ["--data-root", "data", "--torch", "/no/python"]
    parts = ("snli", "smoke", "speed", "encode")
    line += ["--parts", *parts, "--minutes", *(f"{part}=90" for part in parts)]
    ended = subprocess.run(line, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    records = {
        path.stem: json.loads(path.read_text())
        for path in (tmp_path / "out").glob("*.json")
    }
    assert set(records) == {"campaign", "smoke", "speed", "snli", "encode"}
    assert {part["state"] for part in records["campaign"].values()} == {"done"}
    assert len(records["speed"]["figures"]) == 4
    assert len(records["snli"]["rows"]) == 4
    for row in (*records["smoke"]["rows"].values(), *records["snli"]["rows"].values()):
        assert 0 < row["mean"] <= 1 and row["seeds"]["13"]["backend"] == "jax"
    encoded = records["encode"]["figures"]["float32"]["sides"]
    assert encoded["dsa"]["sentences_per_second"] > 0
    bulk = records["encode"]["figures"]["bulk"]["sides"]["bulk"]
    assert bulk["sentences"] == 60
    again = subprocess.run(line, capture_output=True, text=True)
    assert again.returncode == 0 and "runs: 4, jobs left: 0" in again.stderr
