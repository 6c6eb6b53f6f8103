"""Loading of trained runs. Files are checked before Keras is imported."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dsa.data.words.vector_reader import VectorReader
from dsa.errors import InputError
from dsa.inference.new_words import VectorLookup, find_vector_file
from dsa.inference.onnx_inference import OnnxInference, choose_onnx
from dsa.inference.row_reading import load_reader
from dsa.models.building import build_model
from dsa.runs.run_folder import RunFolder
from dsa.system.folders import data_root
from dsa.system.terminal import announce

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel

log = logging.getLogger(__name__)


def load(
    run: str | Path | RunFolder,
    vectors: str | Path | None = None,
    root: str | Path | None = None,
    runtime: str = "keras",
) -> TrainedModel:
    """Loads a trained run from its folder.

    Args:
        run: the run folder, as a path or a `RunFolder`. A warning is logged if the run
            has no `sha256.json` to verify its files.
        vectors: vector file for words outside the vocabulary; `None` for the file in
            the run's config, if it exists. Runs that trained their word vectors use no
            vector file.
        root: the data root, for the vector file in the config.
        runtime: "keras", "auto" or "onnx", see `choose_onnx`.

    Returns: a `TrainedModel`.

    Raises: `InputError` if the run is incomplete or was trained by an unsupported
        version, or if its files are inconsistent or have changed since training.
    """
    if not isinstance(run, RunFolder):
        run = RunFolder(run)
    announce(f"loading {run.path}")
    run.check_folder()
    run.check_files()
    if not run.is_verified():
        log.warning(
            "%s is unverified, because sha256.json is missing. Tables exclude the "
            "evaluations of the run",
            run,
        )
    experiment = run.experiment()
    environment = run.environment()
    vocabulary = run.vocabulary()
    if len(vocabulary) != environment.get("vocabulary_size"):
        raise InputError(
            f"{run.path}: vocabulary.txt must have "
            f"{environment.get('vocabulary_size')} ids, as in training. Received: "
            f"{len(vocabulary)}"
        )
    lookup = _build_lookup(experiment.family, experiment.embedding, vectors, root)
    reader = load_reader(
        run, experiment.task.inputs, experiment.features, data_root(root)
    )

    model = None
    onnx_folder = choose_onnx(run, runtime)
    if onnx_folder is not None:
        inference = OnnxInference(
            onnx_folder,
            run.weights,
            experiment.family,
            num_outputs=experiment.task.outputs,
            load_network=lambda: _load_network(run, experiment, len(vocabulary)),
        )
    elif experiment.family.is_network:
        from dsa.inference.corpus_inference import build_inference  # imports Keras

        model = _load_network(run, experiment, len(vocabulary))
        inference = build_inference(experiment.family, model, quick_start=True)
    else:
        model = build_model(experiment, len(vocabulary))
        model.load(run.features)
        inference = model  # computes logits itself

    from dsa.inference.trained_model import TrainedModel

    return TrainedModel(run, experiment, vocabulary, model, reader, lookup, inference)


def _load_network(run, experiment, vocabulary_size):
    """Returns a Keras model with the selected weights of its run."""
    if not run.weights.is_file():
        raise InputError(
            f"{run.path} is an incomplete run: {run.weights.name} is missing. "
            "Training writes this file at the first evaluation"
        )
    frozen_rows = _read_frozen_rows(run, vocabulary_size)

    from dsa.backends.compilation import enable_compilation_cache
    from dsa.backends.devices import convert_memory_errors, set_matmul_precision
    from dsa.backends.weight_files import check_weight_file

    set_matmul_precision(experiment.training.matmul_precision)
    enable_compilation_cache()
    memory_advice = f"{run.path}: the model does not fit into memory"
    with convert_memory_errors(memory_advice):
        model = build_model(experiment, vocabulary_size, frozen_rows)
    try:
        check_weight_file(run.weights)
        with convert_memory_errors(memory_advice):
            model.load_weights(run.weights)
    except MemoryError:
        raise
    except Exception as error:  # h5py and Keras raise errors of many types
        reason = str(error).strip().split("\n")[0]
        raise InputError(
            f"{run.weights}: the weights do not match the model of this run: {reason}"
        ) from error
    if not all(np.isfinite(weight.numpy()).all() for weight in model.weights):
        raise InputError(f"{run.weights}: a weight is NaN or infinite")
    return model


def _read_frozen_rows(run, vocabulary_size):
    """Returns the number of word vectors that were not trained.

    Raises: `InputError` if the number in `environment.json` is damaged.
    """
    rows = run.environment().get("frozen_rows", 0)
    if not isinstance(rows, int) or not 0 <= rows < vocabulary_size:
        raise InputError(
            f"{run.path / 'environment.json'}: 'frozen_rows' must be an integer from 0 "
            f"to {vocabulary_size - 1}. Received: {rows!r}"
        )
    return rows


def _build_lookup(family, embedding, vectors, root):
    """Returns the `VectorLookup` for words outside the vocabulary, or `None`."""
    path = find_vector_file(family, embedding, vectors, root)
    if path is None:
        return None
    reader = VectorReader(path, embedding.units, embedding.lookup == "exact")
    return VectorLookup(reader)
