"""The table of the papers' claims, with verdicts that depend on committed results."""

from dsa.system.text_tables import markdown_table
from tools.docs_tables.pivot import TABLES, Cell, Compared, list_rows

SOURCES = {"runs", "comparisons", "answers", "csv"}  # keys of a source


def write_claims(checkout, claims=TABLES["claims"]):
    """Returns the table of the papers' claims.

    Args:
        checkout: folder that contains `results/` and `configs/`.
        claims: mappings with `claim`, `here`, `number`, and `uses`: selections of
            records by name, each a source, conditions, and optionally `base` and an
            operation. A field of the templates is `NAME.key`. A condition such as
            `significant: "yes"` ties the verdict to the data.

    Raises: `InputError` for a selection without records: the verdict no longer holds.
    """
    lines = []
    for claim in claims:
        uses = {}
        for name, use in claim["uses"].items():
            source = {key: use[key] for key in use.keys() & SOURCES}
            conditions = {k: v for k, v in use.items() if k not in SOURCES}
            operation = conditions.pop("compared", None)
            rows = {claim["claim"]: conditions}
            (row,) = list_rows(name, checkout, {name: {**source, "rows": rows}})
            uses[name] = Compared(row, operation) if operation else row
        cells = [claim["claim"], claim["here"], claim["number"]]
        lines.append([Claim().format(cell, **uses) for cell in cells])
    return markdown_table(["claim of a paper", "here", "number"], lines)


class Claim(Cell):
    """Fills a template with values of several rows: `{NAME.key:format}`."""

    def get_field(self, field_name, args, kwargs):
        name, _, key = field_name.partition(".")
        return kwargs[name].values(key), field_name
