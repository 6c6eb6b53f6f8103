"""Answer-ranking task."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from dsa.errors import InputError
from dsa.tasks.bootstrap import compute_standard_error
from dsa.tasks.classification import Classification
from dsa.tasks.ranking_metrics import TIES, QuestionMeasures, measure_questions
from dsa.tasks.task import PAIR, Groups

EXPECTED = "expected"
TIE_NAMES = {"stable": "ties in file order", "trec_eval": "ties as trec_eval"}


class Relevance(NamedTuple):
    """Ranking score of an answer, and the probabilities of both labels."""

    score: float
    probabilities: dict[str, float]

    @property
    def probability(self) -> float:
        """Probability that the answer is right."""
        return self.probabilities["right"]


@dataclasses.dataclass(frozen=True)
class Ranking(Classification):
    """Task of ranking the answers to a question.

    A row is a pair of a question and an answer. Training classifies pairs as wrong or
    right. The metrics evaluate the ranking of the answers to each question. The score
    of an answer is the logit of "right" minus the logit of "wrong".

    Args:
        name: name of the task.
        inputs: names of the two model inputs, the question and the answer.
        labels: names of the two labels, the wrong answer first.
    """

    inputs: tuple[str, ...] = PAIR
    labels: tuple[str, ...] = ("wrong", "right")
    selects = "map"
    compares_rows = True  # a ranking needs right and wrong answers
    ranks = True

    @property
    def unit(self) -> str:
        return "questions"

    @property
    def file_form(self) -> str:
        return "questions"

    @property
    def answers(self) -> str:
        return "the ranks of the answers to a question"

    def scores(self, logits: np.ndarray) -> np.ndarray:
        """Computes the scores, float64 `(N,)`, from logits `(N, 2)`."""
        wrong, right = logits.astype(np.float64).T
        return right - wrong

    def metrics(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, Any]:
        """Measures the ranking of the answers to each question.

        The ranking metrics exclude questions without a right answer.

        Args:
            logits: logits of the rows, `(N, 2)`.
            labels: label ids, `(N,)`; 1 for a right answer.
            groups: question of each row.

        Returns: a dictionary with the keys
            `count`: N;
            `loss`: mean cross-entropy of all rows, in nats;
            `questions`: number of questions with a right answer;
            `map`, `mrr`: means over these questions, and over all orders of tied
            scores;
            `map_standard_error`, `mrr_standard_error`: bootstrap standard errors over
            the questions;
            `both_labels`: the same metrics, restricted to questions that also have a
            wrong answer;
            `ties`: `map` and `mrr` for each other rule for tied scores.

        Raises: `InputError` if a score is NaN or no question has a right answer,
            `ValueError` if `groups` is `None`.
        """
        measured = self._measure_questions(logits, labels, groups)
        tie_rules = [rule for rule in TIES if rule != EXPECTED]
        return {
            "count": len(labels),
            "loss": self._measure_loss(logits, labels),
            **_summarize(measured),
            "both_labels": _summarize(measured, measured.both_labels),
            "ties": {
                rule: _average(self._measure_questions(logits, labels, groups, rule))
                for rule in tie_rules
            },
        }

    def unit_values(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, np.ndarray]:
        """Returns `{metric: value of each question, (Q,)}`; see `Task.unit_values`."""
        measured = self._measure_questions(logits, labels, groups)
        return {"map": measured.map, "mrr": measured.mrr}

    def _measure_questions(self, logits, labels, groups, ties=EXPECTED):
        """Returns the `QuestionMeasures` of N rows; `ties` is a key of `TIES`."""
        if groups is None:
            raise ValueError("`groups` is required: the question of each row")
        scores = self.scores(logits)
        if np.isnan(scores).any():
            raise InputError(
                f"{np.isnan(scores).sum():,} of {len(scores):,} scores are NaN "
                "and cannot be ranked"
            )
        measured = measure_questions(scores, labels == 1, groups, ties)
        if not measured.questions:
            raise InputError("no question has a right answer; the metrics need one")
        return measured

    def answer(self, logits: np.ndarray) -> Any:
        """Returns the `Relevance` for the logits of one row, `(2,)`."""
        score = float(self.scores(logits[np.newaxis])[0])
        return Relevance(score, super().answer(logits).probabilities)

    def as_text(self, entry: Mapping[str, Any]) -> Iterator[str]:
        yield from _format_means(entry, f"{entry['questions']:,} questions")
        both = entry["both_labels"]
        if both["questions"]:
            questions = f"{both['questions']:,} questions with a wrong answer too"
            yield from _format_means(both, questions)
        for ties, name in TIE_NAMES.items():
            values = entry["ties"][ties]
            map_text = _format_fraction(values["map"])
            mrr_text = _format_fraction(values["mrr"])
            yield f"  MAP {map_text}, MRR {mrr_text}, {name}"
        yield f"  loss {entry['loss']:.4f}"


def _summarize(
    measured: QuestionMeasures, selected: np.ndarray | None = None
) -> dict[str, Any]:
    """Returns the number of questions, and the mean and standard error of each metric.

    Mean and standard error are `None` if no question is selected.

    Args:
        measured: metrics of the Q questions.
        selected: bool array `(Q,)`, the questions to include; `None` for all.
    """
    if selected is None:
        selected = np.ones(len(measured.questions), bool)
    count = int(selected.sum())
    summary: dict[str, Any] = {"questions": count}
    for name, values in (("map", measured.map), ("mrr", measured.mrr)):
        mean = standard_error = None
        if count:
            mean = float(values[selected].mean())
            standard_error = compute_standard_error(values[selected])
        summary[name] = mean
        summary[f"{name}_standard_error"] = standard_error
    return summary


def _average(measured):
    """Returns the mean of each metric over all questions."""
    return {"map": float(measured.map.mean()), "mrr": float(measured.mrr.mean())}


def _format_means(summary, questions):
    """Yields one line per metric, with a description of the questions, such as "7
    questions"."""
    for name in ("map", "mrr"):
        error = _format_fraction(summary[f"{name}_standard_error"])
        yield (
            f"  {name.upper()} {_format_fraction(summary[name])} +- {error}"
            f" (standard error, {questions})"
        )


def _format_fraction(fraction):
    """Formats a fraction as in the papers: .6123."""
    return f"{fraction:.4f}".removeprefix("0")
