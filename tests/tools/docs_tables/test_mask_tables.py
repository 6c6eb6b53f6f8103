import json

import pytest

from dsa.errors import InputError
from dsa.system.text_tables import comma_separated
from tools.comparisons import LONG
from tools.docs_tables import mask_tables
from tools.docs_tables.pages import fill_tables

LINE = {
    "first": "dsa_no_distance",
    "other": "dsa",
    "split": "test",
    "minus": "",
    "rows": "all",
    "metric": "accuracy",
    "first_mean": "0.900000",
    "other_mean": "0.912500",
    "difference": "0.012500",
    "bootstrap_low": "0.001000",
    "bootstrap_high": "0.024000",
    "t_low": "0.000500",
    "t_high": "0.024500",
    "significant": "yes",
    "seeds": "16, 17",
    "units": "3000",
}


def write_experiment(checkout, name, lines):
    folder = checkout / mask_tables.EXPERIMENTS / name
    folder.mkdir(parents=True)
    text = comma_separated([{**LINE, **line} for line in lines])
    (folder / "comparisons.csv").write_text(text)


def fill(name, checkout):
    text = f"<!-- table: {name} -->\n<!-- end -->\n"
    return fill_tables(text, checkout).splitlines()[1:-1]


def test_lengths_have_the_model_without_mask_first(tmp_path):
    splits = [{"split": split} for split in mask_tables.LENGTHS]
    macro = [{"metric": "macro_f1", "other_mean": "0.1"}]
    write_experiment(tmp_path, "lengths_12", splits + macro)
    head, _, without, with_mask = fill("mask-lengths-12", tmp_path)
    assert head.startswith("| model | 1-24 words | 25-60 words | 61-120 words | minus")
    assert without.startswith("| DSA without mask, alpha 0 | 90.00 | 90.00 | 90.00 | -")
    difference = "**+1.25** (+0.10 to +2.40; +0.05 to +2.45)"
    assert with_mask == (
        f"| DSA, alpha 1.5 | 91.25 | 91.25 | 91.25 | {difference} | {difference} | "
        f"{difference} | 16, 17 |"
    )


def test_a_change_of_dsa_stands_beside_dsa(tmp_path):
    line = {"first": "dsa", "other": "premises_once", "split": "dev"}
    others = [{**line, "rows": "x"}, {**line, "minus": "y"}, {**line, "split": "z"}]
    write_experiment(tmp_path, "seeds", [line, *others])
    _, _, row = fill("premises-once", tmp_path)
    assert row.startswith("| `training.premises_once` | 91.25 | 90.00 | **+1.25** (")
    with pytest.raises(InputError, match="no comparison of dsa and no_directions"):
        fill("dsa-parts", tmp_path)


def test_parts_of_dsa_have_a_column_with_foreign_premises(tmp_path):
    lines = []
    for model in mask_tables.PARTS:
        line = {"first": "dsa", "other": model}
        more = {"split": "dev (surrounded_4)", "difference": "-0.0125"}
        lines += [{**line, "split": "dev"}, {**line, **more}]
    write_experiment(tmp_path, "seeds", lines)
    _, _, first, *_ = fill("dsa-parts", tmp_path)
    assert first.split(" | ")[3].startswith("**+1.25** (")
    assert first.split(" | ")[4].startswith("**-1.25** (")


def test_a_difference_that_is_not_significant_is_not_bold():
    line = {**LINE, "significant": "no"}
    written = mask_tables.write_difference(line)
    assert written == "+1.25 (+0.10 to +2.40; +0.05 to +2.45)"
    one = {**line, "t_low": "nan", "t_high": "nan"}
    assert mask_tables.write_difference(one).endswith("one seed)")


def test_foreign_premises_stand_below_the_pairs_as_they_are(tmp_path):
    lines = [{"split": "dev"}]
    for split in mask_tables.SURROUNDED.values():
        lines.append({"split": split, "other_mean": "0.500000"})
        lines.append({"split": "dev", "minus": split, "difference": "-0.020000"})
    write_experiment(tmp_path, "seeds", lines)
    _, _, plain, *surrounded = fill("mask-surrounded", tmp_path)
    assert plain.startswith("| 0 | 91.25 | 90.00 | **+1.25**")
    assert [row.split(" | ")[1] for row in surrounded] == ["50.00"] * 3
    assert all("-2.00" in row for row in surrounded)


def test_multinli_has_both_dev_sets_first_and_long_pairs_beside_all(tmp_path):
    lines = []
    for split in mask_tables.MULTINLI:
        lines.append({"split": split})
        lines.append({"split": split, "rows": LONG, "difference": "-0.020000"})
    write_experiment(tmp_path, "multinli", lines)
    _, _, both, matched, mismatched = fill("mask-multinli", tmp_path)
    assert both.startswith("| both | 91.25 | 90.00 | **+1.25** (")
    assert matched.startswith("| matched |") and "**-2.00** (" in mismatched


@pytest.mark.parametrize("name", ["mask-long-pairs", "mask-words"])
def test_a_table_without_its_experiment_names_the_file(name, tmp_path):
    with pytest.raises(InputError, match=r"no comparisons in .*seeds"):
        fill(name, tmp_path)


def test_a_correlation_of_one_seed_has_the_interval_over_premises(tmp_path):
    folder = tmp_path / mask_tables.EXPERIMENTS / "seeds"
    folder.mkdir(parents=True)
    line = {"mean": "-0.1", "bootstrap_low": "-0.2", "bootstrap_high": "0.3"}
    line |= {"t_low": "nan", "t_high": "nan", "seeds": "16", "premises": "9"}
    lines = [
        {"quantity": quantity, "of": of, **line}
        for quantity in mask_tables.QUANTITIES
        for of in ("dsa", "dsa_no_distance", "dsa minus dsa_no_distance")
    ]
    (folder / "word_frequencies.csv").write_text(comma_separated(lines))
    gate = fill("mask-words", tmp_path)[2]
    cell = "-0.100 (-0.200 to +0.300)"
    assert gate == f"| gate, Figure 9 | + | {cell} | {cell} | {cell} | 16 | 9 |"


def test_a_seed_that_was_not_run_is_a_dash(tmp_path):
    for number, model in enumerate(mask_tables.MORE_PAIRS):
        for seed in (13, 14) if model == "esim" else (14,):
            folder = tmp_path / mask_tables.EXPERIMENTS / "snli_118k" / model
            run = folder / f"seed-{seed}"
            run.mkdir(parents=True)
            (run / "config.yaml").write_text(f"seed: {seed}\n")
            (run / "environment.json").write_text("{}")
            entry = {"split": "dev", "accuracy": 0.75 + number / 100 + seed / 1000}
            (run / "metrics.json").write_text(json.dumps({"evaluations": [entry]}))
    lines = fill("mask-more-pairs", tmp_path)
    assert lines[0] == "| model | seed 13 | seed 14 |"
    assert lines[2] == "| ESIM | 76.30 | 76.40 |"
    assert lines[4] == "| DSA, alpha 1.5 | - | 78.40 |"


def test_a_model_among_other_premises_has_the_mean_of_the_runs_tried(tmp_path):
    views = {"dev": 0.75, **{f"dev (surrounded_{k})": 0.5 for k in (1, 2, 4)}}
    of_seeds = {1: views, 2: dict.fromkeys(views, 0.25), 3: {"dev": 0.9}}
    for seed, accuracies in of_seeds.items():
        run = tmp_path / f"results/c/esim/seed-{seed}"
        run.mkdir(parents=True)
        (run / "config.yaml").write_text(f"seed: {seed}\n")
        (run / "environment.json").write_text("{}")
        entries = [{"split": s, "accuracy": a} for s, a in accuracies.items()]
        (run / "metrics.json").write_text(json.dumps({"evaluations": entries}))
    write = mask_tables.write_surrounded_models_table
    lines = write({"ESIM": ("c/esim", "dev")}, tmp_path).splitlines()
    assert lines[2] == "| ESIM | 50.00 | 37.50 | 37.50 | 37.50 | 12.50 | 1, 2 |"
    with pytest.raises(InputError, match="c/esim: no run among premises of other"):
        write({"ESIM": ("c/esim", "dev_mismatched")}, tmp_path)
