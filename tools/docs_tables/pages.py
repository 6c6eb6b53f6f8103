"""Generation of the tables of Markdown pages."""

import difflib
import re
from functools import partial

from dsa.errors import InputError
from tools.docs_tables import benchmark_tables, code_tables, cost_tables, other_tables
from tools.docs_tables.claims import write_claims
from tools.docs_tables.pivot import TABLES, write_table
from tools.docs_tables.speed_table import write_speed_table

END = "<!-- end -->"
PAPER = "paper "  # prefix, followed by a table and a preset of `dsa reproduce`
PUBLISHED = "published-"  # prefix, followed by a table of `dsa reproduce`
FUNCTIONS = {  # functions of the checkout; all other tables are in tables.yaml
    "claims": write_claims,
    "claims-mask": partial(
        write_claims, claims=[c for c in TABLES["claims"] if c.get("about") == "mask"]
    ),
    "first-run": code_tables.write_first_run_output,
    "families": code_tables.write_families_table,
    **{
        name: partial(code_tables.write_code_table, name)
        for name in code_tables.RELEASED
    },
    "studies": other_tables.write_studies_table,
    "batches": other_tables.write_batches_table,
    "learning-curves": other_tables.write_learning_curves_table,
    "figures-9-to-11": other_tables.write_word_figures_table,
    "onednn": benchmark_tables.write_onednn_table,
    "plain-step": benchmark_tables.write_plain_step_table,
    "goals": benchmark_tables.write_goals_table,
    "speed": write_speed_table,
    "everyday-pairs": code_tables.write_everyday_pairs_table,
    "cost": cost_tables.write_cost_table,
    "a-day": cost_tables.write_day_table,
}
# A marker is a comment on a separate line. Comments inside a sentence are ignored.
TABLE_COMMENT = re.compile(
    r"(?m)^[ \t]*<!--[ \t]*table:[ \t]*(.*?)[ \t]*-->[ \t]*(\r?\n)"
)


def find_pages(checkout):
    """Returns the Markdown files of the checkout that contain generated tables."""
    pages = [checkout / "README.md"]
    for folder in ("docs", "results"):
        pages += sorted((checkout / folder).rglob("*.md"))
    return [page for page in pages if TABLE_COMMENT.search(page.read_text("utf-8"))]


def fill_tables(text, checkout):
    r"""Regenerates the tables between `<!-- table: name -->` and `<!-- end -->`.

    A table has the line ends of its first marker, "\n" or "\r\n".

    Args:
        text: Markdown text of a page.
        checkout: folder that contains `results/`, `docs/` and `configs/`.

    Returns: the text of the page with the regenerated tables.

    Raises: `InputError` for an unknown table, a missing end marker, and missing or
        damaged results.
    """
    parts, position = [], 0
    for comment in TABLE_COMMENT.finditer(text):
        name, line_end = comment[1], comment[2]
        line = text.count("\n", 0, comment.start()) + 1
        _check_table_name(name, line)
        following = TABLE_COMMENT.search(text, comment.end())
        end = text.find(END, comment.end(), following.start() if following else None)
        if end < 0:
            raise InputError(f"line {line}: the table '{name}' has no '{END}'")
        table = f"{_write(name, checkout)}\n".replace("\n", line_end)
        parts += [text[position : comment.end()], table]
        position = end
    return "".join([*parts, text[position:]])


def _write(name, checkout):
    try:
        if name.startswith(PAPER):
            return other_tables.write_paper_table(*name.split()[1:], checkout)
        if name.startswith(PUBLISHED):
            return other_tables.write_published_table(name.removeprefix(PUBLISHED))
        if name in FUNCTIONS:
            return FUNCTIONS[name](checkout)
        return write_table(name, checkout)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"the table '{name}': a file below {checkout / 'results'} lacks {error}"
        ) from error


def _check_table_name(name, line):
    known = sorted({*TABLES, *FUNCTIONS})
    if name not in known and not name.startswith((PAPER, PUBLISHED)):
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        raise InputError(
            f"line {line}: unknown table '{name}'. {hint}Known: {', '.join(known)}"
        )
