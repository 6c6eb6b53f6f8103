"""Export of networks to ONNX and SavedModel."""

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import keras

from dsa.backends.exported_files import (
    check_runs_on_tensorflow,
    make_onnx,
    share_weights,
    trace,
    write_saved_model,
)
from dsa.backends.weight_files import locate_arrays
from dsa.errors import InputError
from dsa.inference.export.export_settings import (
    check_format,
    check_model,
    make_settings,
)
from dsa.inference.onnx_inference import ONNX_FOLDER, SHARED, WEIGHTS, read_array
from dsa.models.building import build_model
from dsa.runs.outputs import OutputFolder
from dsa.system.atomic_files import (
    create_folder,
    remove_temporary,
    write_atomically,
)
from dsa.system.reading import compute_sha256, read_json_object
from dsa.tasks.task import SENTENCE

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel

# file names of an export
VOCABULARY = "vocabulary.txt"
SETTINGS = "settings.json"
RUNNER = "run_onnx.py"
FILE_NAMES = ("model.onnx", "encoder.onnx", RUNNER, VOCABULARY, SETTINGS)
SAVED_MODEL = "saved_model"  # folder of a SavedModel
SAVED_MODEL_FILE = "saved_model.pb"  # file in this folder
SHA256 = "sha256"  # key of the settings: the checksum of each file
SIGNATURES = {"model": "serving_default", "encoder": "encode"}  # of a SavedModel


def export_run(
    trained: "TrainedModel", format: str, output: OutputFolder
) -> list[Path]:
    """Exports the model of a run, with its vocabulary and settings.

    A folder can contain both formats of a run. An export of another run in the same
    folder is removed. ONNX files in the folder `onnx` of the run share its weights and
    vocabulary instead of copying them.

    Args:
        trained: the `TrainedModel`.
        format: "onnx" or "savedmodel".
        output: the `OutputFolder`.

    Returns: the paths of the written files.

    Raises: `InputError` if the format is unknown or does not support the model, if the
        backend is not TensorFlow, or if a file already exists. No file is written
        before these checks.
    """
    check_format(format)
    check_model(trained, format)
    check_runs_on_tensorflow()
    in_run = output.path == Path(trained.run.path, ONNX_FOLDER)
    precision = trained.experiment.training.precision
    if in_run and precision != "float32":
        raise InputError(
            "--in-run requires 'training.precision: float32': predictions with other "
            f"precisions use Keras. Received: {precision}"
        )
    model = make_float32_model(trained)
    vocabulary = trained.vocabulary.to_text().encode()
    settings = make_settings(trained)
    settings["weights"] = _compute_sha256(*model.get_weights())
    settings[SHA256] = {VOCABULARY: _compute_sha256(vocabulary)}
    weights = None  # weight file of the run if the ONNX files share its arrays
    if in_run:
        settings[WEIGHTS] = compute_sha256(trained.run.weights)
        weights = trained.run.weights
    previous = _read_settings(output.path)
    is_same_run = previous is not None and _is_same_run(previous, settings)
    is_other_run = previous is not None and not is_same_run
    force = output.force or is_same_run
    dataclasses.replace(output, force=force).check([VOCABULARY, SETTINGS])
    functions = trace_functions(
        model,
        trained.experiment.inputs,
        trained.experiment.feature_count,
        has_encoder=trained.experiment.family.encodes,
    )
    if format == "onnx":
        names, sha256, shared = _write_onnx(output, functions, weights, is_other_run)
        if shared is not None:
            settings[SHARED] = shared
    else:
        names, sha256 = _write_saved_model(output, model, functions, is_other_run)
    names = list(names)
    if weights is None:
        write_atomically(output.path / VOCABULARY, vocabulary)
        names.append(VOCABULARY)
    names.append(SETTINGS)
    if previous is not None and is_same_run:  # keep the checksums of other formats
        settings[SHA256] = previous[SHA256] | settings[SHA256]
    settings[SHA256] |= sha256
    text = json.dumps(settings, indent=1, ensure_ascii=False)
    write_atomically(output.path / SETTINGS, text + "\n")
    return [output.path / name for name in names]


def make_float32_model(trained: "TrainedModel") -> keras.Model:
    """Returns the model of a `TrainedModel`, converted to float32 if necessary."""
    experiment = trained.experiment
    if experiment.training.precision == "float32":
        return trained.model
    training = experiment.training.model_copy(update={"precision": "float32"})
    experiment = experiment.model_copy(update={"training": training})
    frozen_rows = trained.model.embedding.frozen_rows
    model = build_model(experiment, len(trained.vocabulary), frozen_rows)
    model.set_weights(trained.model.get_weights())
    return model


def trace_functions(
    model: Any, input_names: Sequence[str], feature_count: int, has_encoder: bool
) -> dict[str, Any]:
    """Traces the TensorFlow functions of a model.

    Args:
        model: the Keras model.
        input_names: names of the token inputs.
        feature_count: number of additional features of a row.
        has_encoder: whether the model is a sentence encoder.

    Returns: a dictionary. `model` maps token ids and pair features to logits;
        `encoder`, which only sentence encoders have, maps token ids to sentence
        vectors. Batches can have any number of rows and tokens.
    """
    ids = ("int32", (None, None))
    inputs: dict[str, tuple] = dict.fromkeys(input_names, ids)
    if feature_count:
        inputs["features"] = ("float32", (None, feature_count))

    def compute(batch):
        return model(batch, training=False)

    def encode(batch):
        return model.encode(batch[SENTENCE], training=False)

    functions = {"model": trace(compute, inputs, "logits")}
    if has_encoder:
        functions["encoder"] = trace(encode, {SENTENCE: ids}, "vector")
    return functions


def _write_onnx(output, functions, weights, is_other_run):
    """Writes the ONNX files.

    Args:
        output: the `OutputFolder`.
        functions: functions returned by `trace_functions`.
        weights: weight file whose arrays the ONNX files share; `None` to copy the
            arrays and to add the program `run_onnx.py`.
        is_other_run: whether the folder contains an export of another run.

    Returns: a tuple of the names of the written files, the SHA-256 of each ONNX file,
        and the shared arrays of each ONNX file (`None` if `weights` is `None`).
    """
    models = {
        f"{name}.onnx": make_onnx(function) for name, function in functions.items()
    }
    shared = None
    names = list(models)
    if weights is None:
        names.append(RUNNER)
    else:
        shared = {}
        locations = locate_arrays(weights)
        arrays = {
            name: read_array(weights, location) for name, location in locations.items()
        }
        for name, content in models.items():
            models[name], equal_arrays = share_weights(content, arrays)
            shared[name] = {
                onnx_name: locations[run_name]
                for onnx_name, run_name in equal_arrays.items()
            }
    output.check(names)
    _remove_old_files(output.path, is_other_run)
    output.open([])
    for name, content in models.items():
        write_atomically(output.path / name, content)
    if weights is None:
        runner = Path(__file__).with_name(RUNNER).read_bytes()
        write_atomically(output.path / RUNNER, runner)
    sha256 = {name: _compute_sha256(content) for name, content in models.items()}
    return names, sha256, shared


def _write_saved_model(output, model, functions, is_other_run):
    """Writes the SavedModel.

    Returns: a list with the name of the written folder, and the SHA-256 of each file.

    Raises: `InputError` if the folder exists and must not be replaced.
    """
    folder = output.path / SAVED_MODEL
    if folder.is_symlink() or folder.exists():
        if folder.is_symlink() or not (folder / SAVED_MODEL_FILE).is_file():
            raise InputError(f"{folder} exists and is not a SavedModel. Move it away")
        if not output.force:
            raise InputError(f"{folder} already exists. --force replaces it")
    output.open([])
    remove_temporary([folder])
    with create_folder(folder) as new:
        signatures = {
            SIGNATURES[name]: function for name, function in functions.items()
        }
        write_saved_model(new, model, signatures)
        sha256 = {}
        for path in sorted(new.rglob("*")):
            if path.is_file():
                name = (SAVED_MODEL / path.relative_to(new)).as_posix()
                sha256[name] = _compute_sha256(path.read_bytes())
        _remove_old_files(output.path, is_other_run)
        if folder.exists():
            shutil.rmtree(folder)
    return [SAVED_MODEL], sha256


def _remove_old_files(folder, is_other_run):
    """Removes temporary files of interrupted exports, and the export of another run.

    The settings are removed last, because they identify the export.
    """
    if is_other_run:
        saved_model = folder / SAVED_MODEL
        if (saved_model / SAVED_MODEL_FILE).is_file() and not saved_model.is_symlink():
            shutil.rmtree(saved_model)
        for name in FILE_NAMES:
            (folder / name).unlink(missing_ok=True)
    remove_temporary(folder / name for name in FILE_NAMES)


def _read_settings(folder):
    """Returns the content of `settings.json`; `None` for a folder without an export."""
    try:
        settings = read_json_object(folder / SETTINGS)
    except (OSError, InputError):
        return None
    has_checksums = isinstance(settings.get(SHA256), dict)
    if {"dsa", "format"} <= settings.keys() and has_checksums:
        return settings
    return None


def _is_same_run(previous, settings):
    """Returns whether two exports are of the same run, in any format.

    Args:
        previous, settings: contents of `settings.json`.
    """
    previous_vocabulary = previous[SHA256].get(VOCABULARY)
    vocabulary = settings[SHA256][VOCABULARY]
    return {**previous, SHA256: previous_vocabulary} == {**settings, SHA256: vocabulary}


def _compute_sha256(*contents):
    """Returns the SHA-256 of concatenated bytes or arrays."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(content)
    return digest.hexdigest()
