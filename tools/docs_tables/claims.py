"""Table of the papers' claims, with verdicts that are checked against the results."""

import itertools

from dsa.errors import InputError
from dsa.system.text_tables import format_markdown_table
from tools.docs_tables.pivot import TABLES, Cell, Compared, list_rows

SOURCES = {"runs", "comparisons", "answers", "csv"}  # keys of a source


def write_claims(checkout, claims=TABLES["claims"]):
    """Returns the table of the papers' claims.

    Args:
        checkout: folder that contains `results/` and `configs/`.
        claims: mappings with the keys `claim`, `here` (the verdict), `number`, and
            `uses`: selections of records by name. A selection has a source, conditions,
            and optionally `base` and an operation. `claim`, `here` and `number` are
            templates with fields `NAME.key`. A verdict is checked by the conditions of
            its selections, such as `significant: "no"`, and by `holds`, a list of
            inequalities such as `"0 < {gain.low}"`.

    Raises: `InputError` for a verdict that does not hold, because a selection has no
        records or an inequality is false.
    """
    lines = []
    for claim in claims:
        uses = {}
        for name, selection in claim["uses"].items():
            source = {key: selection[key] for key in selection.keys() & SOURCES}
            conditions = {k: v for k, v in selection.items() if k not in SOURCES}
            operation = conditions.pop("compared", None)
            rows = {claim["claim"]: conditions}
            (row,) = list_rows(name, checkout, {name: {**source, "rows": rows}})
            uses[name] = Compared(row, operation) if operation else row
        _check_verdict(claim, uses)
        cells = [claim["claim"], claim["here"], claim["number"]]
        lines.append([Claim().format(cell, **uses) for cell in cells])
    return format_markdown_table(["claim of a paper", "here", "number"], lines)


def _check_verdict(claim, uses):
    for template in claim.get("holds", ()):
        inequality = Claim().format(template, **uses)
        numbers = map(float, inequality.split(" < "))
        if not all(low < high for low, high in itertools.pairwise(numbers)):
            raise InputError(
                f"{claim['claim']}: the verdict '{claim['here']}' requires {template}. "
                f"Received: {inequality}"
            )


class Claim(Cell):
    """Fills a template with values of several rows: `{NAME.key:format}`."""

    def get_field(self, field_name, args, kwargs):
        name, _, key = field_name.partition(".")
        return kwargs[name].values(key), field_name
