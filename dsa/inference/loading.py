"""A run folder back to a model."""

import numpy as np

from dsa.backends.compilation import keep_programs
from dsa.data.corpora.catalogue import corpus_named
from dsa.data.corpora.files import find_file
from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder
from dsa.inference.trained_model import TrainedModel
from dsa.models.features.classifier import FeatureClassifier
from dsa.models.registry import FEATURES, build_model
from dsa.storage.folders import data_root


def load(run, vectors=None, root=None):
    """Load a trained run; nothing but its folder is needed.

    Args:
        run: the run folder.
        vectors: a vector file from which words that the run does not know get their
            vectors; by default the file of the run's config, where it is at hand. Runs
            with trained vectors use none.
        root: the data root that the config's path is relative to.

    Returns: a `TrainedModel`.

    Raises: `InputError` for a folder that is no complete run, is from another version,
        or whose files do not fit together.
    """
    run = RunFolder(run)
    run.refuse_links()
    experiment = run.experiment()
    environment = run.environment()
    vocabulary = run.vocabulary()
    if len(vocabulary) != environment.get("vocabulary_size"):
        raise InputError(
            f"{run.path}: vocabulary.txt holds {len(vocabulary)} ids, but the run was "
            f"trained with {environment.get('vocabulary_size')}"
        )
    if experiment.model.name in FEATURES:
        outputs = corpus_named(experiment.data.corpus).task.outputs
        classifier = FeatureClassifier.load(
            run.features, experiment.model, len(vocabulary), outputs
        )
        return TrainedModel(run, experiment, vocabulary, classifier)
    if not run.weights.is_file():
        raise InputError(
            f"{run.path} is no complete run: {run.weights.name} is missing. Training "
            "writes it at its first evaluation"
        )
    keep_programs()
    frozen_rows = _frozen_rows(run, environment, len(vocabulary))
    model = build_model(experiment, len(vocabulary), frozen_rows)
    try:
        model.load_weights(run.weights)
    except Exception as error:  # h5py and Keras raise many kinds
        reason = str(error).strip().split("\n")[0]
        raise InputError(
            f"{run.weights}: not the weights of this run's model: {reason}"
        ) from error
    if not all(np.isfinite(w.numpy()).all() for w in model.weights):
        raise InputError(f"{run.weights}: a weight is no finite number")
    return TrainedModel(
        run, experiment, vocabulary, model, _vectors(experiment, vectors, root)
    )


def _frozen_rows(run, environment, vocabulary_size):
    rows = environment.get("frozen_rows", 0)
    if not isinstance(rows, int) or not 0 <= rows < vocabulary_size:
        raise InputError(
            f"{run.path / 'environment.json'}: 'frozen_rows' must be a number of the "
            f"vocabulary's {vocabulary_size} rows"
        )
    return rows


def _vectors(experiment, vectors, root):
    """The vector file to take missing words from, or `None`."""
    config = experiment.embedding
    if not config.can_look_up:
        if vectors is not None:
            raise InputError(
                "this run trained its word vectors: vectors of a file do not fit them"
            )
        return None
    if vectors is not None:
        return find_file("", vectors)
    try:
        return find_file(data_root(root), config.path)
    except InputError:
        return None
