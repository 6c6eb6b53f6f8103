"""A hint where dev falls after the first epoch of a small corpus."""

import logging
import types

import pytest

from dsa.training.callbacks import SMALL_CORPUS, OverfittingHint


def run_epochs(values, rows=100, error=0.01, steps=5):
    """The hint after each of some evaluations on dev, two in an epoch of 10 steps."""
    history = []
    dev = types.SimpleNamespace(metric="accuracy", standard_error=error)
    hint = OverfittingHint(
        steps=None,
        steps_per_epoch=10,
        dev_evaluation=dev,
        history=history,
        num_rows=rows,
    )
    for number, value in enumerate(values, start=1):
        history.append({"step": steps * number, "val_accuracy": value})
        hint.on_epoch_end(number)


@pytest.fixture
def hints(caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("dsa"), "propagate", True)
    caplog.set_level(logging.INFO, "dsa")
    return caplog


def test_a_fall_of_more_than_two_standard_errors_is_said_once(hints):
    run_epochs([0.6, 0.7, 0.69, 0.67, 0.66, 0.6])
    (message,) = hints.messages
    assert message.startswith("hint: dev accuracy has fallen since the first epoch")
    assert "the 100 training rows by heart" in message


@pytest.mark.parametrize(
    "values",
    [
        [0.6, 0.7, 0.69, 0.681],  # noise of a few rows
        [0.7, 0.6],  # inside the first epoch
        [0.6, 0.7, 0.75, 0.6],  # better after it
        [None, None, 0.7, 0.6],  # no evaluation in it
        [0.6, 0.7, None],
    ],
)
def test_no_hint_without_a_clear_fall_from_the_first_epoch(hints, values):
    run_epochs(values)
    assert not hints.messages


def test_no_hint_for_a_large_corpus_or_a_metric_without_standard_error(hints):
    run_epochs([0.6, 0.7, 0.5], rows=SMALL_CORPUS)
    run_epochs([0.6, 0.7, 0.5], error=None)
    assert not hints.messages


def test_a_training_gives_the_hint_with_its_standard_error(
    scripts, tmp_path, monkeypatch
):
    """Its dev accuracy is made to fall; 12 dev rows have a large standard error."""
    from dsa.training import network_training
    from tests.support.runs import SMALL_MODEL, write_experiment

    values = iter([0.9, 0.5, 0.4])

    def measure(*arguments, **options):
        return {"loss": 1.0, "accuracy": next(values), "standard_error": 0.1}

    monkeypatch.setattr(network_training, "measure_labelled_rows", measure)
    config = write_experiment(tmp_path, model=SMALL_MODEL, training={"epochs": 3})
    run = tmp_path / "run"
    arguments = ["--data-root", str(tmp_path), "--run", str(run)]
    assert scripts.train.main([str(config), *arguments]) == 0
    log = (run / "log.txt").read_text()
    assert log.count("hint: dev accuracy has fallen") == 1
    assert log.index("epoch 2.00") < log.index("hint: dev") < log.index("epoch 3.00")
