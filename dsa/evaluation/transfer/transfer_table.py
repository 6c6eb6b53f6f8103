"""Transfer results as rows of a table: CSV and Markdown."""

import dataclasses
from typing import NamedTuple

from dsa.data.corpora.catalogue import CORPORA
from dsa.evaluation.transfer.protocol import OURS, Protocol, TransferResult
from dsa.system.text_tables import markdown_table


class ScoreForm(NamedTuple):
    """How a table writes a score: `scale` times the number, in a format."""

    scale: float
    form: str


FORMS = {  # by score, in the order of the columns
    "accuracy": ScoreForm(100, ".1f"),
    "f1": ScoreForm(100, ".1f"),
    "pearson": ScoreForm(1, ".3f"),
    "spearman": ScoreForm(1, ".3f"),
    "mse": ScoreForm(1, ".3f"),
}


@dataclasses.dataclass(frozen=True)
class EncoderRow:
    """An encoder's results.

    Args:
        encoder: its name.
        trained_on: what it was trained on, in words.
        features: of a sentence vector.
        results: `{task: TransferResult}`.
    """

    encoder: str
    trained_on: str
    features: int
    results: dict[str, TransferResult]

    def as_record(self) -> dict:
        """Returns the row as a flat dictionary, a line of `transfer.csv`: accuracy and
        F1 in per cent; `n`, the rows measured."""
        record = {
            "encoder": self.encoder,
            "trained on": self.trained_on,
            "features": self.features,
        }
        for task, result in self.results.items():
            for score, (scale, _) in FORMS.items():
                if score in result.scores:
                    record[f"{task} {score}"] = scale * result.scores[score]
            record[f"{task} n"] = result.count
        return record


def transfer_text(rows: list[EncoderRow], protocol: Protocol = OURS) -> str:
    """Returns `EncoderRow`s as a Markdown table, and after it what its numbers are."""
    results = rows[0].results
    order = (task.name for corpus in CORPORA.values() for task in corpus.transfer)
    tasks = [task for task in order if task in results]
    table = markdown_table(
        ["encoder", "trained on", "features", *tasks],
        [
            [
                row.encoder,
                row.trained_on,
                f"{row.features:,}",
                *(_write_scores(row.results[task]) for task in tasks),
            ]
            for row in rows
        ],
    )
    counts = ", ".join(f"{task} {results[task].count:,}" for task in tasks)
    notes = [
        "Encoders frozen; accuracy in per cent (MSRP: with its F1), SICK-R as "
        "Pearson / Spearman / MSE, STS-B as Pearson / Spearman of untrained cosines.",
        f"Rows measured: {counts}. CR, MPQA and SUBJ by 10-fold cross-validation, the "
        f"others on their test sets; {protocol.note}",
    ]
    if any("partial" in row.trained_on for row in rows):
        notes.append("**Encoders trained on partial data are marked.**")
    return "\n".join([table, "", *(f"- {note}" for note in notes), ""])


def _write_scores(result):
    return " / ".join(
        format(scale * result.scores[score], form)
        for score, (scale, form) in FORMS.items()
        if score in result.scores
    )
