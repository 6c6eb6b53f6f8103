import errno
import logging
import os
import re
import subprocess
import sys

import pytest
from scipy import stats

from dsa.errors import InputError
from dsa.evaluation.paired_runs import compare_models
from dsa.runs.run_folder import RunFolder
from tests.support.kept_answers import write_run

FIRST = {1: "1100000", 2: "1110000", 3: "0110100"}
OTHER = {1: "1111000", 2: "1111111", 3: "1111100"}


@pytest.fixture
def sides(tmp_path):
    return [
        [write_run(tmp_path / name, *run, alpha=alpha) for run in right.items()]
        for name, alpha, right in (("first", 1.5, FIRST), ("other", 0.0, OTHER))
    ]


def test_another_vector_file_is_not_ignored_for_stored_answers(sides, monkeypatch):
    asked = []

    def load(run, vectors, root):
        asked.append(vectors)
        raise InputError("loaded")

    monkeypatch.setattr("dsa.inference.loading.load", load)
    with pytest.raises(InputError, match="^loaded$"):
        compare_models(sides[0][:1], sides[1][:1], vectors="more.txt")
    assert asked == ["more.txt"]


def test_models_are_compared_seed_by_seed_from_their_answers(sides):
    first, other = sides
    compared = compare_models(first, other[::-1])
    settings, alpha, heading, line = str(compared).splitlines()
    result = compared.metrics["accuracy"]
    assert (compared.unit, result.by_seed) == ("pairs", (2 / 7, 4 / 7, 2 / 7))
    assert (settings, alpha) == ("settings that differ:", "  model.alpha: 1.5, 0")
    assert heading == ("dev: dev.jsonl, alpha 0 minus alpha 1.5, seed by seed: 1, 2, 3")
    # right answers by seed: 2, 3, 3 and 4, 7, 5 of 7
    assert line.startswith("  accuracy 0.3810, 0.7619, difference +0.3810 (by seed ")
    assert "(by seed +0.2857, +0.5714, +0.2857)" in line
    test = stats.ttest_rel([4 / 7, 1, 5 / 7], [2 / 7, 3 / 7, 3 / 7])
    by_t, bootstrap = test.confidence_interval(0.95), result.bootstrap
    low, high = min(by_t.low, bootstrap[0]), max(by_t.high, bootstrap[1])
    assert "; 95 % interval over seeds and pairs: " in line
    assert f": {low:+.4f} to {high:+.4f} (3 seeds, 7 pairs): not significant" in line


def test_a_notebook_shows_one_interval_and_the_verdict(sides):
    table = compare_models(*sides)._repr_html_()
    low, high = compare_models(*sides).metrics["accuracy"].interval
    assert "<th>95 % interval over seeds and pairs</th><th>verdict</th>" in table
    assert "<pre>settings that differ:\n  model.alpha: 1.5, 0</pre>" in table
    assert f"<td>{low:+.4f} to {high:+.4f}</td><td>not significant</td>" in table


def test_significant_needs_both_intervals(sides, tmp_path):
    first, other = sides
    assert str(compare_models(first, other)).endswith(": not significant")
    alike = [
        write_run(tmp_path / "alike", seed, f"{right[:2]}{'1' * 5}")
        for seed, right in FIRST.items()
    ]
    assert str(compare_models(first, alike)).endswith("pairs): significant")


def test_of_one_seed_nothing_is_significant(sides):
    text = str(compare_models(sides[0][:1], sides[1][:1]))
    assert text.endswith("(7 pairs): not tested: only one seed")
    assert "significant" not in text and "; 95 % interval over pairs: " in text


def test_a_single_seed_never_stands_beside_several(sides):
    first, other = sides
    with pytest.raises(
        InputError, match="have the same seeds. Received: 1, 2, 3, and 1$"
    ):
        compare_models(first, other[:1])
    with pytest.raises(InputError, match="have the same seeds. Received: 1, and 2$"):
        compare_models(first[:1], other[1:2])
    with pytest.raises(InputError, match="must have different seeds. Received: 1, 1"):
        compare_models(first[:1] * 2, other[:1] * 2)


def test_answers_need_neither_keras_nor_the_corpus(sides):
    (first, *_), (other, *_) = sides
    code = (
        "import sys; from dsa.commands.compare import main; "
        f"status = main([{str(first)!r}, {str(other)!r}]); "
        "sys.exit(status or 'keras' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\n  accuracy 0\.2857, 0\.5714, difference", done.stdout)


def test_a_comparison_is_returned_if_the_folder_is_read_only(
    run_copy, finished, monkeypatch, caplog
):
    def fail(run, entry):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), "metrics.json")

    monkeypatch.setattr(RunFolder, "add_metrics", fail)
    monkeypatch.setattr(logging.getLogger("dsa"), "propagate", True)
    runs = [RunFolder(run_copy)]
    compared = compare_models(runs, runs, root=finished)
    assert compared.metrics["accuracy"].difference == 0
    assert "the evaluation is not recorded: Permission denied" in caplog.text
