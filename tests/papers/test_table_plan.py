"""The plan of a table: missing files, finished runs, time, and the order of rows."""

import dataclasses
import gzip
import json
import os
import types
from pathlib import Path

import pytest

from dsa.data.corpora.subsets import SUBSETS
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.papers import time_estimates
from dsa.papers.missing_files import list_missing_files
from dsa.papers.planning import choose_rows, plan_runs
from dsa.papers.table_files import find_table
from dsa.papers.table_plan import TablePlan
from dsa.papers.time_estimates import (
    Estimate,
    count_steps,
    estimate_by_steps,
    estimate_time,
    list_local_runs,
)
from dsa.sweeps.planned_runs import Plan
from dsa.system.environment import get_processor_name
from dsa.system.folders import find_bundled
from tests.support.runs import SMALL_MODEL, write_experiment


def plan(table, preset, *seeds):
    return plan_runs(find_table(table), preset, seeds or [13], find_bundled())


def find_missing(root, table, preset):
    experiments = [each.experiment for each in plan(table, preset)]
    missing = list_missing_files(experiments, find_table(table).splits, root)
    return {each.command: each for each in missing}


def write(root, *files):
    for file in files:
        (root / file).parent.mkdir(exist_ok=True)
        (root / file).write_text("one line\n")


@pytest.fixture
def here(monkeypatch):
    """Facts of a run on this machine, which has no GPU."""
    monkeypatch.setattr(time_estimates, "list_cards", dict)
    return {
        "backend": time_estimates.get_backend_name(),
        "cores": os.cpu_count(),
        "device": f"CPU, {get_processor_name()}",
        "wall_seconds": 1000,
        "steps_per_epoch": 500,
        "seconds_per_epoch": 100,
    }


def make_run(planned, facts, path=Path("no run"), **overrides):
    """A finished run of a plan, with other settings."""
    experiment = planned.experiment.model_copy(update=overrides)
    return types.SimpleNamespace(
        path=path, experiment=lambda: experiment, environment=lambda: facts
    )


def test_all_missing_files_are_listed_at_once_with_their_downloads(tmp_path):
    missing = find_missing(tmp_path, "dsa-1", "full")
    commands = ["snli", "glove.840B.300d", "glove.6B"]
    assert list(missing) == [f"dsa download {name}" for name in commands]
    snli = missing["dsa download snli"]
    assert snli.files == tuple(
        f"snli_1.0/snli_1.0_{split}.jsonl" for split in ("train", "dev", "test")
    )
    assert (snli.size, snli.optional) == ("94.6 MB", "")


def test_a_missing_subset_is_listed_after_its_complete_file(tmp_path):
    missing = find_missing(tmp_path, "dsa-1", "subset40k")
    snli, subset, glove, vectors = missing.values()
    assert snli.command == "dsa download snli"
    assert subset.command == "dsa subset snli_40k" and subset.size == ""
    assert subset.optional == ""  # training reads it, and evaluation of train too
    assert subset.files == (SUBSETS["snli_40k"].file,)
    assert glove.command == "dsa download glove.6B"
    assert vectors.command == "dsa subset glove_50d"
    write(tmp_path, SUBSETS["snli_40k"].source, SUBSETS["glove_50d"].file)
    missing = find_missing(tmp_path, "dsa-1", "subset40k")
    assert list(missing) == ["dsa subset snli_40k", "dsa download snli"]


def test_files_that_only_evaluation_reads_are_optional(tmp_path):
    write(tmp_path, "snli_1.0/snli_1.0_train.jsonl", "snli_1.0/snli_1.0_dev.jsonl.gz")
    snli = find_missing(tmp_path, "dsa-1", "full")["dsa download snli"]
    assert snli.files == ("snli_1.0/snli_1.0_test.jsonl",)
    assert "only for evaluation" in snli.optional


def test_wordnet_is_listed_for_features_that_use_it(tmp_path, monkeypatch):
    monkeypatch.setattr("dsa.papers.missing_files.open_wordnet", lambda root: None)
    wordnet = find_missing(tmp_path, "abcnn-6", "small")["dsa download wordnet"]
    assert wordnet.optional == "features without synonyms and hypernyms"
    assert "dsa download wordnet" not in find_missing(tmp_path, "dsa-1", "full")


def test_steps_are_counted_from_the_lines_of_the_file_or_its_official_size(tmp_path):
    experiment = plan("dsa-1", "full")[-1].experiment
    assert (
        count_steps(experiment.data, experiment.training, tmp_path) == 20 * 8584
    )  # 549,367 / 64
    subset = plan("dsa-1", "subset141k")[-1].experiment
    assert (
        count_steps(subset.data, subset.training, tmp_path) == 4 * 2212
    )  # 141,511 / 64
    write(tmp_path, "snli_1.0/snli_1.0_dev.jsonl")
    with gzip.open(tmp_path / "snli_1.0/snli_1.0_train.jsonl.gz", "wt") as file:
        file.write("{}\n" * 129)
    assert count_steps(experiment.data, experiment.training, tmp_path) == 20 * 3
    msrp = plan("abcnn-4", "full")[-1].experiment  # both orders, dev share .0981
    assert count_steps(msrp.data, msrp.training, tmp_path) == 30 * 2 * 3676
    fold = plan("disan-5-cr", "full")[0].experiment  # 9 of 10 folds
    rows = time_estimates.count_training_rows(fold.data, tmp_path)
    assert rows == 3397
    for count, expected in ((1000, 1000), (5000, 3397)):
        few = fold.data.model_copy(update={"train_rows": count})
        assert time_estimates.count_training_rows(few, tmp_path) == expected


def test_the_best_source_of_an_estimate_is_used(here, tmp_path):
    table = find_table("dsa-1")
    *_, without, dsa = plan("dsa-1", "full")
    gru = next(each for each in plan("dsa-1", "full") if "GRU" in each.row)

    def expect(planned, *runs):
        finished = list_local_runs(runs)
        result = estimate_time(planned, table, finished, tmp_path)
        return round(result.seconds or 0), result.source

    epochs = 20 * 8584 * 64 / 549367
    assert expect(dsa) == (round(693 * epochs), "paper: 693 s per epoch")
    assert expect(gru)[1] == "slowest model of the paper: 693 s per epoch"
    linear = next(each for each in plan("dsa-1", "full") if "bigram" in each.row)
    assert expect(linear) == (0, "linear model, not estimated")
    other_seed = make_run(dsa, here, seed=14)
    subset = make_run(
        plan("dsa-1", "subset40k")[-1], here
    )  # projected, so another step
    assert expect(dsa, other_seed, subset) == (1000, "1 finished here")
    other_data = dsa.experiment.data.model_copy(update={"train": "other.jsonl"})
    same_step = make_run(dsa, here, data=other_data)
    steps = (round(20 * 8584 * 0.2), "steps of similar runs here")
    assert expect(dsa, same_step, subset) == steps
    assert expect(without, other_seed, same_step)[1] == "paper: 687 s per epoch"
    shorter = {"by_length": not dsa.experiment.training.by_length}
    training = dsa.experiment.training.model_copy(update=shorter)
    sorted_batches = make_run(dsa, here, data=other_data, training=training)
    assert expect(dsa, sorted_batches)[1] == "paper: 693 s per epoch"
    for change in ({"device": "GPU"}, {"cores": 99}, {"earlier_parts": [{}]}):
        elsewhere = make_run(dsa, here | change, seed=14)
        assert expect(dsa, elsewhere)[1] == "paper: 693 s per epoch"


def test_an_estimate_contains_all_stages_of_a_run(here, tmp_path):
    table = find_table("abcnn-3")
    one, two = choose_rows(plan("abcnn-3", "small"), ["BCNN one-conv", "BCNN two-conv"])
    (tmp_path / "first").mkdir()
    facts = {**here, "run_format": 1, "sha256": {}, "wall_seconds": 500}
    (tmp_path / "first/environment.json").write_text(json.dumps(facts))

    def expect(planned, **changes):
        finished = list_local_runs([make_run(planned, here, tmp_path, **changes)])
        result = estimate_time(planned, table, finished, tmp_path)
        return round(result.seconds), result.source

    assert expect(one, seed=14) == (1000, "1 finished here")
    assert expect(two, seed=14) == (1500, "1 finished here")
    steps = 20 * 637  # 20,360 / 32
    source = "steps of similar runs here"
    for planned, stages in ((one, 1), (two, 2)):
        other = planned.experiment.data.model_copy(update={"train": "other.tsv"})
        assert expect(planned, data=other) == (round(stages * steps * 0.2), source)


def test_runs_on_the_cpu_do_not_count_on_a_machine_with_a_gpu(here, monkeypatch):
    run = make_run(plan("dsa-1", "full")[-1], here)
    assert len(list_local_runs([run])) == 1
    monkeypatch.setattr(time_estimates, "list_cards", lambda: {"Card": 2**30})
    assert list_local_runs([run]) == []
    on_card = make_run(plan("dsa-1", "full")[-1], here | {"device": "Card"})
    assert len(list_local_runs([on_card])) == 1


def test_the_plan_is_printed_without_a_run(scripts, tmp_path, capsys):
    arguments = ["dsa-1", "--data-root", str(tmp_path), "--runs", str(tmp_path / "no")]
    assert scripts.reproduce.main([*arguments, "--plan"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "SNLI (Im & Cho 2017, Table 1): 10 runs, 0 finished\n\nMissing"
    )
    assert "(3.1 GB to download):\n  dsa download snli" in out
    header, first, *_ = out[out.index("config ") :].splitlines()
    assert header.endswith("  estimated by                                 row")
    assert first.startswith("snli/dsa_no_distance  0 of 1    3 h 49 min  paper: 687 s")
    assert "without the 2 rows that have no estimate." in out


def test_missing_files_stop_the_command_before_the_first_job(scripts, tmp_path, capsys):
    arguments = ["dsa-1", "--data-root", str(tmp_path), "--runs", str(tmp_path / "no")]
    assert scripts.reproduce.main([*arguments, "--rows", "dsa"]) == 2
    printed = capsys.readouterr()
    assert (
        "1 runs, 0 finished" not in printed.out and "1 run, 0 finished" in printed.out
    )
    (line,) = printed.err.splitlines()
    assert line.endswith(". Run: dsa download snli; dsa download glove.840B.300d")
    assert "started: " not in printed.out


def test_the_tables_are_listed_without_an_argument(scripts, capsys):
    assert scripts.reproduce.main([]) == 0
    first, *_ = capsys.readouterr().out.splitlines()
    assert first.split() == "dsa-1 10 rows SNLI (Im & Cho 2017, Table 1)".split()


@pytest.mark.slow
def test_the_page_of_tables_makes_the_table_of_msrp(scripts, tmp_path, capfd):
    (tmp_path / "msrp").mkdir()
    words = "a dog runs far home now".split()
    for split, rows in (("train", 4076), ("test", 1725)):
        lines = ["Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"]
        for n in range(rows):
            same = int(n % 3 > 0)
            first = f"{words[n % 6]} {words[n // 6 % 6]} {n}"
            lines.append(f"{same}\t{n}\t{n}\t{first}\t{first if same else words[0]}")
        path = tmp_path / f"msrp/msr_paraphrase_{split}.txt"
        path.write_text("\n".join(lines) + "\n")
    arguments = ["abcnn-4", "--preset", "small", "--rows", "majority"]
    arguments += ["--data-root", str(tmp_path), "--runs", str(tmp_path / "runs")]
    arguments += ["--out", str(tmp_path / "tables")]
    assert scripts.reproduce.main([*arguments, "--plan"]) == 0
    plan_text = capfd.readouterr().out
    assert "All files are below the data root" in plan_text
    assert scripts.reproduce.main(arguments) == 0
    *_, csv_line, text_line = capfd.readouterr().out.splitlines()
    assert csv_line == f"written: {tmp_path / 'tables/abcnn-4-small.csv'}"
    table = Path(text_line.removeprefix("written: ")).read_text()
    assert "| majority voting | " in table and "66.67, test, n = 1,725" in table


@pytest.mark.slow
def test_measured_steps_give_an_estimate(tmp_path):
    config = write_experiment(tmp_path, model=SMALL_MODEL)
    overrides = {"training.epochs": 500, "seed": 3}
    experiment = load_experiment(config, overrides)
    planned = Plan("small", config, overrides, experiment, Path("runs/small/seed-3"))
    result = estimate_by_steps(planned, tmp_path)
    assert result.source == "20 steps measured now" and not result.is_improvable
    assert 0.1 < result.seconds < 500 * 8 * 60  # 500 epochs of 8 steps


def test_files_that_no_command_provides_are_an_error(tmp_path):
    experiment = plan("dsa-1", "full")[-1].experiment
    data = experiment.data.model_copy(update={"train": "mine/train.jsonl"})
    experiment = experiment.model_copy(update={"data": data})
    (mine, *_) = list_missing_files([experiment], ["dev"], tmp_path)
    assert mine.command == "" and mine.files == ("mine/train.jsonl",)
    assert dataclasses.asdict(mine)["download_bytes"] == 0
    with pytest.raises(InputError, match="missing in the data root .*mine/train.jsonl"):
        raise_for(mine, tmp_path)


def test_a_finished_row_needs_no_time(tmp_path):
    dsa, *_ = choose_rows(plan("dsa-1", "full", 1, 2), ["dsa"])
    without = choose_rows(plan("dsa-1", "full", 1), ["dsa_no_distance"])
    estimates = dict.fromkeys([dsa.row, without[0].row], Estimate(7200.0, "test"))
    table = find_table("dsa-1")
    text = TablePlan(
        table, [dsa, *without], without, estimates, [], tmp_path
    ).describe()
    assert "All files are below the data root, " in text
    cells = [line.split()[:6] for line in text.splitlines() if line.startswith("snli/")]
    assert cells == [
        ["snli/dsa", "1", "of", "1", "-", "-"],
        ["snli/dsa_no_distance", "0", "of", "1", "2", "h"],
    ]
    assert "Left: 1 run, about 2 h 0 min; less if runs stop early." in text
    estimates[without[0].row] = Estimate(
        None, "no time in the paper", is_improvable=True
    )
    text = TablePlan(table, without, without, estimates, [], tmp_path).describe()
    assert "Left: 1 run, without an estimate.\nTo estimate the time" in text
    done = TablePlan(table, [dsa], [], estimates, [], tmp_path).describe()
    assert done.endswith("Nothing is left to train.")


def raise_for(missing, root):
    TablePlan(find_table("dsa-1"), [], [], {}, [missing], root).check_files()
