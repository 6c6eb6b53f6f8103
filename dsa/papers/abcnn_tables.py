"""Markdown tables of BCNN, ABCNN and their baselines, from the results of runs."""

from pathlib import Path

from dsa.papers.comparison import compare_rows
from dsa.papers.mean_and_range import write_mean_and_range
from dsa.papers.model_tables import find_runs
from dsa.papers.tables.registry import table_named
from dsa.system.text_tables import markdown_table

NAMES = {
    "abcnn-3": "WikiQA",
    "wikiqa-single-pairs": "WikiQA",
    "abcnn-4": "MSRP",
    "abcnn-6": "SICK",
}


def write_abcnn_table(checkout, preset="small"):
    """Every row of the three tables that has been run: what selects on dev, and the
    test metrics beside the paper's."""
    lines = []
    for name, corpus in NAMES.items():
        table = table_named(name)
        runs = find_runs(table, preset, checkout)
        for row in compare_rows(table, runs, Path(checkout, "results"), preset):
            if row.name in runs:
                lines.append([corpus, *_write_cells(table, row)])
    return markdown_table(
        ["corpus", "model", "seeds", "dev", "test", "paper: test", "test looks a run"],
        lines,
    )


def _write_cells(table, row):
    dev, *tests = table.measures
    values = [(m, row.values[m.name]) for m in tests]
    return [
        row.name,
        ", ".join(map(str, row.training.seeds)),
        _write_ours(dev, row.values[dev.name]),
        " / ".join(_write_ours(*value) for value in values),
        " / ".join(value.paper_text or "-" for _, value in values),
        str(row.test_evaluations),
    ]


def _write_ours(measure, value):
    return write_mean_and_range(value.seeds, measure.metric.form)
