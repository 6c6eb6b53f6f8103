"""A trained run as a folder of files for other programs."""

import dataclasses
import hashlib
import json
import shutil
from pathlib import Path

from dsa.backends.exported_files import (
    check_runs_on_tensorflow,
    make_onnx,
    trace,
    write_saved_model,
)
from dsa.errors import InputError
from dsa.inference.export.earlier_export import (
    RUNNER,
    SAVED_MODEL,
    SETTINGS,
    SHA256,
    VOCABULARY,
    read_sha256,
    remove_export,
)
from dsa.inference.export.float32_model import make_float32_model
from dsa.inference.export.formats import check_format, check_model
from dsa.inference.export.parts import ENCODER, MODEL, list_parts
from dsa.inference.export.settings import describe_run
from dsa.system.atomic_files import name_temporary, write_atomically

SIGNATURES = {MODEL: "serving_default", ENCODER: "encode"}  # of a SavedModel


def export_run(trained, format, output):
    """Write the model of a run, and what a program needs to use it. Both formats of one
    run fit into one folder; the export of another run is removed.

    Args:
        trained: the `TrainedModel`.
        format: "onnx" or "savedmodel".
        output: an `OutputFolder`.

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
    settings = describe_run(trained) | {
        "weights": _compute_sha256(*model.get_weights()),
        SHA256: {VOCABULARY: _compute_sha256(vocabulary)},
    }
    earlier = read_sha256(output.path, settings)
    shared = dataclasses.replace(output, force=output.force or earlier is not None)
    shared.refuse([VOCABULARY, SETTINGS])
    parts = list_parts(trained.experiment, model)
    functions = {
        name: trace(part.compute, part.inputs, part.output)
        for name, part in parts.items()
    }

    def clear():
        """To be called when all is computed."""
        if earlier is None:
            remove_export(output.path)

    if format == "onnx":
        names, files = _write_onnx(output, clear, functions)
    else:
        names, files = _write_saved_model(output, clear, model, functions)
    write_atomically(output.path / VOCABULARY, vocabulary)
    settings[SHA256] = {**(earlier or {}), **settings[SHA256], **files}
    text = json.dumps(settings, indent=1, ensure_ascii=False)
    write_atomically(output.path / SETTINGS, text + "\n")
    return [output.path / name for name in (*names, VOCABULARY, SETTINGS)]


def _write_onnx(output, clear, functions):
    """Returns: the names of the files, and the SHA-256 of the models."""
    names = [*(f"{name}.onnx" for name in functions), RUNNER]
    output.refuse(names)
    contents = [make_onnx(function) for function in functions.values()]
    contents.append(Path(__file__).with_name(RUNNER).read_bytes())
    clear()
    folder = output.open([])
    for name, content in zip(names, contents, strict=True):
        write_atomically(folder / name, content)
    models = zip(names[:-1], contents[:-1], strict=True)
    return names, {name: _compute_sha256(content) for name, content in models}


def _write_saved_model(output, clear, model, functions):
    """Returns: the names of the files, that of the folder `saved_model`, and the
    SHA-256 of each file in it."""
    folder = output.path / SAVED_MODEL
    _check_folder(folder, output.force)
    output.open([])
    new = name_temporary(folder)
    try:
        functions = {SIGNATURES[name]: f for name, f in functions.items()}
        write_saved_model(new, model, functions)
        files = {
            f"{SAVED_MODEL}/{file.relative_to(new).as_posix()}": _compute_sha256(
                file.read_bytes()
            )
            for file in sorted(new.rglob("*"))
            if file.is_file()
        }
        clear()
        if folder.exists():
            shutil.rmtree(folder)
        new.rename(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return [SAVED_MODEL], files


def _compute_sha256(*contents):
    """Of bytes, or arrays."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(content)
    return digest.hexdigest()


def _check_folder(folder, force):
    """Raises: `InputError` for a folder that may not be replaced: a link, what is no
    SavedModel, and without `force` any."""
    if not (folder.exists() or folder.is_symlink()):
        return
    if folder.is_symlink() or not (folder / "saved_model.pb").is_file():
        raise InputError(f"{folder}: no SavedModel, it is not replaced")
    if not force:
        raise InputError(f"{folder} is there already. --force replaces it")
