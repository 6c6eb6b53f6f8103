"""The tables of Markdown files, made from what is under `results/`."""

import difflib
import functools
import re

from dsa.errors import InputError
from dsa.papers.abcnn_tables import write_abcnn_table
from dsa.papers.benchmark_tables import write_goals_table
from dsa.papers.families_table import write_families_table
from dsa.papers.first_run_output import write_first_run_output
from dsa.papers.headline_table import write_headline_table
from dsa.papers.model_tables import (
    write_models_table,
    write_paper_table,
    write_snli_table,
    write_tasks_table,
)
from dsa.papers.paired_tables import write_paired_table
from dsa.papers.released.table import CODES, write_code_table
from dsa.papers.settings_table import STUDIES, write_settings_table
from dsa.papers.study_tables import (
    write_batches_table,
    write_mini_table,
    write_onednn_table,
    write_precision_table,
)
from dsa.papers.views_table import write_trained_views_table, write_views_table

TABLES = {  # each is a function of the checkout's path
    "headline": write_headline_table,
    "first-run": write_first_run_output,
    "paper": write_paper_table,
    "snli": write_snli_table,
    "models": write_models_table,
    "tasks": write_tasks_table,
    "abcnn": write_abcnn_table,
    "abcnn-paired": functools.partial(
        write_paired_table, "wikiqa/paired_test.txt", "map", "BCNN's"
    ),
    "seeds-paired": functools.partial(
        write_paired_table, "snli/paired_dev.txt", "accuracy", "DSA's"
    ),
    "mini": write_mini_table,
    "batches": write_batches_table,
    "precision": write_precision_table,
    "onednn": write_onednn_table,
    "goals": write_goals_table,
    "views": write_views_table,
    "views-trained": write_trained_views_table,
    "families": write_families_table,
    **{
        name: functools.partial(write_settings_table, *study)
        for name, study in STUDIES.items()
    },
    **{name: functools.partial(write_code_table, name) for name in CODES},
}
# a line of its own: in a sentence about such comments it is no table
TABLE_COMMENT = re.compile(
    r"(?m)^[ \t]*<!--[ \t]*table:[ \t]*(.*?)[ \t]*-->[ \t]*(\r?\n)"
)
END = "<!-- end -->"


def fill_tables(text, checkout):
    r"""A Markdown text whose tables are made again, each between
    `<!-- table: name -->` and `<!-- end -->`. Its lines end as the first of these marks
    does, also with "\r\n" too.

    Args:
        text: the Markdown text.
        checkout: the folder that holds `results/` and `configs/`.

    Raises: `InputError` for a table that has no such name or no end, and for results
        that are missing or damaged.
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
        return TABLES[name](checkout)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"the table '{name}': a file below {checkout / 'results'} lacks what it "
            f"needs: {error}"
        ) from error


def _check_table_name(name, line):
    if name not in TABLES:
        near = difflib.get_close_matches(name, TABLES, n=1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        raise InputError(
            f"line {line}: unknown table '{name}'. {hint}There are: {', '.join(TABLES)}"
        )
