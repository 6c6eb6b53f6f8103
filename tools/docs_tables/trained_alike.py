"""Models that were trained alike: the same 40,000 pairs of SNLI, the same seeds."""

from typing import NamedTuple

import numpy as np

from dsa.errors import InputError
from dsa.papers.paper_numbers import Source
from dsa.papers.table_files import find_table
from dsa.tasks.seed_comparison import compare_over_seeds
from tools.docs_tables.run_records import name_processor, read_runs


class Model(NamedTuple):
    """A model with a run of each seed, on one kind of processor.

    Args:
        name: in tables.
        runs: the folders of its runs, below `results/`.
        base: the folder of DSA's runs on the same kind of processor.
        paper: where one of the papers prints its accuracy on SNLI, and under which
            name; `None` for a model without.
    """

    name: str
    runs: tuple[str, ...]
    base: str = "seeds/dsa"
    paper: tuple[Source, str] | None = None


def _locate(table, model):
    """Returns the source of a model's number: the paper's table and the model."""
    return find_table(table).source, model


OTHER_BASE = "seeds_avx512/dsa"
MODELS = (
    Model(
        "DSA",
        ("seeds/dsa",),
        paper=_locate("dsa-1", "Our Distance-based Self-Attention Network"),
    ),
    Model(
        "DSA without distance mask",
        ("seeds/dsa_no_distance",),
        paper=_locate("dsa-1", "Our self-attention network (without distance mask)"),
    ),
    Model(
        "ESIM",
        ("seeds/esim",),
        paper=_locate("aesim-2", "ESIM (re-implemented by the authors in Keras)"),
    ),
    Model("Bi-LSTM, max pooling", ("seeds/bilstm_max",)),
    Model("decomposable attention", ("seeds/decomposable",)),
    Model("Transformer, learning rate 0.001", ("seeds/transformer",)),
    Model("Transformer, learning rate 0.0003", ("seeds/transformer_3e-4",), OTHER_BASE),
    Model(
        "DiSAN, own dropout, trained vectors",
        ("seeds_avx512/disan_adam", "seeds/disan_adam/seed-15"),
        OTHER_BASE,
        _locate("disan-1", "Directional self-attention network (DiSAN)"),
    ),
    Model(
        "DSA, gate over raw words",
        ("seeds_avx512/gate_raw", "seeds/gate_raw/seed-15"),
        OTHER_BASE,
    ),
    Model("DSA on sorted words", ("views/dsa/bag_of_words",), OTHER_BASE),
)


class Measured(NamedTuple):
    """What the runs of a model reached.

    `model`: the `Model`; `values`: `{seed: value of the metric}`, sorted; `processor`:
    "AVX2" or "AVX-512"; `pairs`: how many it was trained on; `parameters`: trainable
    ones without word vectors.
    """

    model: Model
    values: dict[int, float]
    processor: str
    pairs: int
    parameters: int


def measure(model, checkout, metric="accuracy", split="dev"):
    """Reads the runs of a model.

    Raises: `InputError` where there are none, and for runs of the same seed twice, of
        several numbers of training pairs or on several kinds of processor.
    """
    runs = [run for f in model.runs for run in read_runs(checkout / "results" / f)]
    facts = [run["environment"] for run in runs]
    seeds = [run["seed"] for run in runs]
    kinds = {name_processor(run) for run in runs}
    pairs = {fact["pairs"]["train"] for fact in facts}
    if len(set(seeds)) < len(seeds) or len(kinds) > 1 or len(pairs) > 1:
        raise InputError(
            f"{model.name}: one run a seed, with the same pairs on one kind of "
            f"processor, is needed in {', '.join(model.runs)}"
        )
    values = {run["seed"]: run["evaluations"][split][metric] for run in runs}
    counts = facts[0]["parameters"]
    return Measured(
        model,
        dict(sorted(values.items())),
        kinds.pop(),
        pairs.pop(),
        counts["trainable_without_embeddings"],
    )


def measure_all(models, checkout):
    """The `Measured` of each model, the highest mean first.

    Raises: `InputError` for models of different seeds or training pairs.
    """
    measured = [measure(model, checkout) for model in models]
    if len({(tuple(m.values), m.pairs) for m in measured}) > 1:
        raise InputError("models with the same seeds and training pairs are needed")
    return sorted(measured, key=lambda m: -np.mean(list(m.values.values())))


def describe_mean(values):
    """The mean of a value a seed, and its 95 % interval over seeds by Student's t.

    Args:
        values: `{seed: value}` of two seeds or more.
    """
    return describe_difference(dict.fromkeys(values, 0.0), values)


def describe_difference(first, other):
    """The mean of other minus first, seed by seed, and its 95 % interval over seeds.

    Args:
        first, other: `{seed: value}` of the same two seeds or more.

    Raises: `InputError` for other seeds.
    """
    if list(first) != list(other) or len(first) < 2:
        raise InputError(
            f"the same two seeds or more are needed. Received: {list(first)} and "
            f"{list(other)}"
        )
    sides = [np.array([list(values.values())]).T for values in (first, other)]
    result = compare_over_seeds(*sides)
    return result.difference, result.by_t
