"""The answers to a question, put in order."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from dsa.errors import InputError
from dsa.tasks.bootstrap import standard_error
from dsa.tasks.classification import Classification
from dsa.tasks.ranking_metrics import TIES, QuestionMeasures, measure_questions
from dsa.tasks.task import PAIR, Groups

EXPECTED = "expected"
NAMES = {"stable": "ties in file order", "trec_eval": "ties as trec_eval"}


class Relevance(NamedTuple):
    """The score of an answer, by which it is ranked, and the probability of each
    label."""

    score: float
    probabilities: dict[str, float]

    @property
    def probability(self):
        """That the answer is right."""
        return self.probabilities["right"]


@dataclasses.dataclass(frozen=True)
class Ranking(Classification):
    """The `Task` of ranking the answers to a question: pairs of a question and an
    answer, trained as two labels, and measured by how each question's are ranked.

    The score of an answer is the difference of its two logits.

    Args:
        name: of the task.
        inputs: a pair.
        labels: of a wrong and of a right answer.
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
        """Returns the scores `(N,)` of logits `(N, 2)`, float64."""
        wrong, right = logits.astype(np.float64).T
        return right - wrong

    def metrics(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, Any]:
        """Measures how well logits of N rows rank the answers to each question.

        Args:
            logits: `(N, 2)`.
            labels: `(N,)`, 1 for a right answer.
            groups: the question of each row.

        Returns: a dictionary: `count`, N; `loss`, mean cross-entropy in nats of all
            rows; `questions`, those with a right answer: the others are not measured;
            `map` and `mrr`, their means over these questions, the expectation over
            every order of equal scores; `map_standard_error` and `mrr_standard_error`,
            by bootstrap over the questions; `both_labels`, the same of the questions
            with a wrong answer too; `ties`, `map` and `mrr` by other rules for equal
            scores.

        Raises: `InputError` for scores that are no numbers and where no question has a
            right answer.
        """
        measured = self._measure_questions(logits, labels, groups)
        return {
            "count": len(labels),
            "loss": self._measure_loss(logits, labels),
            **_summarize(measured),
            "both_labels": _summarize(measured, measured.both_labels),
            "ties": {
                ties: _take_means(self._measure_questions(logits, labels, groups, ties))
                for ties in TIES
                if ties != EXPECTED
            },
        }

    def unit_values(
        self, logits: np.ndarray, labels: np.ndarray, groups: Groups = None
    ) -> dict[str, np.ndarray]:
        """Returns `{metric: its value for each question (Q,)}`, see `Task`."""
        measured = self._measure_questions(logits, labels, groups)
        return {"map": measured.map, "mrr": measured.mrr}

    def _measure_questions(self, logits, labels, groups, ties=EXPECTED):
        if groups is None:
            raise ValueError("`groups`, the question of each row, are needed")
        scores = self.scores(logits)
        if np.isnan(scores).any():
            raise InputError(
                f"{np.isnan(scores).sum():,} of {len(scores):,} scores are no numbers "
                "(NaN): they cannot be ranked"
            )
        measured = measure_questions(scores, labels == 1, groups, ties)
        if not measured.questions:
            raise InputError("no question has a right answer: nothing can be measured")
        return measured

    def answer(self, logits: np.ndarray) -> Any:
        """Returns the `Relevance` of one row's logits `(2,)`."""
        (score,) = self.scores(logits[None]).tolist()
        return Relevance(score, super().answer(logits).probabilities)

    def as_text(self, entry: Mapping[str, Any]) -> Iterator[str]:
        yield from _write_means(entry, f"{entry['questions']:,} questions")
        both = entry["both_labels"]
        if both["questions"]:
            count = f"{both['questions']:,} questions with a wrong answer too"
            yield from _write_means(both, count)
        for ties, name in NAMES.items():
            values = entry["ties"][ties]
            yield f"  MAP {_write(values['map'])}, MRR {_write(values['mrr'])}, {name}"
        yield f"  loss {entry['loss']:.4f}"


def _summarize(measured: QuestionMeasures, kept: Any = slice(None)) -> dict[str, Any]:
    """The means over kept questions and their standard errors; `None` without any."""
    values = {"map": measured.map[kept], "mrr": measured.mrr[kept]}
    count = len(values["map"])
    summary: dict[str, Any] = {"questions": count}
    for name, of_questions in values.items():
        summary[name] = float(of_questions.mean()) if count else None
        summary[f"{name}_standard_error"] = (
            standard_error(of_questions) if count else None
        )
    return summary


def _take_means(measured):
    return {"map": float(measured.map.mean()), "mrr": float(measured.mrr.mean())}


def _write_means(summary, count):
    for name in ("map", "mrr"):
        error = _write(summary[f"{name}_standard_error"])
        yield (
            f"  {name.upper()} {_write(summary[name])} +- {error}"
            f" (standard error, {count})"
        )


def _write(fraction):
    """A fraction as the papers write it: .6123."""
    return f"{fraction:.4f}".removeprefix("0")
