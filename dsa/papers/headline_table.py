"""The README's results table: one row a paper, its number beside ours."""

from pathlib import Path

from dsa.experiment.yaml_file import parse_yaml
from dsa.papers.model_tables import write_accuracy, write_share_of_snli
from dsa.papers.results import read_results
from dsa.papers.tables.registry import HEADLINES
from dsa.system.reading import read_text
from dsa.system.text_tables import markdown_table


def write_headline_table(checkout):
    """One row a paper, as Markdown.

    A row has the paper's test accuracy on SNLI, our dev accuracy, the share of the
    training pairs, and what else differs from the published settings.

    Args:
        checkout: the folder that holds `results/` and `configs/`.

    Raises: `InputError` where a run of `HEADLINES` is missing.
    """
    return markdown_table(
        ["paper", "paper: SNLI test", "ours: SNLI dev", "trained on", "caveat"],
        [_write_cells(headline, Path(checkout)) for headline in HEADLINES],
    )


def _write_cells(headline, checkout):
    (result,) = read_results(checkout / "results" / headline.result)
    config = checkout / "configs" / headline.config
    published = parse_yaml(read_text(config), config)
    return [
        headline.paper,
        _write_number_of_the_paper(headline),
        write_accuracy(result.evaluations["dev"]),
        write_share_of_snli(result.environment["pairs"]["train"]),
        _write_caveat(result, published),
    ]


def _write_number_of_the_paper(headline):
    source = headline.source
    number = f"{source.number(headline.model).text} %"
    if source.paper == headline.paper:
        return number
    return f"{number}, reported in {source.paper}"


def _write_caveat(result, published):
    """What a reader must know of our number, beside the share of the data."""
    parts = [_write_length_of_training(result, published)]
    units = result.experiment["embedding"]["units"]
    published_units = published["embedding"]["units"]
    if units != published_units:
        parts.append(f"{units}-d vectors (published: {published_units}-d)")
    return ", ".join([*parts, f"seed {result.seed}"])


def _write_length_of_training(result, published):
    facts = result.environment
    steps, published_steps = facts["steps"], published["training"].get("steps")
    if published_steps is None:
        return f"{steps / facts['steps_per_epoch']:g} epochs"
    if steps == published_steps:
        return f"{steps:,} steps"
    return f"{steps:,} steps (published: {published_steps:,})"
