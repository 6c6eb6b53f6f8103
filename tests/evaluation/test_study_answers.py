import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from dsa.data.corpora.other_corpora import RANKING
from dsa.errors import InputError
from dsa.evaluation.answers import Answers, read_answers
from dsa.evaluation.paired_runs import compare_models
from dsa.evaluation.study_answers import (
    digest_answers,
    find_answers,
    list_answers,
    write_study_answers,
)
from dsa.hub.fetching import find_run_folder
from dsa.runs.run_folder import is_finished
from dsa.runs.run_records import read_history
from dsa.runs.studies import find_study, find_study_run, list_runs
from dsa.sweeps.finished_runs import RunIndex
from tests.support.kept_answers import LABELS, LENGTHS, pack_study, write_run


@pytest.fixture
def study(tmp_path):
    for seed, right in ((16, "1100000"), (17, "1110000")):
        write_run(tmp_path / "study/c/dsa", seed, right)
        write_run(tmp_path / "study/c/no_mask", seed, right[::-1], alpha=0.0)
    return tmp_path / "study"


def test_a_run_of_a_study_reads_as_its_folder_did(study):
    before = {run.path: run for run in list_runs(study)}
    expected = {
        path: (run.experiment(), run.environment(), run.metrics(), read_history(run))
        for path, run in before.items()
    }
    pack_study(study)
    assert sorted(path.name for path in study.iterdir() if path.is_file()) == [
        "answers.parquet",
        "rows.parquet",
        "runs.jsonl",
    ]
    for run in list_runs(study):
        experiment, environment, (entry,), history = expected[run.path]
        assert not run.path.exists() and is_finished(run)
        assert run.experiment() == experiment and run.environment() == environment
        assert read_history(run) == history
        assert run.metrics() == [entry | {"answers_sha256": digest_of(run)}]


def digest_of(run):
    return digest_answers(find_answers(run, "dev"), run.experiment().task)


def test_the_answers_of_a_study_are_those_of_the_run_folders(study):
    before = {run.path: read_answers(run, "dev") for run in list_runs(study)}
    pack_study(study)
    assert list_answers(study) == {
        (f"c/{model}/seed-{seed}", "dev")
        for model in ("dsa", "no_mask")
        for seed in (16, 17)
    }
    for run in list_runs(study):
        answers, expected = find_answers(run, "dev"), before[run.path]
        assert find_answers(run, "test") is None
        for name in ("labels", "lengths"):
            np.testing.assert_array_equal(
                getattr(answers, name), getattr(expected, name), strict=True
            )
        np.testing.assert_array_equal(
            answers.outputs.argmax(axis=1), expected.outputs.argmax(axis=1)
        )
        for name in ("groups", "file", "rows_sha256", "weights_sha256", "split"):
            assert getattr(answers, name) == getattr(expected, name)


def test_runs_are_found_by_a_path_inside_a_study(study):
    pack_study(study)
    path = study / "c/dsa/seed-16"
    assert find_study(path) == study and find_study_run(study / "c/dsa") is None
    assert [run.path for run in list_runs(study / "c/dsa")] == [
        path,
        study / "c/dsa/seed-17",
    ]
    assert find_run_folder(str(path)).path == path
    runs = RunIndex.scan(study.parent, study.parent)
    assert runs.find(find_study_run(path).experiment()).path == path


def test_a_comparison_is_the_same_before_and_after_packing(study):
    def compare():
        first, other = (
            [find_run_folder(study / "c" / model / f"seed-{seed}") for seed in (16, 17)]
            for model in ("dsa", "no_mask")
        )
        return str(compare_models(first, other))

    before = compare()
    pack_study(study)
    assert compare() == before


def test_a_missing_file_of_a_run_names_the_study(study):
    pack_study(study)
    with pytest.raises(InputError, match="runs of the study .* have no vocabulary.txt"):
        find_study_run(study / "c/dsa/seed-16").vocabulary()


@pytest.mark.parametrize(
    ("file", "column", "message"),
    [
        ("answers.parquet", "predicted", "expected predicted labels or outputs"),
        ("rows.parquet", "labels", "expected labels"),
        ("rows.parquet", "lengths", "expected lengths"),
    ],
)
def test_a_record_without_values_is_an_error(study, file, column, message):
    pack_study(study)
    table = parquet.read_table(study / file)
    index = table.column_names.index(column)
    nulls = pyarrow.nulls(len(table), table[column].type)
    parquet.write_table(table.set_column(index, column, nulls), study / file)
    run, *_ = list_runs(study)
    message = f"damaged answers.parquet or rows.parquet: .*{message}"
    with pytest.raises(InputError, match=message):
        find_answers(run, "dev")


@pytest.mark.parametrize("predicted", [[-1] * 7, [3] * 7, [0] * 6])
def test_labels_outside_the_task_are_an_error(study, predicted):
    pack_study(study)
    path = study / "answers.parquet"
    table = parquet.read_table(path)
    index = table.column_names.index("predicted")
    column = pyarrow.array([predicted] * len(table), table["predicted"].type)
    parquet.write_table(table.set_column(index, "predicted", column), path)
    run, *_ = list_runs(study)
    with pytest.raises(InputError, match="expected 7 labels from 0 to 2"):
        find_answers(run, "dev")


@pytest.mark.parametrize("file", ["answers.parquet", "rows.parquet"])
@pytest.mark.parametrize("size", [None, 100])
def test_a_missing_or_truncated_file_is_an_error(study, file, size):
    pack_study(study)
    content = (study / file).read_bytes()
    (study / file).unlink()
    if size:
        (study / file).write_bytes(content[:size])
    run, *_ = list_runs(study)
    if file == "answers.parquet" and size is None:
        assert find_answers(run, "dev") is None
        return
    with pytest.raises(InputError, match="damaged answers.parquet or rows.parquet"):
        find_answers(run, "dev")


def test_a_split_without_predictions_in_a_study_is_an_error(study):
    pack_study(study)
    runs = [
        find_study_run(study / f"c/{model}/seed-16") for model in ("dsa", "no_mask")
    ]
    message = "no weights to evaluate. Splits with stored predictions: dev$"
    with pytest.raises(InputError, match=message):
        compare_models(runs[:1], runs[1:], split="test")


def test_a_ranking_keeps_the_ranks_of_the_scores_with_their_ties(tmp_path):
    scores = np.array([0.5, -1, 0.5, 2, 3, 0, 0.25])
    outputs = np.stack([0 * scores, scores], axis=1).astype(np.float32)
    labels = np.array([1, 0, 0, 1, 0, 1, 0], np.int8)
    groups = ["a", "a", "a", "b", "b", "c", "c"]
    answers = Answers("test", "f", "rows", "", outputs, labels, LENGTHS, groups)
    write_study_answers(tmp_path, {("run", "test"): (answers, RANKING)})
    (record,) = parquet.read_table(tmp_path / "answers.parquet").to_pylist()
    kept = np.array(record["outputs"], np.float32).reshape(7, 2)
    assert record["predicted"] is None
    assert kept[:, 1].tolist() == [1, 0, 1, 0, 1, 0, 1] and not kept[:, 0].any()
    values, expected = (
        RANKING.unit_values(numbers, labels, groups) for numbers in (kept, outputs)
    )
    assert all(np.array_equal(values[name], expected[name]) for name in expected)


def test_runs_that_disagree_about_their_rows_cannot_be_packed(study):
    run, other, *_ = list_runs(study)
    task = run.experiment().task
    first, second = (read_answers(run, "dev"), read_answers(other, "dev"))
    second.lengths[0] += 1
    answers = {("a", "dev"): (first, task), ("b", "dev"): (second, task)}
    with pytest.raises(InputError, match="b: labels, lengths or groups differ"):
        write_study_answers(study, answers)
    assert len(LABELS) == len(first.labels)
