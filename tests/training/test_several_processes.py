"""One training on two processes of this machine against one on one process (JAX)."""

import os
import socket
import subprocess
import sys

import keras
import numpy as np
import pytest

from dsa.runs.run_folder import RunFolder
from tests.support.runs import write_experiment
from tests.support.stopped_runs import arrays_of, history_of

pytestmark = pytest.mark.keras
on_jax = pytest.mark.skipif(
    keras.backend.backend() != "jax", reason="several processes train on JAX"
)
DEVICES = "training.devices=all"
TRAINING = {"batch_size": 9, "shapes": 2, "evaluate_every": 2}


def find_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def start(config, run, port, index, *settings):
    line = [sys.executable, "scripts/train.py", str(config), "--resume"]
    line += ["--data-root", str(config.parent), "--run", str(run)]
    line += ["--processes", "2", "--process", str(index)]
    line += ["--coordinator", f"127.0.0.1:{port}", "--set", DEVICES, *settings]
    return subprocess.Popen(
        line,
        env={**os.environ, "PYTHONPATH": "."},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def train_on_two(config, run, settings=((), ()), other_run=None):
    """Returns the exit code and standard error of both processes.

    Args:
        other_run: the run folder of the second process, if it is another one.
    """
    port, runs = find_port(), (run, other_run or run)
    processes = [start(config, runs[i], port, i, *settings[i]) for i in (0, 1)]
    errors = [process.communicate(timeout=300)[1] for process in processes]
    codes = [process.returncode for process in processes]
    return codes, errors


@on_jax
@pytest.mark.slow
def test_two_processes_find_the_weights_of_one_with_dropout(tmp_path, scripts):
    """Batches of 9 rows, one of which is filled, and a last one of 3."""
    config = write_experiment(tmp_path, training=TRAINING)
    one, two = RunFolder(tmp_path / "one"), RunFolder(tmp_path / "two")
    stopped = ["training.epochs=1"]
    for settings in (stopped, stopped):  # the second time all is finished
        codes, errors = train_on_two(config, two.path, (settings, settings))
        assert codes == [0, 0], errors
    arguments = [str(config), "--data-root", str(tmp_path), "--run", str(one.path)]
    assert scripts.train.main([*arguments, "--set", *stopped]) == 0

    assert two.environment()["processes"] == two.environment()["devices"] == 2
    rows = zip(history_of(one), history_of(two), strict=True)
    for number, (expected, shared) in enumerate(rows):
        assert shared["step"] == expected["step"]
        # the loss of the first two steps tells whether dropout was the same; the last
        # batch is filled, which counts in the mean that is logged, not in gradients
        for name in ("val_loss", *["loss"] * (number == 0)):
            assert float(shared[name]) == pytest.approx(float(expected[name]), abs=1e-5)
    with np.load(one.state) as expected, np.load(two.state) as shared:
        arrays = sorted(set(expected) - {"record", "checksum"})
        assert arrays == sorted(set(shared) - {"record", "checksum"})
        for name in arrays:
            # Adam makes much of a gradient that is 0 but for the order of sums
            np.testing.assert_allclose(shared[name], expected[name], atol=2e-3)
    names = {path.name for path in two.path.iterdir()}
    assert names == {path.name for path in one.path.iterdir()}
    assert len(two.metrics()) == 2  # process 0 evaluated at the end of both


@on_jax
@pytest.mark.slow
def test_a_process_that_is_killed_ends_the_other_and_both_go_on(tmp_path):
    config = write_experiment(tmp_path, training=TRAINING)
    whole, run = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "run")
    assert train_on_two(config, whole.path)[0] == [0, 0]
    port = find_port()
    first, second = (start(config, run.path, port, i) for i in (0, 1))
    while not run.state.exists():
        assert first.poll() is None and second.poll() is None
    second.kill()
    second.communicate()
    _, error = first.communicate(timeout=300)
    assert first.returncode == 75, error
    assert error.splitlines()[-1] == (
        "error: process 0: another process of this training has ended. Start all of "
        "them again with --resume"
    )
    assert "Traceback" not in error
    codes, errors = train_on_two(config, run.path)
    assert codes == [0, 0], errors
    assert arrays_of(run) == arrays_of(whole)
    assert history_of(run) == history_of(whole)


@on_jax
@pytest.mark.slow
def test_processes_with_other_settings_are_refused(tmp_path):
    config = write_experiment(tmp_path, training=TRAINING)
    settings = (["seed=1"], ["seed=2"])
    codes, errors = train_on_two(config, tmp_path / "run", settings)
    assert codes == [2, 2], errors
    for error in errors:
        last = error.strip().split("\n")[-1]
        assert last == (
            "error: the processes of this training have not the same settings"
        )
    assert not (tmp_path / "run").exists()


@on_jax
@pytest.mark.slow
def test_a_process_that_does_not_see_the_run_folder_is_refused(tmp_path):
    config = write_experiment(tmp_path, training=TRAINING)
    run, settings = RunFolder(tmp_path / "run"), (["training.epochs=1"],) * 2
    assert train_on_two(config, run.path, settings)[0] == [0, 0]
    state = run.state.read_bytes()
    codes, errors = train_on_two(config, run.path, settings, tmp_path / "elsewhere")
    assert codes == [2, 2], errors
    for error in errors:
        assert error.strip().split("\n")[-1] == (
            "error: the processes of this training have not the same training state in "
            "their run folder"
        )
    assert run.state.read_bytes() == state and not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(keras.backend.backend() == "jax", reason="JAX can")
def test_other_backends_train_with_one_process(tmp_path, scripts, capsys):
    config = write_experiment(tmp_path)
    place = ["--processes", "2", "--process", "0", "--coordinator", "127.0.0.1:9"]
    arguments = [str(config), "--data-root", str(tmp_path), "--set", DEVICES, *place]
    assert scripts.train.main([*arguments, "--run", str(tmp_path / "run")]) == 2
    assert "needs KERAS_BACKEND=jax" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (["--processes", "2"], "are needed together"),
        (["--processes", "2", "--process", "2", "--coordinator", "a:1"], "from 0 to 1"),
        (["--processes", "2", "--process", "0", "--coordinator", "a"], "HOST:PORT is"),
        (["--processes", "0", "--process", "0", "--coordinator", "a:1"], "from 2 on"),
        (
            ["--processes", "2", "--process", "0", "--coordinator", "a:1"],
            "only with training.devices=all",
        ),
    ],
)
def test_a_wrong_place_is_one_line(tmp_path, scripts, capsys, place, message):
    config = write_experiment(tmp_path)
    arguments = [str(config), "--data-root", str(tmp_path), *place]
    assert scripts.train.main([*arguments, "--run", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert not (tmp_path / "run").exists()
