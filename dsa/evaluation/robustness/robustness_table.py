"""The results of a suite as a Markdown table, and as what a figure draws."""

from dsa.system.text_tables import markdown_table

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
Accuracy in per cent of the rows with a label; majority: of always giving the most
frequent gold label. Sets with two labels (entailment or not): "accuracy" adds the
probabilities of neutral and contradiction, "by argmax" takes the most probable of three
labels, neutral and contradiction being non-entailment."""


def write_table(results: list, missing: list) -> str:
    """Returns a Markdown text: the table, what its numbers are, and the missing sets.

    Args:
        results: pairs of a `RobustnessSet` and its entry of `metrics.json`.
        missing: the `RobustnessSet`s whose files are not there.
    """
    rows = [row for one, entry in results for row in _write_rows(one, entry)]
    parts = [markdown_table(HEADER, rows), NOTES] if rows else []
    view = results[0][1].get("view") if results else None
    if view:
        parts.append(f"**View: {view}**, see docs/robustness.md.")
    if missing:
        lines = [f"- {one.title}{_count(one)}: {_how(one)}" for one in missing]
        parts.append("\n".join(["Missing, so not evaluated:", "", *lines]))
    return "\n\n".join(parts) + "\n"


def list_points(results: list) -> list[dict]:
    """Returns the accuracies of the sets for a figure: a list of dictionaries with
    `name`, `count`, `accuracy`, `low`, `high`, `majority` and, of two labels,
    `argmax`."""
    return [
        {
            "name": one.title,
            "count": entry["count"],
            "accuracy": entry["accuracy"],
            "low": entry["interval"][0],
            "high": entry["interval"][1],
            "majority": entry["majority"],
            "argmax": entry["argmax"]["accuracy"] if "argmax" in entry else None,
        }
        for one, entry in results
    ]


def _count(one):
    return f" ({one.official_rows:,} rows)" if one.official_rows else ""


def _how(one):
    return f"{one.corpus.licence}; {one.tell_how_to_get()}"


def _write_rows(one, entry):
    argmax = entry.get("argmax")
    low, high = entry["interval"]
    yield [
        one.title,
        f"{entry['count']:,}",
        _per_cent(entry["accuracy"]),
        f"{_per_cent(low)}-{_per_cent(high)}",
        _per_cent(argmax["accuracy"]) if argmax else "",
        _per_cent(entry["majority"]),
        one.corpus.licence,
    ]
    if one.by_label:
        yield from _write_parts_by_label(entry)
    elif one.corpus.grouped:
        for name, part in entry.get("by_group", {}).items():
            yield _write_part(name, part)


def _write_parts_by_label(entry):
    for group, by_label in entry["by_group_and_label"].items():
        for label, part in by_label.items():
            other = entry["argmax"]["by_group_and_label"][group][label]
            yield _write_part(f"{group}, {label}", part, other)


def _write_part(name, part, argmax=None):
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
