"""Transfer results as CSV and Markdown."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dsa.data.corpora.catalogue import CORPORA
from dsa.system.text_tables import format_markdown_table

METRICS = {  # (factor, number format) of each metric, in column order
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
    # entries of earlier versions have no key "protocol"
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
            for metric, (factor, _) in METRICS.items():
                if metric in entry:
                    record[f"{task} {metric}"] = factor * entry[metric]
            record[f"{task} n"] = entry["count"]
        return record


def format_transfer_table(rows: Sequence[EncoderRow]) -> str:
    """Formats the results of encoders as a Markdown table with notes.

    Args:
        rows: results of at least one encoder. All encoders must have been evaluated on
            the same tasks.
    """
    entries = rows[0].entries
    tasks = []
    for corpus in CORPORA.values():
        tasks += [task.name for task in corpus.transfer if task.name in entries]
    table_rows = []
    for row in rows:
        cells = [row.encoder, row.trained_on, f"{row.features:,}"]
        for task in tasks:
            cells.append(_format_entry(row.entries[task]))
        table_rows.append(cells)
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
    header = ["encoder", "trained on", "features", *tasks]
    table = format_markdown_table(header, table_rows)
    return "\n".join([table, "", *(f"- {note}" for note in notes), ""])


def _format_entry(entry: dict[str, Any]) -> str:
    """Returns the metrics of an evaluation, such as "74.1 / 82.0"."""
    values = []
    for metric, (factor, number_format) in METRICS.items():
        if metric in entry:
            values.append(format(factor * entry[metric], number_format))
    return " / ".join(values)
