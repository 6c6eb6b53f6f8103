import json
import pathlib

from dsa.evaluation.transfer.transfer_table import EncoderRow, format_transfer_table
from dsa.system.text_tables import format_csv

RESULTS = pathlib.Path(__file__).resolve().parents[3] / "results" / "transfer"


def read_row(encoder, features):
    """Reads the committed results of a run, which have the earlier protocol."""
    runs = json.loads((RESULTS / "transfer.json").read_text(encoding="utf-8"))
    evaluations = runs[encoder]["evaluations"]
    entries = {entry["task"]: entry for entry in evaluations}
    return EncoderRow(encoder, "40,000 rows of snli, 7 %, partial", features, entries)


def test_the_committed_table_matches_the_committed_results():
    rows = [read_row("dsa", 1200), read_row("disan", 600)]
    committed = (RESULTS / "transfer.csv").read_text().splitlines()
    records = format_csv([row.as_record() for row in rows])
    assert records.splitlines() == committed[:3]  # the average has no committed results
    committed = (RESULTS / "transfer.md").read_text().splitlines()
    assert format_transfer_table(rows).splitlines() == committed[:4] + committed[5:]


def test_the_notes_name_the_protocol_of_the_results():
    entry = {"task": "MSRP", "count": 7, "accuracy": 0.5, "f1": 0.25}
    row = EncoderRow("dsa", "-", 5, {"MSRP": {**entry, "protocol": "senteval"}})
    text = format_transfer_table([row])
    assert "| dsa | - | 5 | 50.0 / 25.0 |" in text
    assert "on their test sets; Protocol of SentEval" in text
    earlier = EncoderRow("dsa", "-", 5, {"MSRP": entry})
    assert "on their test sets; C of logistic regression" in format_transfer_table(
        [earlier]
    )
