"""Attention models of natural-language inference, reproduced with Keras 3.

    import dsa

    run = dsa.train("configs/mini/dsa.yaml")
    dsa.evaluate(run, "test")
    dsa.load(run).predict([("A big dog chases a cat.", "An animal follows a cat.")])

Importing this package imports no Keras; training and loading do.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.errors import InputError
from dsa.version import __version__

if TYPE_CHECKING:  # importing this package imports no Keras
    import numpy as np

    from dsa.experiment.config import Experiment
    from dsa.inference.trained_model import TrainedModel

__all__ = ["InputError", "__version__", "evaluate", "load", "open_vectors", "train"]


def train(
    config: "str | Path | Mapping[str, Any] | Experiment",
    run: str | Path | None = None,
    overrides: Iterable[str] | Mapping[str, Any] = (),
    data_root: str | Path | None = None,
    resume: bool = True,
) -> Path:
    """Train an experiment, or go on with it; returns the path of its run folder. See
    `dsa.api.train`."""
    _prepare_tensorflow()
    from dsa import api

    return api.train(config, run, overrides, data_root, resume)


def evaluate(  # noqa: PLR0913 (what the command has too)
    run: str | Path,
    split: str = "dev",
    file: str | Path | None = None,
    data_root: str | Path | None = None,
    vectors: str | Path | None = None,
    record: bool = True,
    trust: bool = False,
    view: str | None = None,
) -> dict[str, Any]:
    """Evaluate a run's selected weights and record the result in the run.

    Args:
        run: the run folder.
        split: "dev", "test", "train" or one of the config's `data.others`.
        file: a labelled file in the run's corpus format instead.
        data_root: the folder of the corpora; by default `DSA_DATA`, else `data/`.
        vectors: a vector file for words that the run lacks.
        record: whether the run's `metrics.json` gets the result.
        trust: whether to evaluate a run whose files were changed after training; the
            result then says so.
        view: "hypothesis_only", "premise_only", "shuffled_words", "bag_of_words", or
            "plain"; by default the `data.view` of the run's config.

    Returns: a dictionary of what was evaluated and its metrics.

    Raises: `InputError`.
    """
    _prepare_tensorflow()
    from dsa.evaluation.evaluate import evaluate as evaluate_and_record
    from dsa.system.folders import data_root as find_data_root

    root = find_data_root(data_root)
    trained = load(run, vectors, root, trust)
    return evaluate_and_record(trained, root, split, file, record, view=view)


def load(
    run: str | Path,
    vectors: str | Path | None = None,
    root: str | Path | None = None,
    trust: bool = False,
) -> "TrainedModel":
    """Load a trained run, or a release such as "mini", as a `TrainedModel`. See
    `dsa.inference.loading.load`."""
    _prepare_tensorflow()
    from dsa.inference import loading

    return loading.load(run, vectors, root, trust)


def open_vectors(folder: str | Path, verify: bool = False) -> "np.memmap":
    """Open the sentence vectors that `dsa encode --shard-rows` has written, as one
    array `(rows, units)` that is mapped into memory. See
    `dsa.inference.bulk.manifest.open_vectors`."""
    from dsa.inference.bulk import manifest

    return manifest.open_vectors(folder, verify)


def _prepare_tensorflow():
    from dsa.backends.quiet_start import prepare_tensorflow

    prepare_tensorflow()
