"""Transfer results as CSV and Markdown."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dsa.data.corpora.catalogue import CORPORA
from dsa.system.text_tables import format_markdown_table

METRICS = {  # (factor, format) of each metric, in column order
    "accuracy": (100, ".1f"),
    "f1": (100, ".1f"),
    "pearson": (1, ".3f"),
    "spearman": (1, ".3f"),
    "mse": (1, ".3f"),
}
PROTOCOL = "senteval"
PROTOCOL_NOTES = {
    PROTOCOL: "Protocol of SentEval (Conneau & Kiela 2018): C from 2^-2 to 2^3, of "
    "TREC and MSRP from 2^-1 to 2^5, on dev or by ten inner folds; scores by Adam on "
    "the squared error of probabilities, stopped by dev.",
    # entries of earlier versions
    "ours": "C of logistic regression chosen on dev, or by inner folds.",
}


class EncoderRow(NamedTuple):
    """Evaluations of an encoder.

    Args:
        encoder: name of the encoder.
        trained_on: description of the training data.
        features: number of features of a sentence vector.
        entries: `{task: entry of transfer.json}`.
    """

    encoder: str
    trained_on: str
    features: int
    entries: dict[str, dict[str, Any]]

    def as_record(self) -> dict[str, Any]:
        """Returns a row of `transfer.csv`.

        Accuracy and F1 are in per cent; `n` is the number of evaluated rows.
        """
        record: dict[str, Any] = {
            "encoder": self.encoder,
            "trained on": self.trained_on,
            "features": self.features,
        }
        for task, entry in self.entries.items():
            for metric, (scale, _) in METRICS.items():
                if metric in entry:
                    record[f"{task} {metric}"] = scale * entry[metric]
            record[f"{task} n"] = entry["count"]
        return record


def transfer_text(rows: Sequence[EncoderRow]) -> str:
    """Returns a Markdown table with notes.

    Args:
        rows: encoders that were evaluated on the same tasks.
    """
    entries = rows[0].entries
    order = (task.name for corpus in CORPORA.values() for task in corpus.transfer)
    tasks = [task for task in order if task in entries]
    lines = []
    for row in rows:
        cells = [row.encoder, row.trained_on, f"{row.features:,}"]
        lines.append([*cells, *(_format_entry(row.entries[task]) for task in tasks)])
    counts = ", ".join(f"{task} {entries[task]['count']:,}" for task in tasks)
    protocols = {
        entry.get("protocol", "ours") for row in rows for entry in row.entries.values()
    }
    protocol_notes = " ".join(PROTOCOL_NOTES[name] for name in sorted(protocols))
    notes = [
        "Encoders frozen; accuracy in per cent (MSRP: with its F1), SICK-R as "
        "Pearson / Spearman / MSE, STS-B as Pearson / Spearman of untrained cosines.",
        f"Rows measured: {counts}. CR, MPQA and SUBJ by 10-fold cross-validation, the "
        f"others on their test sets; {protocol_notes}",
    ]
    if any("partial" in row.trained_on for row in rows):
        notes.append("**Encoders trained on partial data are marked.**")
    table = format_markdown_table(["encoder", "trained on", "features", *tasks], lines)
    return "\n".join([table, "", *(f"- {note}" for note in notes), ""])


def _format_entry(entry: dict[str, Any]) -> str:
    return " / ".join(
        format(scale * entry[metric], number_format)
        for metric, (scale, number_format) in METRICS.items()
        if metric in entry
    )
