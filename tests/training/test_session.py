"""What a resumed training says of its earlier parts."""

import pytest

from dsa.training import session as module
from dsa.training.session import Session

HERE = {"commit": "b", "device": "CPU", "keras": "3.15"}


class NoFacts:
    def facts(self):
        return {}


def facts_after(earlier, monkeypatch):
    monkeypatch.setattr(module, "describe", lambda: dict(HERE))
    experiment = type("Experiment", (), {"seed": 13})
    session = Session(experiment, None, NoFacts(), earlier, "train", 0.0)
    return session.facts({})


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
