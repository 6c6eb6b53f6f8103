"""What W&B and Trackio are asked for, with packages in their place that note it."""

import json
import sys
import types

import pytest

from tests.training.tracking.test_trackers import (
    HISTORY,
    experiment_with,
    open_log,
    run,
)

__all__ = ["run"]  # a fixture
NUMBERS = [
    {k: v for k, v in row.items() if k != "step" and v is not None} for row in HISTORY
]


class Wandb(types.ModuleType):
    """Offline as online: each `init` is a folder, and a server has the steps."""

    def __init__(self, folder):
        super().__init__("wandb")
        self.folder = folder
        self.asked = []
        self.logged = {}  # folder name -> [(step, numbers), ...]
        self.finished = 0
        self.step = 0  # what a server would say
        self.Settings = lambda **settings: settings

    def init(self, **arguments):
        self.asked.append(arguments)
        kind = "offline-run" if arguments["mode"] == "offline" else "run"
        name = f"{kind}-2026_{len(self.asked)}-{arguments['id']}"
        folder = self.folder / "wandb" / name / "files"
        folder.mkdir(parents=True)
        rows = self.logged.setdefault(name, [])
        return types.SimpleNamespace(
            dir=str(folder),
            step=0 if arguments["mode"] == "offline" else self.step,
            log=lambda numbers, step: rows.append((step, numbers)),
            finish=self._finish,
        )

    def _finish(self):
        self.finished += 1


@pytest.fixture
def wandb(tmp_path, monkeypatch):
    package = Wandb(tmp_path)
    monkeypatch.setitem(sys.modules, "wandb", package)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.delenv("WANDB_PROJECT", raising=False)
    return package


def write(run, name, *counts):
    with open_log(run, experiment_with(name)) as run_log:
        for count in counts:
            run_log.track(HISTORY[:count])


def test_wandb_is_offline_and_gets_the_history_and_the_config(wandb, run):
    write(run, "wandb", 1, 2, 3)
    (asked,) = wandb.asked
    assert (asked["mode"], asked["resume"], asked["project"]) == (
        "offline",
        None,
        "dsa",
    )
    assert asked["name"] == "mini/seed-3" and len(asked["id"]) == 8
    assert asked["config"]["training.epochs"] == 2 and asked["config"]["seed"] == 3
    (rows,) = wandb.logged.values()
    assert rows == list(zip([3, 6, 7], NUMBERS, strict=True))
    assert wandb.finished == 1


def test_a_curve_that_was_not_closed_is_given_again(wandb, run):
    killed = open_log(run, experiment_with("wandb"))
    killed.track(HISTORY)
    record = run.path / "tracking.json"
    assert json.loads(record.read_text())["steps"] == {}
    write(run, "wandb", 3)
    first, second = wandb.logged.values()
    assert first == second and wandb.finished == 1
    assert json.loads(record.read_text())["steps"] == {"wandb": 7}
    write(run, "wandb", 3)
    assert len(wandb.logged) == 2  # nothing is left to do


def test_wandb_offline_replaces_what_an_earlier_process_has_left(wandb, run, tmp_path):
    other = tmp_path / "wandb" / "offline-run-2026_0-another1"
    other.mkdir(parents=True)
    write(run, "wandb", 1, 2)
    write(run, "wandb", 3)
    first, second = (asked["id"] for asked in wandb.asked)
    assert first == second
    left = sorted(path.name for path in (tmp_path / "wandb").iterdir())
    assert left == [other.name, f"offline-run-2026_2-{first}"]
    assert [step for step, _ in wandb.logged[left[1]]] == [3, 6, 7]


def test_wandb_online_goes_on_after_the_steps_of_the_server(wandb, run, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "online")
    monkeypatch.setenv("WANDB_PROJECT", "mine")
    wandb.step = 4  # it has step 3
    write(run, "wandb", 3)
    (asked,) = wandb.asked
    assert (asked["mode"], asked["resume"], asked["project"]) == (
        "online",
        "allow",
        "mine",
    )
    (rows,) = wandb.logged.values()
    assert [step for step, _ in rows] == [6, 7]


class Trackio(types.ModuleType):
    """A project is a list of runs; it exists from its first run on."""

    def __init__(self):
        super().__init__("trackio")
        self.projects = {}
        self.finished = 0

    def Api(self):  # noqa: N802
        def runs(project):
            if project not in self.projects:
                raise ValueError("there is no such project")
            return self.projects[project]

        return types.SimpleNamespace(runs=runs)

    def init(self, project, *, name, config, **options):
        assert set(options) == {"embed", "auto_log_cpu", "auto_log_gpu"}
        runs = self.projects.setdefault(project, [])
        self.run = types.SimpleNamespace(name=name, config=config, rows=[])
        self.run.delete = lambda run=self.run: runs.remove(run)
        runs.append(self.run)
        print("* Created")

    def log(self, numbers, step):
        self.run.rows.append((step, numbers))

    def finish(self):
        self.finished += 1


@pytest.fixture
def trackio(monkeypatch):
    package = Trackio()
    monkeypatch.setitem(sys.modules, "trackio", package)
    for variable in ("TRACKIO_SPACE_ID", "TRACKIO_SERVER_URL"):
        monkeypatch.delenv(variable, raising=False)
    return package


def test_trackio_gets_each_row_once_from_several_processes(trackio, run, capsys):
    trackio.projects["dsa"] = [types.SimpleNamespace(name="another", rows=[])]
    write(run, "trackio", 1, 2)
    write(run, "trackio", 3)
    other, mine = trackio.projects["dsa"]
    assert other.name == "another" and mine.name.startswith("mini/seed-3 ")
    assert mine.rows == list(zip([3, 6, 7], NUMBERS, strict=True))
    assert mine.config["model.heads"] == 3 and trackio.finished == 2
    assert capsys.readouterr().out == ""


def test_trackio_writes_to_no_server(trackio, run, monkeypatch, caplog):
    monkeypatch.setenv("TRACKIO_SPACE_ID", "someone/space")
    write(run, "trackio", 1)
    assert trackio.projects == {}
    assert "TRACKIO_SPACE_ID is set, but only local tracking" in caplog.text
