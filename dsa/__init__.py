"""Attention models of natural-language inference, reproduced with Keras 3.

    import dsa

    run = dsa.train("configs/mini/dsa.yaml")
    dsa.evaluate(run, "test")
    dsa.load(run).predict([("A big dog chases a cat.", "An animal follows a cat.")])

Importing this package imports no Keras; training and loading do.
"""

import os

from dsa.errors import InputError
from dsa.version import __version__

# Read when TensorFlow is imported, which is later. Without it TensorFlow leaves oneDNN
# off on processors that lack AVX-512, and trains about half as fast there.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

__all__ = ["InputError", "__version__", "evaluate", "load", "train"]


def train(config, run=None, overrides=(), data_root=None, resume=True):
    """Train an experiment, or go on with it; returns the path of its run folder. See
    `dsa.sweeps.one_run.train`."""
    from dsa.sweeps import one_run

    return one_run.train(config, run, overrides, data_root, resume)


def evaluate(run, split="dev", file=None, data_root=None, vectors=None, trust=False):
    """Evaluate a run's selected weights and record the result in the run.

    Args:
        run: the run folder.
        split: "dev", "test", "train" or one of the config's `data.others`.
        file: a labelled file in the run's corpus format instead.
        data_root: the folder of the corpora; by default `DSA_DATA`, else `data/`.
        vectors: a vector file for words that the run lacks.
        trust: whether to evaluate a run whose files were changed after training; the
            result then says so.

    Returns: a dictionary of what was evaluated and its metrics.

    Raises: `InputError`.
    """
    from dsa.evaluation.evaluate import evaluate as evaluate_and_record
    from dsa.storage.folders import data_root as find_data_root

    root = find_data_root(data_root)
    return evaluate_and_record(load(run, vectors, root, trust), root, split, file)


def load(run, vectors=None, root=None, trust=False):
    """Load a trained run as a `TrainedModel`. See `dsa.inference.loading.load`."""
    from dsa.inference import loading

    return loading.load(run, vectors, root, trust)
