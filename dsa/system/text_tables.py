"""Tables as text: CSV and Markdown."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def comma_separated(rows: Sequence[Mapping[str, Any]]) -> str:
    """Returns dictionaries with equal keys as CSV text with a header."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a Markdown table, without a newline at its end.

    Args:
        header: names of the columns.
        rows: lists of texts, one per column; an empty text gives an empty cell.

    Raises: `ValueError` for a row with more or fewer cells than the header.

    Example:
        >>> print(markdown_table(["seed", "accuracy"], [["13", "91.2 %"], ["14", ""]]))
        | seed | accuracy |
        |---|---|
        | 13 | 91.2 % |
        | 14 | |
    """
    lines = [_markdown_line(header), "|---" * len(header) + "|"]
    for cells in rows:
        if len(cells) != len(header):
            raise ValueError(
                "Every row needs one cell for each column. Received: "
                f"{len(cells)} cells, {len(header)} columns"
            )
        lines.append(_markdown_line(cells))
    return "\n".join(lines)


def _markdown_line(cells):
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)
