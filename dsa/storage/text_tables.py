"""Rows of numbers as CSV."""

import csv
import io


def comma_separated(rows):
    """A list of dictionaries with the same keys as CSV text, these keys its header."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
