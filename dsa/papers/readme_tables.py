"""The tables of Markdown files, made from what is under `results/`."""

from dsa.errors import InputError
from dsa.papers.abcnn_tables import write_abcnn_table, write_paired_table
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
    "abcnn": write_abcnn_table,
    "abcnn-paired": write_paired_table,
    "mini": write_mini_table,
    "batches": write_batches_table,
    "precision": write_precision_table,
    "onednn": write_onednn_table,
}


def fill_tables(text, checkout):
    """A Markdown text whose tables are made again, each between
    `<!-- table: name -->` and `<!-- end -->`.

    Args:
        text: the Markdown text.
        checkout: the folder that holds `results/` and `configs/`.

    Raises: `InputError` for a table without end, and for results that are missing or
        damaged.
    """
    for name in TABLES:
        begin, end = f"<!-- table: {name} -->\n", "<!-- end -->"
        before, mark, rest = text.partition(begin)
        if mark:
            old, end_mark, after = rest.partition(end)
            if not end_mark or "<!-- table: " in old:
                raise InputError(f"the table '{name}' has no '{end}'")
            text = f"{before}{begin}{_write(name, checkout)}\n{end}{after}"
    return text


def _write(name, checkout):
    try:
        return TABLES[name](checkout)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"the table '{name}': a file below {checkout / 'results'} lacks what it "
            f"needs: {error}"
        ) from error
