"""What a training says of itself at its start, and of its earlier parts."""

import logging
from types import SimpleNamespace

import pytest

from dsa.experiment.data_config import DataConfig
from dsa.training import session as module
from dsa.training.session import Report, Session

HERE = {"commit": "b", "device": "CPU", "keras": "3.15"}


class NoFacts:
    def facts(self):
        return {}


def facts_after(earlier, monkeypatch):
    monkeypatch.setattr(module, "describe", lambda: dict(HERE))
    data = DataConfig(train="train.jsonl", dev="dev.jsonl")
    experiment = SimpleNamespace(seed=13, data=data)
    session = Session(experiment, None, NoFacts(), earlier, "train", 0.0)
    return session.facts({})


def test_the_commit_of_a_data_set_stands_in_the_record(monkeypatch):
    commit = "0123456789" * 4
    data = DataConfig(train=f"hf://a/b@{commit}/train", dev="dev.jsonl")
    experiment = SimpleNamespace(seed=13, data=data)
    monkeypatch.setattr(module, "describe", lambda: dict(HERE))
    facts = Session(experiment, None, NoFacts(), {}, "train", 0.0).facts({})
    assert facts["data_revisions"] == {"train": commit}


@pytest.mark.parametrize("earlier", [{}, {**HERE, "steps": 7}])
def test_a_training_in_one_place_has_no_parts(earlier, monkeypatch):
    assert "earlier_parts" not in facts_after(earlier, monkeypatch)


def test_what_an_earlier_part_was_computed_with_is_kept(monkeypatch):
    on_gpu = {**HERE, "commit": "a", "device": "GPU", "steps": 7, "pairs": {}}
    facts = facts_after(on_gpu, monkeypatch)
    assert facts["commit"] == "b" and facts["device"] == "CPU"
    part = {"until_step": 7, "commit": "a", "device": "GPU", "keras": "3.15"}
    assert facts["earlier_parts"] == [part]
    again = facts_after({**facts, "steps": 9}, monkeypatch)
    assert again["earlier_parts"] == [part]
    elsewhere = {**facts, "device": "TPU", "steps": 9}
    parts = facts_after(elsewhere, monkeypatch)["earlier_parts"]
    assert [one["until_step"] for one in parts] == [7, 9]


@pytest.mark.parametrize(
    ("path", "units", "published", "told"),
    [
        ("a.txt", 300, 300, False),
        ("a.txt", 50, 300, True),
        (None, 50, 300, False),
        ("a.txt", 50, None, False),
    ],
)
def test_vectors_of_another_size_than_the_papers_are_told(
    path, units, published, told, caplog
):
    embedding = SimpleNamespace(path=path, output_units=units)
    model = SimpleNamespace(name="dsa", published_units=published)
    experiment = SimpleNamespace(embedding=embedding, model=model)
    session = SimpleNamespace(experiment=experiment, write_facts=lambda facts: None)
    parameters = {"trainable_without_embeddings": 1234567}
    facts = {"unknown": {}, "parameters": parameters, "vocabulary_size": 7}
    with caplog.at_level(logging.INFO):
        Report(session, facts, 3, None).begin()
    assert ("1,234,567 parameters this is another model" in caplog.text) == told
