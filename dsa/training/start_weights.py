"""Initial weights from another run (`training.start_from`), and frozen parts of a model
(`training.frozen`)."""

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
from dsa.hub.fetching import find_run_folder
from dsa.runs.run_files import read_weights_sha256
from dsa.runs.run_folder import RunFolder

CLASSIFIER = ("hidden", "deeper", "logits", "decision")  # its layers in a model
log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class StartWeights:
    """Weights of a finished run, from which another training starts.

    Args:
        source: value of `training.start_from`.
        sha256: SHA-256 of the weight file.
        words: vocabulary and word vectors.
        projection: weights of the projection of the word vectors.
        encoder: weights between the word vectors and the classifier.
        classifier: weights of the classifier; `None` if task, labels or sizes differ,
            so that the classifier of the new model is initialized.
    """

    source: str
    sha256: str | None
    words: KnownWords
    projection: list[np.ndarray]
    encoder: list[np.ndarray]
    classifier: list[np.ndarray] | None

    def copy_to(self, model: Any) -> dict[str, Any]:
        """Copies all weights except the word vectors to a built model, and logs them.

        Word vectors are copied by word, see `build_words`.

        Args:
            model: the model of the new training.

        Returns: an entry for `environment.json`: the `sha256` of the weight file, and
            the paths of the `copied` and the `new` weights.
        """
        parts = split_weights(model)
        copied = [
            (parts["projection"], self.projection),
            (parts["encoder"], self.encoder),
        ]
        new = []
        if self.classifier is None:
            new = parts["classifier"]
        else:
            copied.append((parts["classifier"], self.classifier))
        for variables, arrays in copied:
            for variable, array in zip(variables, arrays, strict=True):
                variable.assign(array)
        paths = [variable.path for variables, _ in copied for variable in variables]
        entry = {
            "sha256": self.sha256,
            "copied": paths,
            "new": [variable.path for variable in new],
        }
        log.info(
            "started from %s (SHA-256 %.12s): %d weights copied, new: %s",
            self.source,
            self.sha256,
            len(paths),
            ", ".join(entry["new"]) or "none",
        )
        return entry


def find_source(experiment: Experiment) -> RunFolder | None:
    """Returns the run in `training.start_from`, or `None`.

    The name of a release is resolved, and a repository is downloaded. Keras is not
    imported.

    Raises: `InputError` for an unknown, incomplete or damaged run, and if model family
        or sizes differ from the experiment.
    """
    source = experiment.training.start_from
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
    difference = _find_different_setting(source_experiment, experiment)
    if difference is not None:
        key, value, required = difference
        raise InputError(
            f"'training.start_from': {source} has '{key}: {value}', and this "
            f"experiment '{key}: {required}'"
        )
    return run


def _find_different_setting(source, experiment):
    """Returns key, value and required value of the first different setting, or `None`.

    Only settings that determine sizes are compared, without the classifier.
    """
    if source.model.name != experiment.model.name:
        return "model.name", source.model.name, experiment.model.name
    for key in ("units", "projection"):
        value = getattr(source.embedding, key)
        required = getattr(experiment.embedding, key)
        if value != required:
            return f"embedding.{key}", value, required
    settings = experiment.model.model_dump()
    for key, value in source.model.model_dump().items():
        is_size = type(value) is int and type(settings[key]) is int
        if is_size and value != settings[key]:
            return f"model.{key}", value, settings[key]
    return None


def read_start_weights(
    experiment: Experiment, run: RunFolder, root: Path
) -> StartWeights:
    """Reads the initial weights of a training from another run.

    Args:
        experiment: the experiment of the training.
        run: the other run, from `find_source`.
        root: the data root.

    Raises: `InputError` for a damaged run, and if shapes of weights differ.
    """
    from dsa.inference.loading import load
    from dsa.models.building import build_model

    source = str(experiment.training.start_from)
    try:
        trained = load(run, root=root)
    except InputError as error:
        raise InputError(f"'training.start_from': {error}") from error
    parts = split_weights(trained.model)
    new_parts = split_weights(build_model(experiment, FIRST_WORD))
    for part in ("projection", "encoder"):
        difference = _find_difference(parts[part], new_parts[part])
        if difference:
            raise InputError(
                f"'training.start_from': {source} has different sizes: {difference}"
            )
    keeps_classifier = (
        type(trained.task) is type(experiment.task)
        and trained.task.inputs == experiment.task.inputs
        and trained.task.names == experiment.task.names
        and _find_difference(parts["classifier"], new_parts["classifier"]) is None
    )
    embedding = trained.model.embedding
    frozen_rows = len(trained.vocabulary.words)
    if embedding.train_vectors:
        frozen_rows = embedding.frozen_rows
    return StartWeights(
        source=source,
        sha256=read_weights_sha256(run.path),
        words=KnownWords(trained.vocabulary, embedding.vectors(), frozen_rows),
        projection=_read(parts["projection"]),
        encoder=_read(parts["encoder"]),
        classifier=_read(parts["classifier"]) if keeps_classifier else None,
    )


def split_weights(model: Any) -> dict[str, list[Any]]:
    """Returns the variables of a model by part.

    Returns: lists of variables with the keys "vectors", "projection", "encoder" and
        "classifier". The layers of the classifier are named in `CLASSIFIER`. The
        encoder is the rest of the model, also for a pair model.
    """
    embedding = model.embedding
    layers = [getattr(model, name, None) for name in CLASSIFIER]
    parts = {
        "vectors": _list_weights([embedding.table, embedding.frozen_table]),
        "projection": _list_weights([embedding.project]),
        "classifier": _list_weights(layers),
    }
    known = {id(variable) for part in parts.values() for variable in part}
    parts["encoder"] = [v for v in model.weights if id(v) not in known]
    return parts


def freeze(model: Any, names: Sequence[str]) -> None:
    """Excludes parts of a built model from training.

    Args:
        model: the model.
        names: names of the parts: "embedding" (word vectors and projection), "encoder".
    """
    parts = split_weights(model)
    parts["embedding"] = parts["vectors"] + parts["projection"]
    for name in names:
        for variable in parts[name]:
            variable.trainable = False


def _list_weights(layers):
    """Returns the variables of layers and lists of layers. `None` is skipped."""
    variables = []
    for layer in layers:
        if isinstance(layer, (list, tuple)):
            variables += _list_weights(layer)
        elif layer is not None:
            variables += layer.weights
    return variables


def _find_difference(source, new):
    """Describes the first difference in the shapes of variables, or returns `None`."""
    for old_variable, new_variable in zip(source, new, strict=False):
        old, expected = tuple(old_variable.shape), tuple(new_variable.shape)
        if old != expected:
            return f"{old_variable.path} {old} instead of {expected}"
    if len(source) != len(new):
        return f"{len(source)} weights instead of {len(new)}"
    return None


def _read(variables):
    from keras import ops

    return [np.array(ops.convert_to_numpy(variable)) for variable in variables]
