"""Tables with the papers' numbers beside those of our runs."""

from dsa.errors import InputError
from dsa.papers.comparison import compare_rows
from dsa.papers.comparison_text import comparison_text, format_ours
from dsa.papers.planning import find_runs, plan_runs
from dsa.papers.table_files import find_table
from tools.docs_tables.run_records import (
    join,
    write_table,
)

SEEDS = (13, 14, 15)
TASKS = (
    "disan-4",
    "disan-5-trec",
    "disan-2",
    "sst-phrases",
    "disan-5-cr",
    "disan-5-mpqa",
    "disan-5-subj",
)


def compare_results(name, preset, checkout, seeds=SEEDS):
    """Yields the `Row` and the record of each row of a table that has runs of some
    seeds in `results/`."""
    table, results = find_table(name), checkout / "results"
    plans = plan_runs(table, preset, seeds, checkout)
    runs, _ = find_runs(plans, results, results)
    compared = compare_rows(table, runs, results, preset)
    for row, ours in zip(table.rows, compared, strict=True):
        if row.name in runs:
            yield row, ours


def write_paper_table(name, preset, checkout):
    """The text that `dsa reproduce` writes, from the committed runs of `SEEDS`."""
    table, results = find_table(name), checkout / "results"
    runs, _ = find_runs(plan_runs(table, preset, SEEDS, checkout), results, results)
    text = comparison_text(table, compare_rows(table, runs, results, preset))
    return text.replace("## ", "", 1).rstrip()


def write_models_table(checkout):
    """All models on a part of SNLI, one run of the same seed each."""
    return write_table(
        [
            {
                "model": ours["model"],
                "dev": f"{ours['dev ours']:.2f}",
                "standard error": f"{_error(ours['dev ours'], ours['dev pairs']):.2f}",
                "vectors": ours["vectors"],
                "parameters": f"{ours['parameters']:,}",
                "commit": f"`{join(ours['commits'])}`",
            }
            for _, ours in compare_results(
                "snli-models", "subset40k", checkout, SEEDS[:1]
            )
        ]
    )


def _error(percent, rows):
    return (percent * (100 - percent) / rows) ** 0.5


def write_tasks_table(seeds, checkout):
    """The other tasks beside DiSAN's paper: the metric that selects, on test.

    Args:
        seeds: rows of these seeds are shown, and no others.
        checkout: the folder that holds `results/`.
    """
    lines = []
    for name in TASKS:
        table = find_table(name)
        measure = table.measures[0]
        metric = measure.metric
        for row, ours in compare_results(name, "small", checkout):
            is_measured = ours[f"{measure.name} ours"] is not None
            if not is_measured or tuple(ours["seeds"]) != seeds:
                continue
            paper = ours[f"{measure.name} paper"]
            lines.append(
                {
                    "task": table.title.split(" (")[0],
                    "model": row.name.removesuffix(" (not in this paper)"),
                    "metric": metric.key,
                    "DiSAN's paper": "-" if paper is None else f"{float(paper):g}",
                    "ours": format_ours(measure, ours),
                    "test rows": f"{ours[f'{measure.name} {metric.unit}']:,}",
                }
            )
    return write_table(lines)


def write_abcnn_table(name, checkout):
    """A table of ABCNN's paper: the test metrics beside the paper's."""
    measures = find_table(name).measures[1:]
    lines = []
    for row, ours in compare_results(name, "small", checkout):
        line = {"model": row.name}
        for measure in measures:
            name = measure.name
            line[f"ours: {name}"] = format_ours(measure, ours)
            line[f"paper: {name}"] = ours[f"{name} paper"] or "-"
        lines.append(line)
    return write_table(lines)


def write_published_table(name, checkout):
    """A paper's table, and the config of each model that is implemented here.

    Args:
        name: of the table of `dsa reproduce`.
        checkout: not read.
    """
    table = find_table(name)
    numbers = table.source.numbers()
    lines = []
    for row in (row for row in table.rows if row.in_paper):
        printed = [n for n in numbers if n.model == row.name]
        millions = [n.params_millions for n in printed if n.params_millions]
        here = "-" if row.config is None else f"`{row.config.split('/', 1)[1]}`"
        lines.append(
            {
                "model": row.name,
                **{n.split: n.text for n in printed},
                "parameters": f"{millions[0]:g}m" if millions else "-",
                "config here": here + ", a stand-in" * bool(row.stand_in),
            }
        )
    headings = max(lines, key=len)
    return write_table([{h: line.get(h, "-") for h in headings} for line in lines])


def write_trained_views_table(checkout):
    """Models trained in a view of their rows: accuracy on dev in the same view. Those
    of all seeds, as mean and range; then all that has the first seed, in a table of
    its own.

    Raises: `InputError` where there are no runs.
    """
    (dev,) = find_table("snli-views").measures
    by_seeds = [
        [
            {
                "model, view": ours["model"],
                "dev, in the same view": format_ours(dev, ours),
            }
            for _, ours in compare_results("snli-views", "subset40k", checkout, seeds)
            if tuple(ours["seeds"]) == seeds
        ]
        for seeds in (SEEDS, SEEDS[:1])
    ]
    if not by_seeds[1]:
        raise InputError(f"no runs of the table snli-views below {checkout}/results")
    titles = f"Seeds {join(SEEDS)}:", f"Seed {SEEDS[0]} only:"
    return "\n\n".join(
        f"{title}\n\n{write_table(lines)}"
        for title, lines in zip(titles, by_seeds, strict=True)
        if lines
    )
