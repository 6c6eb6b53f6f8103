"""Several runs that answer together."""

import types

import numpy as np
import pytest
from scipy.special import softmax

import dsa
from dsa.data.corpora.catalogue import NLI
from dsa.errors import InputError
from dsa.inference.ensemble import Ensemble, average_logits, check_members
from dsa.runs.run_folder import RunFolder
from dsa.tasks.ranking import Ranking
from dsa.tasks.relatedness import Relatedness

M, N, K = 3, 5, 2
PAIRS = [("A man sleeps.", "A man rests."), ("A dog runs.", "Nobody moves.")]


def test_the_softmax_of_averaged_logits_is_the_mean_of_the_probabilities():
    logits = np.random.default_rng(7).normal(size=(M, N, K)).astype(np.float32)
    expected = np.mean([np.exp(x) / np.exp(x).sum(1, keepdims=True) for x in logits], 0)
    averaged = average_logits(logits)
    np.testing.assert_allclose(np.exp(averaged), expected, rtol=1e-5)
    np.testing.assert_allclose(softmax(averaged, axis=1), expected, rtol=1e-5)
    sure = average_logits([np.array([[0.0, 2000.0]])] * 2)
    assert np.isfinite(sure).all() and sure[0, 1] == 0


def member(task, *logits):
    answers = [task.answer(np.array(row)) for row in logits]
    run = types.SimpleNamespace(path="run")
    return types.SimpleNamespace(
        task=task, run=run, predict_examples=lambda *_: answers
    )


def test_scores_and_ranks_are_those_of_the_averages():
    task = Relatedness("relatedness", 1, 3)
    shares = [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]
    together = Ensemble([member(task, np.log(part)) for part in shares])
    (answer,) = together.predict_examples(["a pair"])
    assert answer.score == pytest.approx(2)
    assert [*answer.probabilities.values()] == pytest.approx([0.375, 0.25, 0.375])
    ranks = Ensemble([member(Ranking("qa"), [0, 1]), member(Ranking("qa"), [0, -3])])
    (answer,) = ranks.predict_examples(["a pair"])
    right = np.mean([1 / (1 + np.exp(-1)), 1 / (1 + np.exp(3))])
    assert answer.probability == pytest.approx(right)
    assert answer.score == pytest.approx(np.log(right / (1 - right)))


def test_no_row_has_no_answer():
    together = Ensemble([member(NLI), member(NLI)])
    assert together.predict_examples([]) == []
    assert repr(together) == f"<Ensemble of 2 runs, task '{NLI.name}': run, run>"


def test_a_run_counts_once_and_none_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="must be distinct. Received: b twice"):
        check_members([RunFolder("b"), RunFolder("a/../b")])
    with pytest.raises(InputError, match="an ensemble requires at least one run"):
        check_members([])
    with pytest.raises(InputError, match="'runs': expected at least one run"):
        dsa.ensemble([])


def test_probabilities_are_the_mean_of_those_of_the_runs(finished, finished_frozen):
    runs = [finished / "run", finished_frozen / "run"]
    together = dsa.ensemble(runs)
    found = together.predict(pair for pair in PAIRS)
    alone = [dsa.load(run).predict(PAIRS) for run in runs]
    for answer, *others in zip(found, *alone, strict=True):
        shares = [[*one.probabilities.values()] for one in others]
        expected = dict(zip(NLI.labels, np.mean(shares, axis=0), strict=True))
        assert answer.probabilities == pytest.approx(expected, abs=1e-6)
        assert answer.label == max(expected, key=expected.get)
    with pytest.raises(InputError, match="hypothesis of row 1 must be a text"):
        together.predict([("A man.", None)])
    (one,) = dsa.ensemble(runs[:1]).predict(PAIRS[:1])
    (alone,) = dsa.load(runs[0]).predict(PAIRS[:1])
    assert one.probabilities == pytest.approx(alone.probabilities, abs=1e-6)
