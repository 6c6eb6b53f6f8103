import pathlib

import pytest

from dsa.data.corpora.files import find_file
from dsa.errors import InputError
from dsa.experiment.yaml_file import (
    format_assignments,
    load_experiment,
    parse_overrides,
)
from dsa.papers.planning import choose_rows, order_plans, plan_runs
from dsa.papers.presets import FULL, load_presets
from dsa.papers.table_files import find_table, load_tables

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


def plan(name, preset, seeds):
    return plan_runs(find_table(name), preset, seeds, CHECKOUT)


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        (name, preset)
        for name, table in load_tables().items()
        for preset in (FULL, *load_presets())
        if preset == FULL or table.corpus in load_presets()[preset]
    ],
)
def test_every_row_has_a_distinct_experiment_per_seed_and_fold(name, preset):
    table = find_table(name)
    plans = plan(name, preset, [1, 2])
    experiments = [plan.experiment.model_dump_json() for plan in plans]
    assert (
        len(set(experiments))
        == len(plans)
        == 2 * (table.folds or 1) * sum(row.config is not None for row in table.rows)
    )
    assert len({plan.path for plan in plans}) == len(plans)


def test_a_preset_of_another_corpus_is_an_error():
    with pytest.raises(InputError, match="'small' does not support snli"):
        plan("dsa-1", "small", [1])


def test_rows_are_chosen_by_name():
    plans = plan("snli-models", "full", [1, 2])
    some = choose_rows(plans, ["ESIM", "DSA"])
    assert [plan.row for plan in some] == ["DSA", "DSA", "ESIM", "ESIM"]
    assert choose_rows(plans, None) == plans
    with pytest.raises(InputError, match="no row 'eism' to train. Known: 'DSA', "):
        choose_rows(plans, ["DSA", "eism"])


def list_rows(plans, *names):
    return [plan.title for plan in choose_rows(plans, names)]


def test_rows_are_chosen_by_title_config_or_model():
    plans = plan("dsa-1", "full", [1])
    ours, without = "DSA (Im & Cho)", "DSA (Im & Cho), without distance mask"
    for name in ("dsa", "DSA (Im & Cho)", "snli/dsa", "configs/snli/dsa.yaml"):
        assert list_rows(plans, name) == [ours]
    assert list_rows(plans, "Our Distance-based Self-Attention Network") == [ours]
    assert list_rows(plans, "dsa_no_distance", "disan") == [
        "600D Directional Self-Attention Network (Shen et al. 2017)",
        without,
    ]
    assert list_rows(plan("disan-2", "full", [1]), "multi_head") == [
        "Multi-head with s2t self-attention"  # a model without a config of its own
    ]


@pytest.mark.parametrize(
    ("table", "own"),
    [("dsa-1", 2), ("dsa-2", 1), ("disan-1", 2), ("aesim-2", 2), ("abcnn-3", 8)],
)
def test_the_own_models_of_a_paper_are_trained_first(table, own):
    plans = plan(table, "full", [1, 2])
    ordered = order_plans(plans, find_table(table))
    names = [p.experiment.model.name in find_table(table).own_models for p in ordered]
    assert names == [True] * 2 * own + [False] * (len(plans) - 2 * own)
    assert sorted(p.path for p in plans) == sorted(p.path for p in ordered)


def test_the_ablations_differ_from_dsa_in_one_setting_each():
    plans = plan("dsa-ablations", "full", [1])
    (dsa,) = (p.experiment.model_dump() for p in plans if p.row.startswith("DSA"))
    for ablation in plans:
        model = ablation.experiment.model_dump()["model"]
        changed = [key for key in dsa["model"] if model[key] != dsa["model"][key]]
        assert len(changed) == (0 if ablation.row.startswith("DSA") else 1), ablation


def test_the_name_of_a_plan_has_row_seed_and_fold():
    first, *_, last = plan("disan-5-cr", "full", [1, 2])
    assert first.name == "DiSAN, seed 1, fold 0"
    assert last.name == "DSA (not in this paper), seed 2, fold 9"
    names = [each.name for each in plan("dsa-2", "full", [3])]
    assert sum(name.endswith(" [SNLI mix: no], seed 3") for name in names) == 2


def test_plans_do_not_depend_on_the_working_directory(tmp_path, monkeypatch):
    before = plan("dsa-1", "partial", [1])
    monkeypatch.chdir(tmp_path)
    assert plan("dsa-1", "partial", [1]) == before
    assert str(before[-1].path).startswith("runs/snli/dsa/")
    assert before[-1].config == CHECKOUT / "configs/snli/dsa.yaml"


def test_a_missing_subset_of_a_preset_is_an_error_with_its_commands(tmp_path):
    for preset, subset in (("partial", "snli_118k"), ("subset40k", "snli_40k")):
        data = plan("dsa-1", preset, [1])[-1].experiment.data
        message = f"dsa download snli, then dsa subset {subset}$"
        with pytest.raises(InputError, match=message):
            find_file(tmp_path, data.train)


def test_the_paths_of_runs_are_stable():
    paths = {p.row: str(p.path) for p in plan("snli-models", "subset40k", [13])}
    assert paths["DSA"] == "runs/snli/dsa/300809bf/seed-13"
    assert paths["aESIM, rescaled"] == "runs/snli/aesim/47f3d262/seed-13"
    assert str(plan("dsa-1", "full", [7])[-1].path) == "runs/snli/dsa/seed-7"


def test_assignments_are_parsed_to_the_same_overrides():
    config = CHECKOUT / "configs/snli/dsa.yaml"
    overrides = {"data.train": "x.jsonl", "training.epochs": 4, "data.mix": None}
    assert parse_overrides(format_assignments(overrides)) == overrides
    assert load_experiment(config, overrides).training.epochs == 4
