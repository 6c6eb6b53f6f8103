"""The numbers of parameters that a page states are those of the configs' models."""

import gc
import math
import pathlib
import re

import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model

CONFIGS = pathlib.Path("configs/snli")
PAIR_BASELINES = ("addition", "alstm")  # in configs/wikiqa
WITHOUT_FILE = {
    "embedding.path": None,
    "embedding.trainable": True,
    "embedding.outside": "unknown",
}
WORDS = 5


def read_counts():
    """`(config, count)` of the rows that name a config for each of their counts."""
    text = pathlib.Path("docs/models.md").read_text(encoding="utf-8")
    table = text.split("| `model.name` | model |")[1].split("\n\n")[0]
    for row in table.splitlines()[2:]:
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        files = re.findall(r"`(\w+)\.yaml`", cells[0])
        names = files or re.findall(r"`(\w+)`", cells[0])
        counts = [int(n.replace(",", "")) for n in re.findall(r"[\d,]{5,}", cells[-1])]
        configs = [find_config(name) for name in names]
        if len(names) == len(counts) and all(map(pathlib.Path.is_file, configs)):
            yield from zip(configs, counts, strict=True)


def find_config(name):
    folder = CONFIGS.with_name("wikiqa") if name in PAIR_BASELINES else CONFIGS
    return folder / f"{name}.yaml"


def test_most_rows_are_read():
    assert len(list(read_counts())) >= 15


@pytest.mark.slow
@pytest.mark.usefixtures("quick_weights")
@pytest.mark.parametrize("config, count", list(read_counts()), ids=str)
def test_the_page_states_the_parameters_of_the_model(config, count):
    experiment = load_experiment(str(config), WITHOUT_FILE)
    model = build_model(experiment, vocabulary_size=WORDS)
    sizes = [math.prod(weight.shape) for weight in model.trainable_variables]
    del model
    gc.collect()
    assert sum(sizes) - WORDS * experiment.embedding.units == count
