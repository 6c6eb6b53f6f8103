"""Markdown tables of models: the papers' numbers beside those of our runs."""

from pathlib import Path

from dsa.data.corpora.catalogue import corpus_named
from dsa.experiment.yaml_file import load_experiment
from dsa.papers.commit_name import name_commit
from dsa.papers.comparison import compare_rows
from dsa.papers.mean_and_range import write_mean_and_range
from dsa.papers.plans import plan_runs
from dsa.papers.results import read_results
from dsa.papers.tables.dsa_2017 import DSA, DSA_WITHOUT_DISTANCE, SNLI
from dsa.papers.tables.registry import TABLES, table_named
from dsa.sweeps.finished_runs import Runs
from dsa.system.text_tables import markdown_table

SEEDS = (13, 14, 15)
TASK_TABLES = (
    "disan-4",
    "disan-5-trec",
    "disan-2",
    "sst-phrases",
    "disan-5-cr",
    "disan-5-mpqa",
    "disan-5-subj",
)
PAPER_NAMES = {"DSA": DSA, "DSA without distance mask": DSA_WITHOUT_DISTANCE}


def write_paper_table(checkout):
    """What DSA's paper reports of its own models on SNLI, in per cent; no results are
    needed."""
    return markdown_table(
        ["SNLI, the paper", "train accuracy", "test accuracy"],
        [
            [name, *(f"{SNLI.number(model, s).text} %" for s in ("train", "test"))]
            for name, model in PAPER_NAMES.items()
        ],
    )


def write_snli_table(checkout):
    """DSA on SNLI: the paper's test accuracy, and our dev accuracy with the share of
    the training data that it was reached with."""
    results = read_results(Path(checkout, "results", "snli"))
    return markdown_table(
        [
            "model",
            "paper: SNLI test",
            "ours: SNLI dev",
            "trained on",
            "vectors",
            "train accuracy",
            "parameters",
            "seed, commit",
        ],
        [_write_snli_cells(result) for result in results],
    )


def _write_snli_cells(result):
    environment, embedding = result.environment, result.experiment["embedding"]
    name, dev = name_dsa(result.experiment), result.evaluations["dev"]
    vectors = f"{embedding['units']}-d"
    if embedding["projection"]:
        vectors += f", projected to {embedding['projection']}"
    return [
        name,
        f"{SNLI.number(PAPER_NAMES[name]).text} %",
        f"{write_accuracy(dev)} (n = {dev['count']:,})",
        write_share_of_snli(environment["pairs"]["train"]),
        vectors,
        write_accuracy(result.evaluations.get("train")),
        f"{environment['parameters']['trainable_without_embeddings']:,}",
        f"{result.seed}, `{name_commit(environment)}`",
    ]


def write_models_table(checkout, preset="subset40k"):
    """All models on a part of SNLI, those that have been run, beside their papers'
    test accuracies: for one seed with its standard error, for several with their
    range."""
    table = table_named("snli-models")
    results = Path(checkout, "results")
    runs = find_runs(table, preset, checkout)
    papers = _read_paper_accuracies(checkout)
    compared = compare_rows(table, runs, results, preset)
    return markdown_table(
        [
            "model",
            "paper: SNLI test",
            "ours: SNLI dev",
            "seeds",
            "trained on",
            "parameters",
        ],
        [
            _write_model_cells(ours, papers.get(_settings_of_row(row), "-"))
            for row, ours in zip(table.rows, compared, strict=True)
            if row.name in runs
        ],
    )


def _write_model_cells(ours, paper):
    dev = ours.values["dev"]
    error = (dev.mean * (100 - dev.mean) / dev.rows) ** 0.5
    spread = f"+- {error:.2f}"
    if dev.deviation is not None:
        spread = f"({dev.least:.2f}-{dev.most:.2f})"
    return [
        ours.name,
        paper,
        f"{dev.mean:.2f} % {spread}",
        ", ".join(map(str, ours.training.seeds)),
        write_share_of_snli(ours.training.pairs),
        f"{ours.costs.parameters:,}",
    ]


def write_tasks_table(checkout, preset="small"):
    """The other tasks, those that have been run, beside DiSAN's paper: the metric that
    selects."""
    lines = []
    for name in TASK_TABLES:
        table = table_named(name)
        runs = find_runs(table, preset, checkout)
        for row in compare_rows(table, runs, Path(checkout, "results"), preset):
            if row.values[table.measures[0].name].mean is not None:
                lines.append(_write_task_cells(table, row))
    return markdown_table(
        [
            "task",
            "model",
            "metric",
            "DiSAN's paper",
            "ours, test",
            "seeds",
            "vectors",
        ],
        lines,
    )


def _write_task_cells(table, row):
    measure = table.measures[0]
    value = row.values[measure.name]
    ours = write_mean_and_range(value.seeds, measure.metric.form)
    return [
        table.title.split(" (")[0],
        row.name,
        measure.metric.key,
        "-" if value.paper is None else format(value.paper, "g"),
        f"{ours} (n = {value.rows:,})",
        ", ".join(map(str, row.training.seeds)),
        row.training.vectors,
    ]


def find_runs(table, preset, checkout):
    """`{row name: its runs under results/}`, of rows that have any."""
    results = Path(checkout, "results")
    finished, runs = Runs(results, results), {}
    for plan in plan_runs(table, preset, SEEDS, checkout):
        if run := finished.find(plan.experiment):
            runs.setdefault(plan.row, []).append(run)
    return runs


def _read_paper_accuracies(checkout):
    """`{settings of a row: test accuracy on SNLI, and whose table it is in}`. The
    paper that a model is of comes first, then the first table."""
    own, others = {}, {}
    for table in TABLES.values():
        for row in table.rows:
            if table.corpus == "snli" and _is_model_of_a_paper(row):
                number = table.source.number(row.paper_name)
                text = f"{number.text} %, {table.source.paper}"
                family = load_experiment(Path(checkout, row.config)).family
                accuracies = own if family.paper in table.source.paper else others
                accuracies.setdefault(_settings_of_row(row), text)
    return others | own


def _is_model_of_a_paper(row):
    return row.paper_name and row.config and not row.stand_in


def _settings_of_row(row):
    """What a row trains, whatever its word vectors are: config and overrides."""
    return row.config, *(
        (key, str(value))
        for key, value in sorted(row.overrides.items())
        if not key.startswith("embedding.")
    )


def name_dsa(experiment):
    """DSA's name, from the settings of an experiment of it."""
    return "DSA" if experiment["model"]["alpha"] else "DSA without distance mask"


def write_share_of_snli(pairs):
    """A number of training pairs, with its share of SNLI's."""
    whole = corpus_named("snli").training_pairs
    text = f"{pairs:,} pairs, {100 * pairs / whole:.0f} %"
    return text if pairs == whole else f"**{text}, partial**"


def write_accuracy(entry):
    """The accuracy of an evaluation, in per cent; a dash for no evaluation (`None`)."""
    if entry is None:
        return "-"
    return f"{100 * entry['accuracy']:.2f} % +- {100 * entry['standard_error']:.2f}"
