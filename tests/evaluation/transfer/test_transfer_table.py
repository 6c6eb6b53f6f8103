import json
import pathlib

from dsa.evaluation.transfer.protocol import TransferResult
from dsa.evaluation.transfer.transfer_table import FORMS, EncoderRow, transfer_text
from dsa.system.text_tables import comma_separated

RESULTS = pathlib.Path(__file__).resolve().parents[3] / "results" / "transfer"


def read_row(encoder, features):
    """The committed results of a run."""
    entries = json.loads((RESULTS / f"{encoder}.json").read_text())["evaluations"]
    results = {
        entry["task"]: TransferResult(
            entry["count"],
            {score: entry[score] for score in FORMS if score in entry},
            entry.get("strengths"),
        )
        for entry in entries
    }
    return EncoderRow(encoder, "40,000 rows of snli, 7 %, partial", features, results)


def test_the_committed_table_is_made_from_the_committed_results():
    rows = [read_row("dsa", 1200), read_row("disan", 600)]
    committed = (RESULTS / "transfer.csv").read_text().splitlines()
    records = comma_separated([row.as_record() for row in rows])
    assert records.splitlines() == committed[:3]  # of the average nothing was kept
    committed = (RESULTS / "transfer.md").read_text().splitlines()
    assert transfer_text(rows).splitlines() == committed[:4] + committed[5:]


def test_an_entry_holds_what_was_measured_and_how():
    result = TransferResult(7, {"accuracy": 0.5, "f1": 0.25}, (2.0,))
    assert json.dumps(result.as_entry("MSRP")) == (
        '{"task": "MSRP", "count": 7, "accuracy": 0.5, "f1": 0.25, "strengths": [2.0]}'
    )
    assert "strengths" not in TransferResult(7, {"pearson": 0.5}).as_entry("STS-B")
