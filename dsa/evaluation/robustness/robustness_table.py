"""Formats the results of the robustness suite as a table and as data of a figure."""

from dsa.system.text_tables import format_markdown_table

HEADER = (
    "set",
    "rows",
    "accuracy",
    "95 % interval",
    "by argmax",
    "majority",
    "licence",
)
NOTES = """\
Accuracy in per cent of the labelled rows; majority: accuracy of the most frequent gold
label. For sets with two labels (entailment or not), "accuracy" adds the probabilities
of neutral and contradiction; "by argmax" maps the most probable of the three labels to
two."""


def format_table(results: list, missing: list) -> str:
    """Returns the table with notes and a list of the missing sets, as Markdown.

    Args:
        results: the evaluated sets with their entries in `metrics.json`, a list of
            `(RobustnessSet, entry)`.
        missing: sets with a missing file.
    """
    rows = []
    for test_set, entry in results:
        rows += _format_rows(test_set, entry)
    sections = []
    if rows:
        sections += [format_markdown_table(HEADER, rows), NOTES]
        _, first_entry = results[0]
        view = first_entry.get("view")
        if view:
            sections.append(f"**View: {view}**, see docs/robustness.md.")
    if missing:
        lines = ["Not evaluated because of missing files:", ""]
        lines += [_describe_missing(test_set) for test_set in missing]
        sections.append("\n".join(lines))
    return "\n\n".join(sections) + "\n"


def list_points(results: list) -> list[dict]:
    """Returns the data of the figure, a dictionary for each set.

    The keys are `name`, `count`, `accuracy`, `low` and `high` (the interval of the
    accuracy), `majority`, and `argmax`, which is `None` for sets with three labels.

    Args:
        results: see `format_table`.
    """
    points = []
    for test_set, entry in results:
        low, high = entry["interval"]
        argmax = entry.get("argmax")
        points.append(
            {
                "name": test_set.title,
                "count": entry["count"],
                "accuracy": entry["accuracy"],
                "low": low,
                "high": high,
                "majority": entry["majority"],
                "argmax": argmax["accuracy"] if argmax else None,
            }
        )
    return points


def _describe_missing(test_set):
    """Returns a list item with the licence and the download of a missing set."""
    title = test_set.title
    num_rows = test_set.official_rows
    if num_rows:
        title += f" ({num_rows:,} rows)"
    return f"- {title}: {test_set.corpus.licence}; {test_set.describe_download()}"


def _format_rows(test_set, entry):
    """Yields the table row of a set, followed by the rows of its groups."""
    argmax = entry.get("argmax")
    low, high = entry["interval"]
    yield [
        test_set.title,
        f"{entry['count']:,}",
        _format_per_cent(entry["accuracy"]),
        f"{_format_per_cent(low)}-{_format_per_cent(high)}",
        _format_per_cent(argmax["accuracy"]) if argmax else "",
        _format_per_cent(entry["majority"]),
        test_set.corpus.licence,
    ]
    if test_set.by_label:
        yield from _format_groups_and_labels(entry)
    elif test_set.corpus.grouped:
        for group, metrics in entry.get("by_group", {}).items():
            yield _format_group(group, metrics)


def _format_groups_and_labels(entry):
    """Yields a table row for each group and gold label."""
    for group, by_label in entry["by_group_and_label"].items():
        for label, metrics in by_label.items():
            argmax = entry["argmax"]["by_group_and_label"][group][label]
            yield _format_group(f"{group}, {label}", metrics, argmax)


def _format_group(name, metrics, argmax=None):
    """Returns the table row of a group, with its accuracy by arg max if given."""
    return [
        f"- {name}",
        f"{metrics['count']:,}",
        _format_per_cent(metrics["accuracy"]),
        "",
        _format_per_cent(argmax["accuracy"]) if argmax else "",
        "",
        "",
    ]


def _format_per_cent(share):
    return "-" if share is None else f"{100 * share:.2f}"
