"""The content of environment.json, and the lines that a training logs first."""

import logging
from types import SimpleNamespace

import pytest

from dsa.runs.run_folder import RunFolder
from dsa.training.run_log import RunLog, list_earlier_parts, log_model

HERE = {"commit": "b", "device": "CPU", "keras": "3.15"}
FACTS = {
    "sha256": {},
    "unknown": {},
    "parameters": {"trainable_without_embeddings": 1234567},
    "vocabulary_size": 7,
}


def test_the_environment_lists_command_and_facts(tmp_path):
    run = RunFolder(tmp_path)
    with RunLog(run, settings={}, command="dsa train here") as run_log:
        run_log.begin({**FACTS, "seed": 13})
    environment = run.environment()
    assert environment["command"] == "dsa train here"
    assert environment["seed"] == 13
    assert "earlier_parts" not in environment


def test_a_resumed_run_keeps_its_step_until_the_next_evaluation(tmp_path, monkeypatch):
    run = RunFolder(tmp_path)
    history = [{"step": 100, "seconds": 5.0, "epoch": 1.0}]
    devices = ["A", "B", "C"]
    for device in devices:  # the process with device B is killed before an evaluation
        environment = run.environment() if device != "A" else {}
        monkeypatch.setattr(
            "dsa.training.run_log.describe_environment",
            lambda device=device: {**HERE, "device": device},
        )
        run_log = RunLog(run, settings={}, environment=environment)
        run_log.begin({**FACTS, "steps_per_epoch": 100})
        if device == "A":
            run_log.write(history, stopped=False)
    environment = run.environment()
    assert environment["steps"] == 100
    parts = environment["earlier_parts"]
    assert [(part["device"], part["until_step"]) for part in parts] == [
        ("A", 100),
        ("B", 100),
    ]


@pytest.mark.parametrize("earlier", [{}, {**HERE, "steps": 7}])
def test_a_training_on_one_machine_has_no_earlier_parts(earlier):
    assert list_earlier_parts(earlier, HERE) == []


def test_the_environment_of_an_earlier_part_is_kept():
    on_gpu = {**HERE, "commit": "a", "device": "GPU", "steps": 7, "pairs": {}}
    part = {"until_step": 7, "commit": "a", "device": "GPU", "keras": "3.15"}
    parts = list_earlier_parts(on_gpu, HERE)
    assert parts == [part]
    facts = {**HERE, "earlier_parts": parts, "steps": 9}
    assert list_earlier_parts(facts, HERE) == [part]
    elsewhere = {**facts, "device": "TPU"}
    parts = list_earlier_parts(elsewhere, HERE)
    assert [part["until_step"] for part in parts] == [7, 9]


@pytest.mark.parametrize(
    ("path", "units", "published", "warns"),
    [
        ("a.txt", 300, 300, False),
        ("a.txt", 50, 300, True),
        (None, 50, 300, False),
        ("a.txt", 50, None, False),
    ],
)
def test_vectors_of_another_size_than_the_papers_are_a_warning(
    path, units, published, warns, caplog
):
    embedding = SimpleNamespace(path=path, output_units=units)
    model = SimpleNamespace(name="dsa", published_units=published)
    experiment = SimpleNamespace(embedding=embedding, model=model)
    with caplog.at_level(logging.INFO):
        log_model(experiment.model, experiment.embedding, FACTS)
    assert ("1,234,567, differs from the paper" in caplog.text) == warns
