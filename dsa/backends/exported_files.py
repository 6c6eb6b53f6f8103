"""Export of model functions to ONNX and SavedModel files, with TensorFlow."""

import contextlib
import errno
import hashlib
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np

from dsa.errors import InputError
from dsa.system.extras import importing

MIN_SHARED_SIZE = 64  # smallest number of elements of an array that is shared
OPSET = 17  # version of the ONNX operator set; supported by runtimes since 2022


def check_runs_on_tensorflow() -> None:
    """Raises `InputError` unless Keras runs on TensorFlow."""
    backend = keras.backend.backend()
    if backend != "tensorflow":
        raise InputError(
            f"exports require the backend TensorFlow. Received: {backend}. Use the "
            "command `dsa export`, or set KERAS_BACKEND=tensorflow"
        )


def trace(
    compute: Callable[[dict[str, Any]], Any],
    inputs: dict[str, tuple[str, tuple[int | None, ...]]],
    output: str,
) -> Any:
    """Returns a TensorFlow function whose inputs and output are named tensors.

    Args:
        compute: function that maps a dictionary of tensors to a tensor.
        inputs: `{name: (dtype, shape)}` of the input tensors; `None` stands for a
            dimension of any size.
        output: name of the returned tensor.
    """
    import tensorflow as tf

    signature = [
        tf.TensorSpec(shape, dtype, name=name)
        for name, (dtype, shape) in inputs.items()
    ]

    @tf.function(input_signature=signature)
    def call(*tensors):
        return {output: compute(dict(zip(inputs, tensors, strict=True)))}

    return call


def make_onnx(function: Any) -> bytes:
    """Converts a function from `trace` to the bytes of an ONNX file.

    Raises: `InputError` if a package is missing, or if ONNX lacks an operation.
    """
    with importing("export", "ONNX exports require the package tf2onnx"):
        import tf2onnx
    # prevents a copy of the graph before each step, which tf2onnx keeps to undo errors
    os.environ.setdefault("TF2ONNX_CATCH_ERRORS", "false")
    try:
        with _quiet():
            model, _ = tf2onnx.convert.from_function(
                function, input_signature=function.input_signature, opset=OPSET
            )
    except Exception as error:  # tf2onnx raises exceptions of many types
        reason = str(error).strip().split("\n")[0]
        raise InputError(f"the model cannot be converted to ONNX: {reason}") from error
    return model.SerializeToString()


def share_weights(
    content: bytes, weights: dict[str, np.ndarray]
) -> tuple[bytes, dict[str, str]]:
    """Replaces arrays of an ONNX file by references to arrays of a weight file.

    A program that opens the result passes the shared arrays to onnxruntime with
    `SessionOptions.add_external_initializers`.

    Args:
        content: bytes of the ONNX file.
        weights: `{name: float32 array}`, content of the weight file.

    Returns: the ONNX file without the shared arrays, and the names of the shared
        arrays, `{name in the ONNX file: name in the weight file}`.
    """
    import onnx
    from onnx.external_data_helper import set_external_data

    names = {_compute_key(array): name for name, array in weights.items()}
    model = onnx.load_from_string(content)
    shared = {}
    for tensor in model.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        name = names.get(_compute_key(array))
        if name is None or array.size < MIN_SHARED_SIZE:
            continue
        shared[tensor.name] = name
        set_external_data(tensor, "weights")
        tensor.ClearField("raw_data")
    return model.SerializeToString(), shared


def _compute_key(array):
    """Returns a dictionary key that identifies the dtype, shape and content of an
    array."""
    return array.dtype, array.shape, hashlib.sha256(array.tobytes()).digest()


def write_saved_model(
    folder: Path | str, model: keras.Model, functions: dict[str, Any]
) -> None:
    """Writes a SavedModel with one signature per function to a new folder.

    Args:
        folder: path of the new folder.
        model: the model whose weights the functions read.
        functions: functions returned by `trace`, `{signature name: function}`.

    Raises: `OSError` with the name of the folder, for example on a full disk.
    """
    import tensorflow as tf

    module: Any = tf.Module()
    module.variables_of_the_model = [weight.value for weight in model.variables]
    module.functions = list(functions.values())
    signatures = {
        name: function.get_concrete_function() for name, function in functions.items()
    }
    try:
        with _quiet():
            tf.saved_model.save(module, str(folder), signatures=signatures)
    except tf.errors.OpError as error:  # "FILE; REASON [Op:NAME]"
        reason = error.message.split("; ")[-1].partition(" [Op:")[0]
        raise OSError(errno.EIO, reason, str(folder)) from error


@contextlib.contextmanager
def _quiet():
    """Context manager in which tf2onnx and TensorFlow log only errors."""
    logs = [logging.getLogger(name) for name in ("tf2onnx", "tensorflow", "absl")]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)
