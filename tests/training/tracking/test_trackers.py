"""What trackers get of a run's history, without a training."""

import importlib.util
import json
import logging
import sys
import threading
import types

import pytest

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.runs.run_folder import RunFolder
from dsa.system.extras import format_install_command
from dsa.training import run_log as module
from dsa.training.run_log import RunLog
from dsa.training.run_state import open_run
from dsa.training.tracking.tracker import Tracker
from tests.support.event_files import read_events, read_scalars
from tests.support.runs import SETTINGS, write_experiment

HISTORY = [
    {"evaluation": 1, "step": 3, "loss": 0.5, "val_loss": None, "val_accuracy": None},
    {"evaluation": 2, "step": 6, "loss": 0.25, "val_loss": 1.5, "val_accuracy": 0.75},
    {"evaluation": 3, "step": 7, "loss": 0.125, "val_loss": 2, "val_accuracy": 0.5},
]


def experiment_with(*names, **settings):
    training = {**SETTINGS["training"], "track": list(names), **settings}
    return Experiment.model_validate({**SETTINGS, "training": training})


@pytest.fixture
def run(tmp_path):
    run = RunFolder(tmp_path / "runs" / "mini" / "seed-3")
    run.path.mkdir(parents=True)
    return run


def open_log(run, experiment):
    return RunLog(run, experiment.model_dump(mode="json"), experiment.training.track)


def write(run, rows, *names):
    """What a process does that trains until `rows` of the history are there."""
    with open_log(run, experiment_with(*(names or ["tensorboard"]))) as run_log:
        for count in rows:
            run_log.track(HISTORY[:count])


def age(run):
    """Give the event files of a run a name of another second, as time does."""
    for number, file in enumerate((run.path / "tensorboard").iterdir()):
        file.rename(file.with_name(f"events.out.tfevents.100000000{number}.host"))


def test_tensorboard_gets_every_number_at_its_step(run):
    write(run, [1, 2, 3])
    assert read_scalars(run.path / "tensorboard") == {
        "evaluation": [(3, 1), (6, 2), (7, 3)],
        "loss": [(3, 0.5), (6, 0.25), (7, 0.125)],
        "val_loss": [(6, 1.5), (7, 2)],
        "val_accuracy": [(6, 0.75), (7, 0.5)],
    }


def test_tensorboard_gets_the_resolved_config(run):
    write(run, [1])
    (text,) = [
        value.tensor.string_val[0].decode()
        for event in read_events(run.path / "tensorboard")
        for value in event.summary.value
        if value.tag == "config/text_summary"
    ]
    assert "    seed: 3\n" in text and "      early_stopping: null\n" in text


@pytest.mark.parametrize("processes", [[[1, 2], [3]], [[1], [3]], [[1, 2], [2, 3]]])
def test_no_step_is_missing_or_twice_after_a_kill(run, processes):
    """The second history begins where a state was saved whose row no tracker got, or
    got without a note of it in the run folder."""
    for rows in processes:
        record = run.path / "tracking.json"
        before = record.read_bytes() if record.exists() else None
        write(run, rows)
        age(run)
        if before and rows == [2, 3]:
            record.write_bytes(before)
    points = read_scalars(run.path / "tensorboard")["loss"]
    assert points == [(3, 0.5), (6, 0.25), (7, 0.125)]
    assert len(list((run.path / "tensorboard").iterdir())) == 1


def test_what_a_kill_has_left_of_a_file_is_replaced(run):
    write(run, [1])
    (file,) = (run.path / "tensorboard").iterdir()
    file.write_bytes(file.read_bytes()[:-5])
    age(run)
    write(run, [2])
    assert read_scalars(run.path / "tensorboard")["loss"] == [(3, 0.5), (6, 0.25)]


def test_an_open_tensorboard_forgets_what_is_written_again(run):
    write(run, [1])
    starts = [
        event.step
        for event in read_events(run.path / "tensorboard")
        if event.HasField("session_log")
    ]
    assert starts == [0]


def test_a_run_keeps_its_id_and_a_complete_curve_is_left_as_it_is(run):
    write(run, [1, 2])
    record = json.loads((run.path / "tracking.json").read_text())
    assert record == {"id": record["id"], "steps": {"tensorboard": 6}}
    (file,) = (run.path / "tensorboard").iterdir()
    file.write_text("as it is")
    write(run, [2])
    assert file.read_text() == "as it is"
    write(run, [3])
    assert json.loads((run.path / "tracking.json").read_text())["id"] == record["id"]


def test_a_tracker_that_is_named_later_gets_the_whole_history(run):
    with open_log(run, experiment_with()) as run_log:
        run_log.track(HISTORY[:2])
    assert list(run.path.iterdir()) == []
    write(run, [3])
    assert len(read_scalars(run.path / "tensorboard")["loss"]) == 3


def test_a_model_without_steps_counts_its_evaluations(run):
    rows = [{"evaluation": 1, "C": 0.5}, {"evaluation": 2, "C": 2}]
    with open_log(run, experiment_with("tensorboard")) as run_log:
        run_log.track(rows)
    assert read_scalars(run.path / "tensorboard")["C"] == [(1, 0.5), (2, 2)]


class Failing(Tracker):
    """Fails at its second step."""

    def open(self):
        pass

    def write_step(self, step, numbers):
        if step > 3:
            raise OSError("no space left\non the device")

    def close(self):
        pass


def test_a_tracker_that_fails_is_left_out_with_one_warning(run, monkeypatch, caplog):
    failing = types.SimpleNamespace(WandbTracker=Failing)
    monkeypatch.setitem(sys.modules, "dsa.training.tracking.wandb", failing)
    with caplog.at_level(logging.WARNING, "dsa"):
        write(run, [1, 2, 3], "wandb", "tensorboard")
    (warning,) = [record.getMessage() for record in caplog.records]
    assert warning == (
        "wandb failed and is disabled: no space left. history.csv remains complete"
    )
    assert len(read_scalars(run.path / "tensorboard")["loss"]) == 3
    steps = json.loads((run.path / "tracking.json").read_text())["steps"]
    assert steps == {"wandb": 3, "tensorboard": 7}  # a resumed run tries again


class Silent(Failing):
    """Waits for an answer at its second step, and whenever it is closed."""

    def write_step(self, step, numbers):
        if step > 3:
            self.close()

    def close(self):
        threading.Event().wait()


def test_a_tracker_that_waits_for_ever_is_left_out(run, monkeypatch, caplog):
    silent = types.SimpleNamespace(WandbTracker=Silent)
    monkeypatch.setitem(sys.modules, "dsa.training.tracking.wandb", silent)
    monkeypatch.setattr(module, "TRACKER_TIMEOUT", 0.5)
    with caplog.at_level(logging.WARNING, "dsa"):
        write(run, [1, 2, 3], "wandb", "tensorboard")
    (warning,) = [record.getMessage() for record in caplog.records]
    assert "disabled: timed out after 0.5 seconds. history.csv remains" in warning
    assert len(read_scalars(run.path / "tensorboard")["loss"]) == 3


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"id": "../..", "steps": {}}', '{"id": "0123abcd"}']
)
def test_a_damaged_record_is_refused_before_anything_is_changed(run, content):
    experiment = experiment_with("tensorboard")
    run.write("config.yaml", experiment.to_yaml())
    run.write("tracking.json", content)
    with pytest.raises(InputError, match=r"tracking\.json: (damaged|not JSON)"):
        with open_run(experiment, run):
            pass


@pytest.mark.parametrize(
    ("name", "package"),
    [("tensorboard", "tensorboardX"), ("wandb", "wandb"), ("trackio", "trackio")],
)
def test_a_missing_package_is_one_line_before_anything_is_written(
    name, package, tmp_path, scripts, capsys, monkeypatch
):
    config = write_experiment(tmp_path, training={"track": [name]})
    original = importlib.util.find_spec
    monkeypatch.setattr(
        module.importlib.util,
        "find_spec",
        lambda wanted: None if wanted == package else original(wanted),
    )
    before = set(tmp_path.rglob("*"))
    assert scripts.train.main([str(config), "--run", str(tmp_path / "run")]) == 2
    assert capsys.readouterr().err == (
        f"error: 'training.track: {name}' requires the package {package}. "
        f"To install it: {format_install_command(name)}\n"
    )
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["aim"], "should be 'tensorboard', 'wandb' or 'trackio'"),
        (["wandb"] * 2, "expected distinct names"),
    ],
)
def test_only_known_trackers_are_named_and_each_once(names, message):
    with pytest.raises(ValueError, match=message):
        experiment_with(*names)


def test_trackers_decide_nothing_of_a_run(run):
    one, other = experiment_with("wandb"), experiment_with("tensorboard")
    with open_run(one, run):
        run.write("history.csv", "begun")  # else another run takes its place
    with open_run(other, run):
        assert run.experiment().training.track == ["wandb"]  # as it was started
    with pytest.raises(InputError, match="Changed: training.epochs$"):
        with open_run(experiment_with("wandb", epochs=3), run):
            pass
