"""Results of the robustness suite as a Markdown table and as data for a figure."""

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
        results: list of `(RobustnessSet, entry in metrics.json)`.
        missing: the sets whose files are missing.
    """
    rows = []
    for test_set, entry in results:
        rows += _format_rows(test_set, entry)
    parts = []
    if rows:
        parts += [format_markdown_table(HEADER, rows), NOTES]
        view = results[0][1].get("view")
        if view:
            parts.append(f"**View: {view}**, see docs/robustness.md.")
    if missing:
        lines = [_describe_missing(test_set) for test_set in missing]
        parts.append("\n".join(["Not evaluated because of missing files:", "", *lines]))
    return "\n\n".join(parts) + "\n"


def list_points(results: list) -> list[dict]:
    """Returns the data of the figure, a list of dictionaries.

    The keys are `name`, `count`, `accuracy`, `low`, `high`, `majority` and `argmax`,
    which is `None` for sets with three labels.
    """
    return [
        {
            "name": test_set.title,
            "count": entry["count"],
            "accuracy": entry["accuracy"],
            "low": entry["interval"][0],
            "high": entry["interval"][1],
            "majority": entry["majority"],
            "argmax": entry["argmax"]["accuracy"] if "argmax" in entry else None,
        }
        for test_set, entry in results
    ]


def _describe_missing(test_set):
    title, rows = test_set.title, test_set.official_rows
    if rows:
        title += f" ({rows:,} rows)"
    return f"- {title}: {test_set.corpus.licence}; {test_set.describe_download()}"


def _format_rows(test_set, entry):
    argmax = entry.get("argmax")
    low, high = entry["interval"]
    yield [
        test_set.title,
        f"{entry['count']:,}",
        _per_cent(entry["accuracy"]),
        f"{_per_cent(low)}-{_per_cent(high)}",
        _per_cent(argmax["accuracy"]) if argmax else "",
        _per_cent(entry["majority"]),
        test_set.corpus.licence,
    ]
    if test_set.by_label:
        yield from _format_parts_by_label(entry)
    elif test_set.corpus.grouped:
        for name, part in entry.get("by_group", {}).items():
            yield _format_part(name, part)


def _format_parts_by_label(entry):
    for group, by_label in entry["by_group_and_label"].items():
        for label, part in by_label.items():
            argmax = entry["argmax"]["by_group_and_label"][group][label]
            yield _format_part(f"{group}, {label}", part, argmax)


def _format_part(name, part, argmax=None):
    return [
        f"- {name}",
        f"{part['count']:,}",
        _per_cent(part["accuracy"]),
        "",
        _per_cent(argmax["accuracy"]) if argmax else "",
        "",
        "",
    ]


def _per_cent(share):
    return "-" if share is None else f"{100 * share:.2f}"
