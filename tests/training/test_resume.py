import pytest

from dsa.runs.run_folder import RunFolder
from tests.support.random_kills import kill_at_random_moments
from tests.support.runs import SETTINGS, SMALL_MODEL, write_experiment
from tests.support.stopped_runs import (
    INTERRUPTED,
    KILLED,
    SCHEDULE,
    USER_ERROR,
    assert_equal_ends,
    read_run_arrays,
    read_run_history,
    read_run_step,
    train,
)


@pytest.mark.slow
@pytest.mark.keras  # run on JAX in CI too
@pytest.mark.parametrize(
    "model",
    [SMALL_MODEL, pytest.param(SETTINGS["model"], marks=pytest.mark.exhaustive)],
    ids=lambda model: model["name"],
)
def test_a_run_stopped_at_any_moment_ends_as_if_it_had_never_stopped(tmp_path, model):
    config = write_experiment(tmp_path, model=model, training=SCHEDULE)
    whole, stopped = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "stopped")
    assert train("never", "-", config, whole.path)[0] == 0
    assert [row["step"] for row in read_run_history(whole)] == [
        "3",
        "6",
        "9",
        "12",
        "15",
        "16",
    ]

    for moment, when, code, step in [
        ("kill-step", 2, KILLED, 0),  # before the first evaluation
        ("kill-write", "state.npz", KILLED, 0),
        ("interrupt", 4, INTERRUPTED, 3),
        ("kill-rename", "history.csv", KILLED, 3),  # new weights, old state
        ("full-disk", 1, USER_ERROR, 3),
        ("kill-step", 5, KILLED, 6),
    ]:
        before = read_run_arrays(stopped) if moment == "full-disk" else None
        left_by_kills = set(stopped.path.rglob("tmp.*"))
        found, error = train(moment, when, config, stopped.path, "--resume")
        assert found == code, error
        assert read_run_step(stopped) == step, moment
        if moment == "full-disk":
            assert "File too large" in error and "Traceback" not in error
            assert read_run_arrays(stopped) == before
            assert set(stopped.path.rglob("tmp.*")) <= left_by_kills
    assert train("never", "-", config, stopped.path, "--resume")[0] == 0

    assert_equal_ends(whole, stopped, arrays=10)


@pytest.mark.slow
def test_a_killed_training_of_dsa_ends_as_if_it_had_never_been_killed(tmp_path):
    training = {**SCHEDULE, "shapes": 2, "epochs": 1}
    config = write_experiment(tmp_path, training=training)
    whole, stopped = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "stopped")
    assert train("never", "-", config, whole.path)[0] == 0
    assert train("kill-step", 5, config, stopped.path, "--resume")[0] == KILLED
    assert read_run_step(stopped) == 3
    assert train("never", "-", config, stopped.path, "--resume")[0] == 0
    assert_equal_ends(whole, stopped)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.keras
def test_a_run_killed_at_random_moments_ends_as_if_it_had_never_stopped(tmp_path):
    """The short form of tests.support.random_kills."""
    assert kill_at_random_moments(tmp_path, kills=3, seed=1) == 3
