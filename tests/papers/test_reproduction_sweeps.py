"""Selection of the best of several settings on dev."""

import dataclasses
import types

import pytest

from dsa.errors import InputError
from dsa.papers import reproduction
from dsa.papers.reproduction import Folders, choose_swept_rows, make_plan
from dsa.papers.table import Measure, Row, Table
from dsa.papers.table_files import find_table
from dsa.system.folders import find_bundled
from tests.support.runs import write_experiment

ACCURACIES = {0.1: [0.5, 0.7], 0.2: [0.8, 0.8], 0.3: [0.9, 0.6]}  # by dropout


@pytest.fixture
def swept(tmp_path, monkeypatch):
    """A table with a swept row; fake runs have the dev accuracies `ACCURACIES`."""
    config = str(write_experiment(tmp_path))
    sweep = {f"keep {1 - drop:.1f}": {"model.dropout": drop} for drop in ACCURACIES}
    rows = Row("swept", config, sweep=sweep), Row("plain", config)
    table = Table("T", "snli", rows, (Measure("test", ("test",)),), notes=("first",))
    calls = []

    class FoundRuns:
        missing = None  # the dropout whose runs are missing
        not_evaluated = None  # the dropout whose runs were not evaluated on dev

        @classmethod
        def scan(cls, folder, data_root):
            return cls()

        def find(self, experiment):
            drop, seed = experiment.model.dropout, experiment.seed
            if drop == self.missing:
                return None
            if drop == self.not_evaluated:
                return types.SimpleNamespace(entries={})
            entry = {"accuracy": ACCURACIES[drop][seed - 1]}
            return types.SimpleNamespace(entries={"dev": entry})

    monkeypatch.setattr(
        reproduction,
        "complete_runs",
        lambda plans, splits, *_: calls.append((plans, splits)),
    )
    monkeypatch.setattr(reproduction, "RunIndex", FoundRuns)
    monkeypatch.setattr(
        reproduction,
        "read_evaluations",
        lambda run, root: run.entries,
    )
    folders = Folders(checkout=tmp_path, data=tmp_path, runs=tmp_path, tables=None)
    return table, folders, calls, FoundRuns


def test_dev_selects_and_the_notes_contain_the_selection(swept):
    table, folders, calls, _ = swept
    chosen = choose_swept_rows(table, "full", [1, 2], folders)
    assert chosen.rows[0].overrides == {"model.dropout": 0.2}
    assert chosen.rows[0].name == "swept" and chosen.rows[1] == table.rows[1]
    assert chosen.notes == (
        "first",
        "swept: the paper reports the best of 3 settings. Here dev chose keep 0.8; "
        "accuracy on dev: keep 0.9 60.00 %, keep 0.8 80.00 %, keep 0.7 75.00 %.",
    )
    assert [splits for _, splits in calls] == [("dev",)] * 3  # never on test
    assert [len(plans) for plans, _ in calls] == [2] * 3


def test_a_row_with_missing_runs_is_unchanged(swept):
    table, folders, calls, runs = swept
    runs.missing = 0.3
    assert choose_swept_rows(table, "full", [1, 2], folders, executor=None) == table
    assert calls == []


def test_a_row_with_missing_dev_evaluations_is_unchanged(swept):
    table, folders, _, runs = swept
    runs.not_evaluated = 0.3
    assert choose_swept_rows(table, "full", [1, 2], folders, executor=None) == table


def test_only_chosen_rows_are_swept(swept):
    table, folders, calls, _ = swept
    assert choose_swept_rows(table, "full", [1], folders, rows=["plain"]) == table
    assert calls == []


def test_a_swept_row_is_chosen_by_the_name_of_its_model(swept):
    table, folders, calls, _ = swept
    chosen = choose_swept_rows(table, "full", [1, 2], folders, rows=["DSA"])
    assert chosen.rows[0].overrides == {"model.dropout": 0.2}
    assert len(calls) == 3


def test_the_plan_of_a_sweep_contains_the_runs_of_each_setting(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    folders = Folders(find_bundled(), tmp_path, runs, tables=None)
    rows = ["multi_head", "Directional self-attention network (DiSAN)"]
    counts = {
        sweep: len(
            make_plan("disan-1", "full", [1, 2], folders, rows, sweep=sweep).plans
        )
        for sweep in (False, True)
    }
    assert counts == {False: 4, True: 2 * (5 + 1)}
    plan = make_plan("disan-1", "full", [1], folders, ["multi_head"], sweep=True)
    assert "keep probability 0.75" in plan.describe()


def test_an_unknown_row_stops_before_the_sweep(swept):
    table, folders, calls, _ = swept
    with pytest.raises(InputError, match="--rows: no row 'none' to train"):
        choose_swept_rows(table, "full", [1], folders, rows=["none"])
    assert calls == []


def test_disan_sweeps_the_multi_head_baseline_from_70_to_90():
    (row,) = [row for row in find_table("disan-1").rows if row.sweep]
    assert row.name == "Multi-head with s2t self-attention"
    kept = [f"keep probability 0.{share}" for share in (70, 75, 80, 85, 90)]
    assert list(row.sweep) == kept
    for overrides in row.sweep.values():
        assert len(overrides) == 3 and len(set(overrides.values())) == 1
    assert dataclasses.replace(row, sweep={}).overrides == {}
