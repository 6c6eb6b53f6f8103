"""Tables with the papers' numbers beside those of our runs."""

from typing import NamedTuple

from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.experiment.yaml_file import load_experiment
from dsa.papers import aesim_2019, disan_2018, dsa_2017
from dsa.papers.all_tables import TABLES, table_named
from dsa.papers.comparison import compare_rows
from dsa.papers.comparison_text import write_mean_and_range
from dsa.papers.paper_table import Source
from dsa.papers.reproduction import find_runs, plan_runs
from dsa.system.reading import read_text
from tools.docs_tables.run_records import (
    join,
    name_dsa,
    read_results,
    write_accuracy,
    write_seed_and_commit,
    write_share_of_snli,
    write_table,
)

SEEDS = (13, 14, 15)
DSA_NAMES = {
    "DSA": dsa_2017.DSA,
    "DSA without distance mask": dsa_2017.DSA_WITHOUT_DISTANCE,
}
TASKS = (
    "disan-4",
    "disan-5-trec",
    "disan-2",
    "sst-phrases",
    "disan-5-cr",
    "disan-5-mpqa",
    "disan-5-subj",
)
ABCNN = {
    "abcnn-3": "WikiQA",
    "wikiqa-single-pairs": "WikiQA",
    "abcnn-4": "MSRP",
    "abcnn-6": "SICK",
}


class Headline(NamedTuple):
    """A row of the README's table: a paper's number and our run beside it.

    Args:
        paper: whose model it is.
        model: its name in the table that prints the number.
        source: the `Source` that prints it.
        result: the folder of our run, below `results/`.
        config: the file with the published settings, below `configs/`.
    """

    paper: str
    model: str
    source: Source
    result: str
    config: str


HEADLINES = (
    Headline(
        dsa_2017.PAPER, dsa_2017.DSA, dsa_2017.SNLI, "snli/dsa_partial", "snli/dsa.yaml"
    ),
    Headline(
        disan_2018.PAPER,
        disan_2018.DISAN,
        disan_2018.SNLI,
        "models/disan",
        "snli/disan.yaml",
    ),
    Headline(
        "ESIM (Chen et al. 2017)",
        aesim_2019.ESIM,
        aesim_2019.SNLI,
        "models/esim",
        "snli/esim.yaml",
    ),
    Headline(
        aesim_2019.PAPER, "aESIM", aesim_2019.SNLI, "models/aesim", "snli/aesim.yaml"
    ),
)


def write_headline_table(checkout):
    """One row a paper: its test accuracy on SNLI, our dev accuracy, the share of the
    training pairs, and what else differs from the published settings.

    Raises: `InputError` where a run of `HEADLINES` is missing.
    """
    lines = []
    for headline in HEADLINES:
        (run,) = read_results(checkout / "results" / headline.result)
        config = checkout / "configs" / headline.config
        source = headline.source
        number = f"{source.number(headline.model).text} %"
        if source.paper != headline.paper:
            number += f", reported in {source.paper}"
        lines.append(
            {
                "paper": headline.paper,
                "paper: SNLI test": number,
                "ours: SNLI dev": write_accuracy(run),
                "trained on": write_share_of_snli(run["environment"]["pairs"]["train"]),
                "caveat": _write_caveat(run, parse_yaml(read_text(config), config)),
            }
        )
    return write_table(lines)


def _write_caveat(run, published):
    """What differs from the published settings, besides the share of the data."""
    facts = run["environment"]
    steps, published_steps = facts["steps"], published["training"].get("steps")
    length = f"{steps:,} steps"
    if published_steps is None:
        length = f"{steps / facts['steps_per_epoch']:g} epochs"
    elif steps != published_steps:
        length += f" (published: {published_steps:,})"
    units, published_units = run["embedding.units"], published["embedding"]["units"]
    vectors = f"{units}-d vectors (published: {published_units}-d)"
    seed = f"seed {run['seed']}"
    return join([length, seed] if units == published_units else [length, vectors, seed])


def write_own_models_table(checkout):
    """What DSA's paper reports of its own models on SNLI, in per cent."""
    return write_table(
        [
            {"SNLI, the paper": name}
            | {
                f"{split} accuracy": f"{dsa_2017.SNLI.number(model, split).text} %"
                for split in ("train", "test")
            }
            for name, model in DSA_NAMES.items()
        ]
    )


def write_snli_table(checkout):
    """DSA on SNLI: the paper's test accuracy, and our dev accuracy with the share of
    the training data that it was reached with."""
    lines = []
    for run in read_results(checkout / "results/snli"):
        facts, projection = run["environment"], run["embedding.projection"]
        vectors = f"{run['embedding.units']}-d"
        number = dsa_2017.SNLI.number(DSA_NAMES[name_dsa(run)]).text
        count = run["evaluations"]["dev"]["count"]
        parameters = facts["parameters"]["trainable_without_embeddings"]
        lines.append(
            {
                "model": name_dsa(run),
                "paper: SNLI test": f"{number} %",
                "ours: SNLI dev": f"{write_accuracy(run)} (n = {count:,})",
                "trained on": write_share_of_snli(facts["pairs"]["train"]),
                "vectors": vectors + f", projected to {projection}" * bool(projection),
                "train accuracy": write_accuracy(run, "train"),
                "parameters": f"{parameters:,}",
                "seed, commit": write_seed_and_commit(run),
            }
        )
    return write_table(lines)


def compare_results(name, preset, checkout):
    """Yield the `Row` and the `ComparedRow` of each row of a table that has runs under
    `results/`."""
    table, results = table_named(name), checkout / "results"
    plans = plan_runs(table, preset, SEEDS, checkout)
    runs, _ = find_runs(plans, results, results)
    compared = compare_rows(table, runs, results, preset)
    for row, ours in zip(table.rows, compared, strict=True):
        if row.name in runs:
            yield row, ours


def write_models_table(checkout):
    """All models on a part of SNLI beside their papers' test accuracies: for one seed
    with its standard error, for several with their range."""
    papers, lines = _read_paper_accuracies(checkout), []
    for row, ours in compare_results("snli-models", "subset40k", checkout):
        dev = ours.values["dev"]
        spread = f"+- {(dev.mean * (100 - dev.mean) / dev.rows) ** 0.5:.2f}"
        if dev.deviation is not None:
            spread = f"({dev.least:.2f}-{dev.most:.2f})"
        lines.append(
            {
                "model": ours.name,
                "paper: SNLI test": papers.get(_list_settings(row), "-"),
                "ours: SNLI dev": f"{dev.mean:.2f} % {spread}",
                "seeds": join(ours.training.seeds),
                "trained on": write_share_of_snli(ours.training.pairs),
                "parameters": f"{ours.costs.parameters:,}",
            }
        )
    return write_table(lines)


def _read_paper_accuracies(checkout):
    """`{settings of a row: test accuracy on SNLI, and whose table it is in}`. The
    model's own paper comes first, then the first table."""
    own, others = {}, {}
    for table in (table for table in TABLES.values() if table.corpus == "snli"):
        for row in table.rows:
            if row.paper_name and row.config and not row.stand_in:
                paper = table.source.paper
                family = load_experiment(checkout / row.config).family
                accuracies = own if family.paper in paper else others
                text = f"{table.source.number(row.paper_name).text} %, {paper}"
                accuracies.setdefault(_list_settings(row), text)
    return others | own


def _list_settings(row):
    """What a row trains, whatever its word vectors are: config and overrides."""
    return row.config, *(
        (key, str(value))
        for key, value in sorted(row.overrides.items())
        if not key.startswith("embedding.")
    )


def write_tasks_table(checkout):
    """The other tasks beside DiSAN's paper: the metric that selects."""
    lines = []
    for name in TASKS:
        table = table_named(name)
        measure = table.measures[0]
        for row, ours in compare_results(name, "small", checkout):
            value = ours.values[measure.name]
            if value.mean is None:
                continue
            mean = write_mean_and_range(value.seeds, measure.metric.form)
            lines.append(
                {
                    "task": table.title.split(" (")[0],
                    "model": row.name,
                    "metric": measure.metric.key,
                    "DiSAN's paper": "-" if value.paper is None else f"{value.paper:g}",
                    "ours, test": f"{mean} (n = {value.rows:,})",
                    "seeds": join(ours.training.seeds),
                    "vectors": ours.training.vectors,
                }
            )
    return write_table(lines)


def write_abcnn_table(checkout):
    """The tables of ABCNN's paper: what selects on dev, and the test metrics beside the
    paper's."""
    lines = []
    for name, corpus in ABCNN.items():
        measures = table_named(name).measures
        for row, ours in compare_results(name, "small", checkout):
            values = [ours.values[measure.name] for measure in measures]
            dev, *tests = (
                write_mean_and_range(value.seeds, measure.metric.form)
                for measure, value in zip(measures, values, strict=True)
            )
            paper = " / ".join(value.paper_text or "-" for value in values[1:])
            lines.append(
                {
                    "corpus": corpus,
                    "model": row.name,
                    "seeds": join(ours.training.seeds),
                    "dev": dev,
                    "test": " / ".join(tests),
                    "paper: test": paper,
                    "test looks a run": ours.test_evaluations,
                }
            )
    return write_table(lines)


def write_trained_views_table(checkout):
    """Models trained in a view of their rows: accuracy on dev in the same view, as mean
    and range over seeds.

    Raises: `InputError` where there are no runs.
    """
    lines = [
        {
            "model, view": ours.name,
            "seeds": join(ours.training.seeds),
            "dev, in the same view": write_mean_and_range(
                ours.values["dev"].seeds, ".2f"
            ),
            "trained on": write_share_of_snli(ours.training.pairs),
        }
        for _, ours in compare_results("snli-views", "subset40k", checkout)
    ]
    if not lines:
        raise InputError(f"no runs of the table snli-views below {checkout}/results")
    return write_table(lines)
