import os

import numpy as np
import pytest
from scipy.special import log_softmax

from dsa.data.corpora.catalogue import RANKING, get_corpus
from dsa.errors import InputError

DATA = os.environ.get("DSA_DATA") or "data"  # before the tests hide it
LOGITS = np.array([[0, 1], [0, 3], [2, 0], [1, 0], [0, 5], [0, 0]], np.float32)
LABELS = np.array([1, 0, 1, 0, 0, 1])
GROUPS = ["a", "a", "b", "b", "c", "d"]


def test_metrics_match_a_hand_calculation():
    """`a`: right answer second; `b`: second; `c`: none is right; `d`: all are."""
    result = RANKING.metrics(LOGITS, LABELS, GROUPS)
    assert (result["count"], result["questions"]) == (6, 3)
    assert result["map"] == result["mrr"] == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    assert result["both_labels"]["questions"] == 2
    assert result["both_labels"]["map"] == 0.5
    assert result["both_labels"]["map_standard_error"] == 0
    error = np.std([0.5, 0.5, 1]) / 3**0.5
    assert result["map_standard_error"] == pytest.approx(error, rel=0.05)
    expected = -log_softmax(LOGITS, axis=1)[np.arange(6), LABELS].mean()
    assert result["loss"] == pytest.approx(expected)


def test_map_and_mrr_differ_for_two_right_answers():
    """`a`: right answers first and third of three by score; `b`: second of two."""
    logits = np.array([[0, 3], [0, 2], [0, 1], [0, 3], [0, 2]], np.float32)
    labels, groups = np.array([1, 0, 1, 0, 1]), [*"aaabb"]
    result = RANKING.metrics(logits, labels, groups)
    precision, reciprocal = [(1 + 2 / 3) / 2, 1 / 2], [1, 1 / 2]
    for name, values in {"map": precision, "mrr": reciprocal}.items():
        mean, error = np.mean(values), np.std(values) / 2**0.5
        assert result[name] == result["both_labels"][name] == pytest.approx(mean)
        assert result[f"{name}_standard_error"] == pytest.approx(error, rel=0.05)
        assert all(t[name] == pytest.approx(mean) for t in result["ties"].values())
    values = RANKING.unit_values(logits, labels, groups)
    assert values["map"] == pytest.approx(precision)
    assert values["mrr"] == pytest.approx(reciprocal)


def test_ties_have_three_rules():
    result = RANKING.metrics(np.zeros((3, 2)), np.array([1, 0, 0]), ["a"] * 3)
    assert result["map"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert result["ties"]["stable"] == {"map": 1, "mrr": 1}
    assert result["ties"]["trec_eval"]["map"] == pytest.approx(1 / 3)


def test_every_question_has_its_own_value():
    values = RANKING.unit_values(LOGITS, LABELS, GROUPS)
    assert {name: array.tolist() for name, array in values.items()} == {
        "map": [0.5, 0.5, 1],
        "mrr": [0.5, 0.5, 1],
    }


def test_scores_are_compared_in_double_precision():
    """In single precision these scores are equal."""
    logits = np.array([[-1e4, 1e-4], [-1e4, 0]], np.float32)
    assert np.diff(RANKING.scores(logits)) == pytest.approx(-1e-4, rel=1e-6)


def test_questions_without_wrong_answers_are_reported_separately():
    result = RANKING.metrics(LOGITS[:2], np.array([1, 1]), ["a", "a"])
    assert result["map"] == 1
    assert result["both_labels"]["questions"] == 0
    assert result["both_labels"]["map"] is None
    lines = list(RANKING.as_text(result))
    assert not any("wrong answer" in line for line in lines)


def test_the_report_counts_questions():
    lines = list(RANKING.as_text(RANKING.metrics(LOGITS, LABELS, GROUPS)))
    assert lines[0].startswith("  MAP .6667 +- .13")
    assert lines[0].endswith(" (standard error, 3 questions)")
    assert "  MRR .5000 +- .0000 (standard error, 2 questions with a wrong" in lines[3]
    assert lines[4] == "  MAP .6667, MRR .6667, ties in file order"


def test_an_answer_has_a_score_and_a_probability():
    answer = RANKING.answer(np.array([1, 3], np.float32))
    assert answer[0] == answer.score == 2
    assert answer.probability == pytest.approx(1 / (1 + np.exp(-2)))
    assert list(answer.probabilities) == ["wrong", "right"]


def test_nan_scores_and_missing_right_answers_raise_errors():
    with pytest.raises(InputError, match=r"1 of 6 scores are NaN"):
        logits = LOGITS.copy()
        logits[2, 1] = np.nan
        RANKING.metrics(logits, LABELS, GROUPS)
    with pytest.raises(InputError, match="no question has a right answer"):
        RANKING.metrics(LOGITS, 0 * LABELS, GROUPS)
    with pytest.raises(
        ValueError, match="`groups` is required: the question of each row"
    ):
        RANKING.metrics(LOGITS, LABELS)


@pytest.mark.skipif(
    not os.path.isdir(os.path.join(DATA, "wikiqa")), reason="WikiQA is not there"
)
@pytest.mark.parametrize(
    ("split", "rows", "questions", "both", "expected", "stable", "trec_eval"),
    [
        ("dev", 2_733, 126, 122, (0.411, 0.416), 0.673, 0.289),
        ("test", 6_165, 243, 237, (0.399, 0.407), 0.642, 0.287),
        ("train", 20_360, 873, 857, (0.386, 0.394), 0.608, 0.293),
    ],
)
def test_constant_scores_on_the_official_files(
    split, rows, questions, both, expected, stable, trec_eval
):
    corpus = get_corpus("wikiqa")
    examples = list(corpus.read_examples(os.path.join(DATA, corpus.splits[split])))
    labels = np.array([RANKING.number(example.label) for example in examples])
    groups = [example.group for example in examples]
    result = RANKING.metrics(np.zeros((len(labels), 2)), labels, groups)
    assert (result["count"], result["questions"]) == (rows, questions)
    assert result["both_labels"]["questions"] == both
    assert (result["map"], result["mrr"]) == pytest.approx(expected, abs=6e-4)
    assert result["ties"]["stable"]["map"] == pytest.approx(stable, abs=6e-4)
    assert result["ties"]["trec_eval"]["map"] == pytest.approx(trec_eval, abs=6e-4)
