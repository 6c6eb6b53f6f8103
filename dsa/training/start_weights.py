"""Copies initial weights from another run (`training.start_from`), and freezes parts of
a model (`training.frozen`)."""

import dataclasses
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.words.embeddings import KnownWords
from dsa.data.words.vocabulary import FIRST_WORD
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.input_config import EmbeddingConfig
from dsa.hub.fetching import find_run_folder
from dsa.models.model_config import ModelConfig
from dsa.runs.run_files import read_weights_sha256
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import flatten

NOT_COMPARED = (
    "model.dropout",
    "model.l2",
    "model.classifier",
)  # also below these keys
CLASSIFIER_LAYERS = ("hidden", "deeper", "logits", "decision")  # attributes of a model
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class StartWeights:
    """Weights of a run that initialize the model of a new run.

    Args:
        source: value of `training.start_from`.
        sha256: SHA-256 of the weight file; `None` if it was not recorded.
        words: vocabulary and word vectors.
        projection: weights of the projection of the word vectors.
        encoder: weights between the word vectors and the classifier.
        classifier: weights of the classifier; `None` if the task, the labels or the
            shapes differ. The classifier of the new model then keeps its random
            weights.
    """

    source: str
    sha256: str | None
    words: KnownWords
    projection: list[np.ndarray]
    encoder: list[np.ndarray]
    classifier: list[np.ndarray] | None

    def copy_to(self, model: Any) -> dict[str, Any]:
        """Copies all weights except the word vectors to a built model, and logs them.

        Word vectors are copied by `extend_embedding`.

        Args:
            model: the built model of the new run.

        Returns: the entry `start_from` of `environment.json`, with the SHA-256 of the
            weight file and the paths of the copied and the new variables.
        """
        parts = group_variables(model)
        copied_variables = parts["projection"] + parts["encoder"]
        arrays = self.projection + self.encoder
        new_variables = []
        if self.classifier is None:
            new_variables = parts["classifier"]
        else:
            copied_variables = copied_variables + parts["classifier"]
            arrays = arrays + self.classifier
        for variable, array in zip(copied_variables, arrays, strict=True):
            variable.assign(array)
        entry = {
            "sha256": self.sha256,
            "copied": [variable.path for variable in copied_variables],
            "new": [variable.path for variable in new_variables],
        }
        log.info(
            "started from %s (SHA-256 %.12s): %d weights copied, new: %s",
            self.source,
            self.sha256,
            len(copied_variables),
            ", ".join(entry["new"]) or "none",
        )
        return entry


def find_source(
    source: str | None, model: ModelConfig, embedding: EmbeddingConfig
) -> RunFolder | None:
    """Returns the run in `training.start_from`, or `None`.

    The name of a released model is resolved, and a repository of a hub is downloaded.
    Keras is not imported.

    Args:
        source: value of `training.start_from`.
        model: the `model` section of the new run.
        embedding: the `embedding` section of the new run.

    Raises: `InputError` if the run is unknown, incomplete or damaged, or if its model
        family or sizes differ from the new run.
    """
    if source is None:
        return None
    try:
        run = find_run_folder(source)
        run.check_folder()
        run.check_files()
        source_experiment = run.experiment()
        if not run.weights.is_file():
            raise InputError(f"{run.path}: {run.weights.name} is missing")
    except InputError as error:
        raise InputError(f"'training.start_from': {error}") from error
    source_sizes = _list_size_settings(
        source_experiment.model, source_experiment.embedding
    )
    sizes = _list_size_settings(model, embedding)
    for key, value in source_sizes.items():
        if key in sizes and value != sizes[key]:
            raise InputError(
                f"'training.start_from': {source} has '{key}: {value}', but the config "
                f"has '{key}: {sizes[key]}'"
            )
    return run


def _list_size_settings(model, embedding):
    """Returns the settings that determine shapes, without the classifier, by key."""
    sizes = {
        "model.name": model.name,
        "embedding.units": embedding.units,
        "embedding.projection": embedding.projection,
    }
    for key, value in model.model_dump().items():
        if type(value) is int:  # excludes booleans and the nested classifier section
            sizes[f"model.{key}"] = value
    return sizes


def _list_differences(source, experiment):
    """Returns the settings of tokenizer and encoder that differ between an experiment
    and the source of its weights, such as "model.alpha 1.5 instead of 0.0"."""
    settings = [
        flatten({"tokenizer": e.tokenizer.model_dump(), "model": e.model.model_dump()})
        for e in (source, experiment)
    ]
    source_settings, new_settings = settings
    return [
        f"{key} {value} instead of {new_settings[key]}"
        for key, value in source_settings.items()
        if key in new_settings
        and value != new_settings[key]
        and not key.startswith(NOT_COMPARED)
    ]


def read_start_weights(
    experiment: Experiment, run: RunFolder, root: Path
) -> StartWeights:
    """Reads the initial weights of a run from another run.

    Args:
        experiment: the experiment of the new run.
        run: the other run, from `find_source`.
        root: the data root.

    Raises: `InputError` if the run is damaged or the shapes of its weights differ.
    """
    from dsa.inference.loading import load
    from dsa.models.building import build_model

    source = str(experiment.training.start_from)
    try:
        trained = load(run, root=root)
    except InputError as error:
        raise InputError(f"'training.start_from': {error}") from error
    differences = _list_differences(trained.experiment, experiment)
    if differences:
        log.warning(
            "the weights of %s were trained with other settings: %s",
            source,
            ", ".join(differences),
        )
    parts = group_variables(trained.model)
    new_parts = group_variables(build_model(experiment, FIRST_WORD))
    for part in ("projection", "encoder"):
        difference = _describe_shape_difference(parts[part], new_parts[part])
        if difference:
            raise InputError(
                f"'training.start_from': {source} has different sizes: {difference}"
            )
    classifier_difference = _describe_shape_difference(
        parts["classifier"], new_parts["classifier"]
    )
    has_same_classifier = (
        type(trained.task) is type(experiment.task)
        and trained.task.inputs == experiment.task.inputs
        and trained.task.names == experiment.task.names
        and _describe_classifier(trained.experiment) == _describe_classifier(experiment)
        and classifier_difference is None
    )
    classifier = None
    if has_same_classifier:
        classifier = _convert_to_arrays(parts["classifier"])
    embedding = trained.model.embedding
    frozen_rows = len(trained.vocabulary.words)
    if embedding.train_vectors:
        frozen_rows = embedding.frozen_rows
    return StartWeights(
        source=source,
        sha256=read_weights_sha256(run.path),
        words=KnownWords(trained.vocabulary, embedding.vectors(), frozen_rows),
        projection=_convert_to_arrays(parts["projection"]),
        encoder=_convert_to_arrays(parts["encoder"]),
        classifier=classifier,
    )


def _describe_classifier(experiment):
    """Returns the settings that determine the function of the classifier's weights."""
    classifier = experiment.model.model_dump().get("classifier") or {}
    return {key: classifier.get(key) for key in ("difference", "activation")}


def group_variables(model: Any) -> dict[str, list[Any]]:
    """Groups the variables of a built model by part.

    Returns: lists of variables with the keys "vectors", "projection", "classifier",
        see `CLASSIFIER_LAYERS`, and "encoder", which contains all other variables.
    """
    embedding = model.embedding
    classifier_layers = [getattr(model, name, None) for name in CLASSIFIER_LAYERS]
    parts = {
        "vectors": _list_variables([embedding.table, embedding.frozen_table]),
        "projection": _list_variables([embedding.project]),
        "classifier": _list_variables(classifier_layers),
    }
    grouped_ids = {
        id(variable) for variables in parts.values() for variable in variables
    }
    parts["encoder"] = [
        variable for variable in model.weights if id(variable) not in grouped_ids
    ]
    return parts


def freeze(model: Any, frozen_parts: Sequence[str]) -> None:
    """Excludes parts of a built model from training.

    Args:
        model: the model.
        frozen_parts: names of the parts: "embedding" (word vectors and projection) or
            "encoder".
    """
    parts = group_variables(model)
    parts["embedding"] = parts["vectors"] + parts["projection"]
    for part in frozen_parts:
        for variable in parts[part]:
            variable.trainable = False


def _list_variables(layers):
    """Returns the variables of layers and nested lists of layers.

    `None`, for a layer that the model does not have, is skipped.
    """
    variables = []
    for layer in layers:
        if isinstance(layer, (list, tuple)):
            variables += _list_variables(layer)
        elif layer is not None:
            variables += layer.weights
    return variables


def _describe_shape_difference(variables, new_variables):
    """Returns the first difference between the shapes of variables, or `None`."""
    for variable, new_variable in zip(variables, new_variables, strict=False):
        shape = tuple(variable.shape)
        new_shape = tuple(new_variable.shape)
        if shape != new_shape:
            return f"{variable.path} {shape} instead of {new_shape}"
    if len(variables) != len(new_variables):
        return f"{len(variables)} weights instead of {len(new_variables)}"
    return None


def _convert_to_arrays(variables):
    """Returns copies of variables as NumPy arrays."""
    from keras import ops

    return [np.array(ops.convert_to_numpy(variable)) for variable in variables]
