"""Tables of studies, learning curves, the words of a sentence, and papers."""

import statistics

import numpy as np

from dsa.experiment.strict_yaml import parse_yaml
from dsa.papers.comparison import compare_rows
from dsa.papers.comparison_text import format_comparison
from dsa.papers.planning import find_finished_runs, plan_runs
from dsa.papers.table_files import find_table
from dsa.runs.run_records import read_history
from dsa.runs.studies import list_runs
from dsa.system.reading import read_json_object, read_text
from dsa.system.text_tables import format_markdown_table
from tools.add_study import DESCRIPTION
from tools.docs_tables.records import read_csv
from tools.learning_curves import MODELS, TABLE, VECTORS

SEEDS = (13, 14, 15)  # of the papers' tables
KEYWORDS = ("lady", "stands", "outside", "mexican", "market")
WORD_FIGURES = (  # figure, key, quantity, larger for keywords in the paper
    ("9", "gate_forward", "share of the word itself in the gated sum", False),
    ("10 (a)", "deactivated_forward", "units of the feed-forward layer at 0", True),
    ("10 (b)", "largest_output_forward", "largest output of the block", True),
    ("11 (a)", "source2token", "source2token's mean weight", True),
    ("11 (b)", "max_pooling", "share of the max pool's features", True),
)


def write_dictionaries(lines):
    """Returns dictionaries `{heading: cell}` with equal headings as Markdown."""
    rows = [[str(cell) for cell in line.values()] for line in lines]
    return format_markdown_table(list(lines[0]), rows)


def write_studies_table(checkout):
    """Returns the table of all studies, from their `study.yaml`."""
    results, lines = checkout / "results", []
    for path in sorted(results.rglob(DESCRIPTION)):
        study = parse_yaml(read_text(path), path)
        share = f" (**partial**: {study['partial']})" if study["partial"] else ""
        lines.append(
            {
                "study": f"`{path.parent.relative_to(results)}`",
                "question": study["question"],
                "runs": len(list_runs(path.parent)),
                "data": f"{study['data']}{share}",
            }
        )
    return write_dictionaries(lines)


def write_batches_table(checkout):
    """Returns the learning curves with batches by length and with random batches."""
    lines = []
    best = {"by length": [], "random": []}
    for run in list_runs(checkout / "results/batches"):
        history, experiment = read_history(run), run.experiment()
        kind = "by length" if experiment.training.by_length else "random"
        accuracies = [100 * row["val_accuracy"] for row in history]
        best[kind].append(max(accuracies))
        lines.append(
            {
                "batches": kind,
                "seed": experiment.seed,
                "dev by epoch": ", ".join(f"{share:.1f} %" for share in accuracies),
                "best": f"{max(accuracies):.1f} %",
                "seconds per epoch": ", ".join(f"{r['seconds']:.0f}" for r in history),
            }
        )
    differences = np.subtract(best["by length"], best["random"])
    error = differences.std(ddof=1) / len(differences) ** 0.5
    last = {
        "batches": "by length - random",
        "seed": f"{len(differences)} pairs of runs",
        "dev by epoch": "",
        "best": f"{differences.mean():+.1f} +- {error:.1f} points (standard error)",
        "seconds per epoch": "",
    }
    return write_dictionaries([*lines, last])


def write_learning_curves_table(checkout):
    """Returns the accuracy by number of training pairs, with a line for each number of
    pairs of each curve, and the extrapolation of each fitted curve."""
    lines = []
    for line in read_csv(checkout / TABLE):
        measured = line["accuracy"] != ""
        accuracy = line["accuracy"] if measured else line["fitted"]
        low, high = 100 * line["low"], 100 * line["high"]
        lines.append(
            {
                "model": MODELS.get(line["model"], line["model"]),
                "vectors": VECTORS.get(line["vectors"], line["vectors"]),
                "pairs": f"{line['pairs']:,.0f}",
                "seeds": line["seeds"] if measured else "extrapolated",
                "dev": f"{100 * accuracy:.2f} % ({low:.2f} to {high:.2f})",
                "fitted": f"{100 * line['fitted']:.2f} %" if line["fitted"] else "-",
            }
        )
    return write_dictionaries(lines)


def write_word_figures_table(checkout):
    """Returns the quantities of Figures 9 to 11 for the sentence of the paper.

    The means over keywords and over other words are from a run with distance mask.
    """
    record = read_json_object(checkout / "results/case_study/numbers.json")
    (words,) = record["market"]["alpha 1.5"].values()
    lines = []
    for figure, key, quantity, larger_in_paper in WORD_FIGURES:
        pairs = list(zip(words[key], words["tokens"], strict=True))
        keywords = statistics.mean(v for v, token in pairs if token in KEYWORDS)
        others = statistics.mean(v for v, token in pairs if token not in KEYWORDS)
        lowest = min(pairs, key=lambda pair: pair[0])
        highest = max(pairs, key=lambda pair: pair[0])
        agrees = (keywords > others) == larger_in_paper
        lines.append(
            {
                "Figure": figure,
                "quantity": quantity,
                "the paper: keywords have": "more" if larger_in_paper else "less",
                "here: keywords": f"{keywords:.3f}",
                "other words": f"{others:.3f}",
                "lowest, highest": f"{lowest[1]} {lowest[0]:.3f}, "
                f"{highest[1]} {highest[0]:.3f}",
                "this sentence": "supports it" if agrees else "contradicts it",
            }
        )
    return write_dictionaries(lines)


def write_paper_table(name, preset, checkout):
    """Returns the output of `dsa reproduce` for the committed runs."""
    table, results = find_table(name), checkout / "results"
    runs, _ = find_finished_runs(
        plan_runs(table, preset, SEEDS, checkout), results, results
    )
    text = format_comparison(table, compare_rows(table, runs, results, preset))
    return text.removeprefix("## ").rstrip()


def write_published_table(name):
    """Returns the table of a paper with the config of each implemented model."""
    table = find_table(name)
    numbers = table.source.read_numbers()
    lines = []
    for row in (row for row in table.rows if row.in_paper):
        printed = [n for n in numbers if n.model == row.name]
        millions = [n.params_millions for n in printed if n.params_millions]
        config = "-"
        if row.config is not None:
            config = f"`{row.config.split('/', 1)[1]}`"
        if row.stand_in:
            config += ", a stand-in"
        lines.append(
            {
                "model": row.name,
                **{n.split: n.text for n in printed},
                "parameters": f"{millions[0]:g}m" if millions else "-",
                "config here": config,
            }
        )
    headings = max(lines, key=len)
    return write_dictionaries(
        [{h: line.get(h, "-") for h in headings} for line in lines]
    )
