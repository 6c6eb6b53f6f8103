import json
import shutil

import pytest

from dsa.evaluation.study_answers import find_answers
from dsa.runs.studies import list_runs
from tests.support.hostile_checks import assert_error
from tests.support.kept_answers import write_run
from tools.add_study import KEYS, main

DESCRIPTION = "".join(f"{key}: text\n" for key in KEYS)


@pytest.fixture
def study(tmp_path):
    folder = tmp_path / "results/mask"
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(DESCRIPTION)
    return folder


def pack(runs, study):
    return main([str(runs), "--study", str(study)])


def test_runs_are_added_to_a_study_and_replaced_in_it(tmp_path, study):
    runs, later = tmp_path / "runs/mask", tmp_path / "later"
    write_run(runs / "dsa", 16, "1100000")
    write_run(runs / "dsa", 17, "1110000")
    assert pack(runs, study) == 0
    write_run(later / "dsa", 17, "1111111")
    write_run(later / "esim", 16, "0000000")
    assert pack(later, study) == 0
    right = {}
    for run in list_runs(study):
        answers = find_answers(run, "dev")
        predicted = answers.outputs.argmax(axis=1)
        right[run.record["run"]] = int((predicted == answers.labels).sum())
    assert right == {"dsa/seed-16": 2, "dsa/seed-17": 7, "esim/seed-16": 0}
    assert sorted(path.name for path in study.iterdir()) == [
        "answers.parquet",
        "rows.parquet",
        "runs.jsonl",
        "study.yaml",
    ]
    assert (runs / "dsa/seed-16/config.yaml").is_file()


def test_a_stage_of_a_run_is_not_packed(tmp_path, study):
    run = write_run(tmp_path / "runs/abcnn1_two", 16, "1100000")
    shutil.copytree(run.path, run.path / "first")
    assert pack(tmp_path / "runs", study) == 0
    (packed,) = list_runs(study)
    assert packed.record["run"] == "abcnn1_two/seed-16"


def test_packing_again_changes_no_file(tmp_path, study):
    write_run(tmp_path / "runs/dsa", 16, "1100000")
    assert pack(tmp_path / "runs", study) == 0
    before = {path.name: path.read_bytes() for path in study.iterdir()}
    assert pack(tmp_path / "runs", study) == 0
    assert {path.name: path.read_bytes() for path in study.iterdir()} == before


def test_only_the_last_answers_of_a_split_have_a_digest(tmp_path, study):
    """A run folder keeps the answers of the last evaluation."""
    write_run(tmp_path / "runs/dsa", 16, "1100000")
    write_run(tmp_path / "runs/dsa", 16, "1110000")
    assert pack(tmp_path / "runs", study) == 0
    record = json.loads((study / "runs.jsonl").read_text())
    assert ["answers_sha256" in entry for entry in record["metrics"]] == [False, True]


def test_a_study_without_its_description_is_assert_error(tmp_path, study, capsys):
    write_run(tmp_path / "runs/dsa", 16, "1100000")
    (study / "study.yaml").write_text("question: a\n")
    assert_error(pack(tmp_path / "runs", study), capsys, "must have the keys question")
    (study / "study.yaml").unlink()
    assert_error(pack(tmp_path / "runs", study), capsys, "study.yaml is missing")


def test_unfinished_runs_and_lost_answers_are_assert_error(tmp_path, study, capsys):
    assert_error(pack(tmp_path / "runs", study), capsys, "no runs")
    run = write_run(tmp_path / "runs/dsa", 16, "1100000")
    (run.path / "answers_dev.npz").unlink()
    assert_error(pack(tmp_path / "runs", study), capsys, "answers for dev are missing")
    (run.path / "history.csv").unlink()
    assert_error(pack(tmp_path / "runs", study), capsys, "training has not finished")
    assert not (study / "runs.jsonl").exists()
