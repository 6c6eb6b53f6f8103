"""A trained run as a folder of files for other programs."""

import dataclasses
import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import keras

from dsa.backends.exported_files import (
    check_runs_on_tensorflow,
    make_onnx,
    trace,
    write_saved_model,
)
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.inference.export.model_facts import check_format, check_model, describe_model
from dsa.inference.onnx_inference import FOLDER, WEIGHTS
from dsa.models.registry import build_model
from dsa.runs.outputs import OutputFolder
from dsa.system.atomic_files import (
    new_folder,
    remove_temporary,
    write_atomically,
)
from dsa.system.reading import compute_sha256, read_json_object
from dsa.tasks.task import SINGLE

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel

VOCABULARY, SETTINGS, RUNNER = "vocabulary.txt", "settings.json", "run_onnx.py"
SAVED_MODEL, SAVED_FILE = "saved_model", "saved_model.pb"
NAMES = ("model.onnx", "encoder.onnx", RUNNER, VOCABULARY, SETTINGS)
SHA256 = "sha256"  # in the settings, of each file of the export
SIGNATURES = {"model": "serving_default", "encoder": "encode"}  # of a SavedModel


def export_run(
    trained: "TrainedModel", format: str, output: OutputFolder
) -> list[Path]:
    """Writes the model of a run, and what a program needs to use it. Both formats of
    one run fit into one folder; the export of another run is removed.

    Returns: the paths of what was written.

    Raises: `InputError`, before anything is written, for an unknown format, a model
        that the format cannot hold, files that are there, and in a process in which
        Keras does not run on TensorFlow.
    """
    check_format(format)
    check_model(trained, format)
    check_runs_on_tensorflow()
    model = make_float32_model(trained)
    vocabulary = trained.vocabulary.to_text().encode()
    settings = describe_model(trained) | {
        "weights": _compute_sha256(*model.get_weights()),
        SHA256: {VOCABULARY: _compute_sha256(vocabulary)},
    }
    if output.path == Path(trained.run.path, FOLDER):
        settings[WEIGHTS] = compute_sha256(trained.run.weights)
    earlier = _read_settings(output.path)
    same = earlier if earlier and _is_same_run(earlier, settings) else None
    force = output.force or same is not None
    dataclasses.replace(output, force=force).refuse([VOCABULARY, SETTINGS])
    functions = trace_functions(trained.experiment, model)

    def clear():
        """Removes another run's export, when all is computed, and what killed exports
        have left."""
        if earlier and not same:
            _remove_export(output.path)
        remove_temporary(output.path / name for name in NAMES)

    if format == "onnx":
        names, files = _write_onnx(output, clear, functions)
    else:
        names, files = _write_saved_model(output, clear, model, functions)
    write_atomically(output.path / VOCABULARY, vocabulary)
    settings[SHA256] = (same[SHA256] if same else {}) | settings[SHA256] | files
    text = json.dumps(settings, indent=1, ensure_ascii=False)
    write_atomically(output.path / SETTINGS, text + "\n")
    return [output.path / name for name in (*names, VOCABULARY, SETTINGS)]


def make_float32_model(trained: "TrainedModel") -> keras.Model:
    """Returns the Keras model of a `TrainedModel`; a copy in float32 if it computes
    with another precision."""
    experiment = trained.experiment
    if experiment.training.precision == "float32":
        return trained.model
    training = experiment.training.model_copy(update={"precision": "float32"})
    experiment = experiment.model_copy(update={"training": training})
    frozen_rows = trained.model.embedding.frozen_rows
    model = build_model(experiment, len(trained.vocabulary), frozen_rows)
    model.set_weights(trained.model.get_weights())
    return model


def trace_functions(experiment: Experiment, model: Any) -> dict[str, Any]:
    """Returns TensorFlow functions by name: "model", ids and features to logits; and if
    the model encodes, "encoder", ids to the vector of a sentence."""
    ids = ("int32", (None, None))
    inputs: dict[str, tuple] = dict.fromkeys(experiment.inputs, ids)
    if experiment.feature_count:
        inputs["features"] = ("float32", (None, experiment.feature_count))

    def compute(batch):
        return model(batch, training=False)

    def encode(batch):
        return model.encode(batch[SINGLE[0]], training=False)

    functions = {"model": trace(compute, inputs, "logits")}
    if experiment.family.encodes:
        functions["encoder"] = trace(encode, {SINGLE[0]: ids}, "vector")
    return functions


def _write_onnx(output, clear, functions):
    """Returns the names of the files, and the SHA-256 of the models."""
    names = [*(f"{name}.onnx" for name in functions), RUNNER]
    output.refuse(names)
    contents = [make_onnx(function) for function in functions.values()]
    sha256 = dict(zip(names, map(_compute_sha256, contents), strict=False))
    contents.append(Path(__file__).with_name(RUNNER).read_bytes())
    clear()
    output.open([])
    for name, content in zip(names, contents, strict=True):
        write_atomically(output.path / name, content)
    return names, sha256


def _write_saved_model(output, clear, model, functions):
    """Returns the names of what is written, and the SHA-256 of each file."""
    folder = output.path / SAVED_MODEL
    if folder.is_symlink() or folder.exists():
        if folder.is_symlink() or not (folder / SAVED_FILE).is_file():
            raise InputError(f"{folder}: no SavedModel, it is not replaced")
        if not output.force:
            raise InputError(f"{folder} is there already. --force replaces it")
    output.open([])
    remove_temporary([folder])
    with new_folder(folder) as new:
        functions = {SIGNATURES[name]: f for name, f in functions.items()}
        write_saved_model(new, model, functions)
        paths = [path for path in sorted(new.rglob("*")) if path.is_file()]
        names = [(SAVED_MODEL / path.relative_to(new)).as_posix() for path in paths]
        sha256 = [_compute_sha256(path.read_bytes()) for path in paths]
        clear()
        if folder.exists():
            shutil.rmtree(folder)
    return [SAVED_MODEL], dict(zip(names, sha256, strict=True))


def _read_settings(folder):
    """Returns the `settings.json` of an export; `None` if a folder has none."""
    try:
        settings = read_json_object(folder / SETTINGS)
    except (OSError, InputError):
        return None
    is_export = {"dsa", "format"} <= settings.keys()
    return settings if is_export and isinstance(settings.get(SHA256), dict) else None


def _is_same_run(earlier, settings):
    """Returns whether two exports are of one run. They can have different files."""
    old, new = earlier[SHA256].get(VOCABULARY), settings[SHA256][VOCABULARY]
    return {**earlier, SHA256: old} == {**settings, SHA256: new}


def _remove_export(folder):
    """Removes all files of an export; the settings last, as they say that it is one."""
    saved_model = folder / SAVED_MODEL
    if (saved_model / SAVED_FILE).is_file() and not saved_model.is_symlink():
        shutil.rmtree(saved_model)
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)


def _compute_sha256(*contents):
    """Returns the SHA-256 of bytes, or arrays, that follow each other."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(content)
    return digest.hexdigest()
