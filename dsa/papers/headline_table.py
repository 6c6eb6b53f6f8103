"""The README's results table: one row a paper, its number beside ours."""

import dataclasses
from pathlib import Path

from dsa.data.corpora.catalogue import TRAIN_PAIRS
from dsa.experiment.yaml_file import parse_yaml
from dsa.papers.published import AESIM, DISAN, DSA, paper_value
from dsa.papers.results import read_results
from dsa.storage.text_tables import markdown_table

ESIM = "ESIM (Chen et al. 2017)"
HEADER = ("paper", "paper: SNLI test", "ours: SNLI dev", "trained on", "caveat")


@dataclasses.dataclass(frozen=True)
class Headline:
    """What one row is made of.

    Attributes:
        paper: whose model it is.
        model: its name in the table that gives the paper's number.
        source: paper and table with that number.
        result: the folder of our run below the results.
        config: the file with the published settings, below the configs.
    """

    paper: str
    model: str
    source: tuple
    result: str
    config: str


HEADLINES = (
    Headline(
        DSA,
        "Our Distance-based Self-Attention Network",
        (DSA, "Table 1"),
        "snli/dsa_partial",
        "snli/dsa.yaml",
    ),
    Headline(
        DISAN,
        "Directional self-attention network (DiSAN)",
        (DISAN, "Table 1"),
        "models/disan",
        "snli/disan.yaml",
    ),
    Headline(
        ESIM,
        "ESIM (re-implemented by the authors in Keras)",
        (AESIM, "Table 2"),
        "models/esim",
        "snli/esim.yaml",
    ),
    Headline(AESIM, "aESIM", (AESIM, "Table 2"), "models/aesim", "snli/aesim.yaml"),
)


def headline_table(results_folder="results", configs_folder="configs"):
    """One row a paper, as Markdown.

    A row has the paper's test accuracy on SNLI, our dev accuracy, the share of the
    training pairs, and what else differs from the published settings.

    Args:
        results_folder: where the runs of `HEADLINES` are kept.
        configs_folder: where the files with the published settings are.

    Raises: `InputError` where a run of `HEADLINES` is missing.
    """
    rows = []
    for headline in HEADLINES:
        (result,) = read_results(Path(results_folder, headline.result))
        config = Path(configs_folder, headline.config)
        published = parse_yaml(config.read_text(encoding="utf-8"), config)
        dev = result["evaluations"]["dev"]
        rows.append(
            [
                headline.paper,
                _number_of_the_paper(headline),
                f"{100 * dev['accuracy']:.2f} % +- {100 * dev['standard_error']:.2f}",
                _share_of_training_pairs(result["environment"]["pairs"]["train"]),
                _caveat(result, published),
            ]
        )
    return markdown_table(HEADER, rows)


def _number_of_the_paper(headline):
    paper, table = headline.source
    number = f"{paper_value(headline.model, 'test', paper, table)} %"
    return number if paper == headline.paper else f"{number}, reported in {paper}"


def _share_of_training_pairs(pairs):
    whole = TRAIN_PAIRS["snli"]
    text = f"{pairs:,} pairs, {100 * pairs / whole:.0f} %"
    return text if pairs == whole else f"**{text}, partial**"


def _caveat(result, published):
    """What a reader must know of our number, beside the share of the data."""
    experiment, environment = result["experiment"], result["environment"]
    parts = [f"seed {experiment['seed']}"]
    published_units = published["embedding"]["units"]
    if (units := experiment["embedding"]["units"]) != published_units:
        parts.insert(0, f"{units}-d vectors (published: {published_units}-d)")
    steps, published_steps = environment["steps"], published["training"].get("steps")
    if published_steps is None:
        parts.insert(0, f"{steps / environment['steps_per_epoch']:g} epochs")
    elif steps == published_steps:
        parts.insert(0, f"{steps:,} steps")
    else:
        parts.insert(0, f"{steps:,} steps (published: {published_steps:,})")
    return ", ".join(parts)
