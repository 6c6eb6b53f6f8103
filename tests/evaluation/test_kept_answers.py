"""Answers that an evaluation keeps in its run."""

import hashlib

import numpy as np
import pytest

from dsa.evaluation.answers import read_answers
from dsa.runs.run_folder import RunFolder


def run_script(scripts, finished, run, *arguments):
    return scripts.evaluate.main([str(run), "--data-root", str(finished), *arguments])


def test_a_run_keeps_its_answers_and_is_compared_by_them_without_its_corpus(
    scripts, run_copy, finished, tmp_path, capsys
):
    assert run_script(scripts, finished, run_copy, "--keep-answers") == 0
    entry = RunFolder(run_copy).metrics()[-1]
    content = (run_copy / "answers_dev.npz").read_bytes()
    assert entry["answers_sha256"] == hashlib.sha256(content).hexdigest()
    answers = read_answers(RunFolder(run_copy), "dev")
    right = answers.outputs.argmax(axis=1) == answers.labels
    assert right.mean() == entry["accuracy"] and len(right) == entry["count"]
    assert answers.lengths.min() > 0
    capsys.readouterr()
    nowhere = ("--data-root", str(tmp_path / "nowhere"))
    assert scripts.compare.main([str(run_copy), str(run_copy), *nowhere]) == 0
    assert f"{entry['accuracy']:.4f}, difference +0.0000" in capsys.readouterr().out


def test_answers_in_a_view_have_a_file_of_their_own(scripts, run_copy, finished):
    for view in ("plain", "surrounded_2"):
        arguments = ("--keep-answers", "--view", view)
        assert run_script(scripts, finished, run_copy, *arguments) == 0
    run = RunFolder(run_copy)
    plain, surrounded = (
        read_answers(run, split) for split in ("dev", "dev (surrounded_2)")
    )
    assert (run_copy / "answers_dev_surrounded_2.npz").is_file()
    assert surrounded.rows_sha256 == plain.rows_sha256
    np.testing.assert_array_equal(surrounded.lengths, plain.lengths)
    before, after = run.metrics()[-2:]
    # about four foreign premises more, and the hypotheses as they are
    assert after["split"] == "dev (surrounded_2)"
    assert 2.5 < after["tokens"] / before["tokens"] < 4.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--no-record",),
            "--keep-answers stores the predictions of one recorded evaluation",
        ),
        (("--suite", "robustness"), "--keep-answers stores the predictions of one"),
        (("--file", "new.jsonl"), "predictions are only stored for splits of the run"),
    ],
)
def test_answers_are_kept_of_recorded_splits_only(
    scripts, run_copy, finished, capsys, arguments, message
):
    rows = (finished / "dev.jsonl").read_text().splitlines(keepends=True)
    (finished / "new.jsonl").write_text("".join(rows[:5]))
    arguments = ("--keep-answers", *arguments)
    assert run_script(scripts, finished, run_copy, *arguments) == 2
    assert message in capsys.readouterr().err
    assert not list(run_copy.glob("answers*"))
