"""A trained run as a folder of files for other programs."""

import json
import shutil
from pathlib import Path

from dsa.backends.exported_files import (
    make_onnx,
    refuse_other_backends,
    trace,
    write_saved_model,
)
from dsa.errors import InputError
from dsa.export.float32_model import make_float32_model
from dsa.export.formats import refuse_model, refuse_unknown_format
from dsa.export.parts import ENCODER, MODEL, list_parts
from dsa.export.settings import describe_run
from dsa.storage.atomic_files import name_temporary, write_atomically

VOCABULARY, SETTINGS, RUNNER = "vocabulary.txt", "settings.json", "run_onnx.py"
SAVED_MODEL = "saved_model"
SIGNATURES = {MODEL: "serving_default", ENCODER: "encode"}  # of a SavedModel


def export_run(trained, format, output):
    """Write the model of a run, and what a program needs to use it.

    Args:
        trained: the `TrainedModel`.
        format: "onnx" or "savedmodel".
        output: an `OutputFolder`.

    Returns: the paths of what was written.

    Raises: `InputError`, before anything is written, for an unknown format, a model
        that the format cannot hold, files that are there, and in a process in which
        Keras does not run on TensorFlow.
    """
    refuse_unknown_format(format)
    refuse_model(trained, format)
    refuse_other_backends()
    model = make_float32_model(trained)
    parts = list_parts(trained.experiment, model)
    functions = {
        name: trace(part.compute, part.inputs, part.output)
        for name, part in parts.items()
    }
    if format == "onnx":
        names = _write_onnx(output, functions)
    else:
        names = _write_saved_model(output, model, functions)
    write_atomically(output.path / VOCABULARY, trained.vocabulary.to_text())
    settings = json.dumps(describe_run(trained), indent=1, ensure_ascii=False)
    write_atomically(output.path / SETTINGS, settings + "\n")
    return [output.path / name for name in (*names, VOCABULARY, SETTINGS)]


def _write_onnx(output, functions):
    """Returns: the names of the files."""
    names = [*(f"{name}.onnx" for name in functions), RUNNER]
    output.refuse([*names, VOCABULARY, SETTINGS])
    contents = [make_onnx(function) for function in functions.values()]
    contents.append(Path(__file__).with_name(RUNNER).read_bytes())
    folder = output.open([])
    for name, content in zip(names, contents, strict=True):
        write_atomically(folder / name, content)
    return names


def _write_saved_model(output, model, functions):
    """Returns: the names of the files: that of the folder `saved_model`."""
    output.refuse([VOCABULARY, SETTINGS])
    folder = output.path / SAVED_MODEL
    _refuse_folder(folder, output.force)
    output.open([])
    new = name_temporary(folder)
    try:
        functions = {SIGNATURES[name]: f for name, f in functions.items()}
        write_saved_model(new, model, functions)
        if folder.exists():
            shutil.rmtree(folder)
        new.rename(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return [SAVED_MODEL]


def _refuse_folder(folder, force):
    """Raises: `InputError` for a folder that may not be replaced: a link, what is no
    SavedModel, and without `force` any."""
    if not (folder.exists() or folder.is_symlink()):
        return
    if folder.is_symlink() or not (folder / "saved_model.pb").is_file():
        raise InputError(f"{folder}: no SavedModel, it is not replaced")
    if not force:
        raise InputError(f"{folder} is there already. --force replaces it")
