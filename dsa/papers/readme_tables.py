"""The tables of Markdown files, made from what is under `results/`."""

import re

from dsa.errors import InputError
from dsa.papers.first_run_output import write_first_run_output
from dsa.papers.headline_table import write_headline_table
from dsa.papers.model_tables import (
    write_models_table,
    write_paper_table,
    write_snli_table,
    write_tasks_table,
)
from dsa.papers.study_tables import (
    write_batches_table,
    write_mini_table,
    write_onednn_table,
    write_precision_table,
)

TABLES = {  # each is a function of the checkout's path
    "headline": write_headline_table,
    "first-run": write_first_run_output,
    "paper": write_paper_table,
    "snli": write_snli_table,
    "models": write_models_table,
    "tasks": write_tasks_table,
    "mini": write_mini_table,
    "batches": write_batches_table,
    "precision": write_precision_table,
    "onednn": write_onednn_table,
}

END = "<!-- end -->"


def fill_tables(text, checkout):
    r"""A Markdown text whose tables are made again, each between
    `<!-- table: name -->` and `<!-- end -->`. Its lines end as the first of these marks
    does, with "\r\n" too.

    Args:
        text: the Markdown text.
        checkout: the folder that holds `results/` and `configs/`.

    Raises: `InputError` for a table without end, and for results that are missing.
    """
    for name, write_table in TABLES.items():
        begin = re.search(rf"<!-- table: {name} -->(\r?\n)", text)
        if begin:
            old, end_mark, after = text[begin.end() :].partition(END)
            if not end_mark or "<!-- table: " in old:
                raise InputError(f"the table '{name}' has no '{END}'")
            table = f"{write_table(checkout)}\n".replace("\n", begin[1])
            text = f"{text[: begin.end()]}{table}{END}{after}"
    return text
