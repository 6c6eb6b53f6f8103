"""Conversion of tables to CSV, Markdown and HTML."""

import csv
import html
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def comma_separated(rows: Sequence[Mapping[str, Any]]) -> str:
    """Converts dictionaries with equal keys to CSV with a header."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Converts rows to a Markdown table, without a line feed at the end.

    Args:
        header: names of the columns.
        rows: texts of the cells of each row.

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
                "Every row must have one cell per column. Received: "
                f"{len(cells)} cells, {len(header)} columns"
            )
        lines.append(_markdown_line(cells))
    return "\n".join(lines)


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Converts rows to an HTML table, for notebooks.

    Example:
        >>> print(html_table(["seed", "loss"], [["13", "< 1"]]))
        <table><tr><th>seed</th><th>loss</th></tr>
        <tr><td>13</td><td>&lt; 1</td></tr></table>
    """
    lines = [_html_line("th", header), *(_html_line("td", row) for row in rows)]
    return "<table>" + "\n".join(lines) + "</table>"


def _html_line(tag, cells):
    line = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{line}</tr>"


def _markdown_line(cells):
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells)
