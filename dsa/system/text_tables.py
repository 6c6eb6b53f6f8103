"""Conversion of tables to CSV, Markdown and HTML."""

import csv
import html
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def format_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Converts dictionaries with the same keys to CSV text with a header row.

    Returns: the CSV text; an empty string for no rows.
    """
    if not rows:
        return ""
    buffer = io.StringIO(newline="")
    column_names = list(rows[0])
    writer = csv.DictWriter(buffer, fieldnames=column_names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def format_markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Converts rows to a Markdown table, without a trailing newline.

    Vertical bars in cells are escaped, and line breaks are replaced by spaces.

    Args:
        header: column names.
        rows: cell texts, one sequence per row.

    Raises: `ValueError` if a row has more or fewer cells than the header.

    Example:
        >>> print(format_markdown_table(["seed", "accuracy"], [["13", "91 %"]]))
        | seed | accuracy |
        |---|---|
        | 13 | 91 % |
    """
    lines = [_format_markdown_row(header), "|---" * len(header) + "|"]
    for cells in rows:
        _check_length(cells, header)
        lines.append(_format_markdown_row(cells))
    return "\n".join(lines)


def format_html_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Converts rows to an HTML table, for notebooks.

    Args:
        header: column names.
        rows: cell texts, one sequence per row. Special characters are escaped.

    Raises: `ValueError` if a row has more or fewer cells than the header.

    Example:
        >>> print(format_html_table(["seed", "loss"], [["13", "< 1"]]))
        <table><tr><th>seed</th><th>loss</th></tr>
        <tr><td>13</td><td>&lt; 1</td></tr></table>
    """
    lines = [_format_html_row("th", header)]
    for cells in rows:
        _check_length(cells, header)
        lines.append(_format_html_row("td", cells))
    return "<table>" + "\n".join(lines) + "</table>"


def _check_length(cells, header):
    if len(cells) != len(header):
        raise ValueError(
            "Every row must have one cell per column. Received: "
            f"{len(cells)} cells, {len(header)} columns"
        )


def _format_html_row(tag, cells):
    row = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{row}</tr>"


def _format_markdown_row(cells):
    row = "|"
    for cell in cells:
        escaped = cell.replace("|", "\\|").replace("\n", " ")
        row += f" {escaped} |" if escaped else " |"
    return row
