"""Compilation of training steps and predictions."""

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

import keras

from dsa.system.folders import get_cache_folder


def compiles_each_shape() -> bool:
    """Returns whether XLA compiles a program for each padded shape: on JAX only.

    JAX requires XLA. TensorFlow and PyTorch run without XLA: on TensorFlow with a CPU,
    XLA programs were slower than the operations of TensorFlow.
    """
    return keras.backend.backend() == "jax"


def enable_compilation_cache() -> None:
    """Enables the persistent compilation cache of JAX.

    Call it before the first program is compiled. Programs for GPUs and TPUs are stored
    in the cache folder, or in `JAX_COMPILATION_CACHE_DIR` if it is set. Programs for
    CPUs are stored only if the variable is set: they contain instructions of the
    compiling processor, which another processor that shares the folder may not support.
    """
    if keras.backend.backend() != "jax":
        return
    import jax

    if jax.default_backend() != "cpu" and not jax.config.jax_compilation_cache_dir:
        jax.config.update("jax_compilation_cache_dir", str(get_cache_folder() / "jax"))


@contextlib.contextmanager
def without_retracing_warnings() -> Iterator[None]:
    """Context manager that suppresses warnings of TensorFlow about repeated tracing.

    They are expected: each loaded model, and each model with added words, is traced
    once.
    """
    log = logging.getLogger("tensorflow")
    log.addFilter(_is_unrelated_to_retracing)
    try:
        yield
    finally:
        log.removeFilter(_is_unrelated_to_retracing)


def _is_unrelated_to_retracing(record):
    """Returns whether a log record is not a warning about repeated tracing."""
    return "triggered tf.function retracing" not in record.getMessage()


class CompiledCall(keras.Model):
    """Keras model that computes a function of another model, without further weights.

    The function is compiled by the first `predict` or `predict_on_batch`. The model is
    marked as built, so Keras does not first call it with symbolic inputs.

    Args:
        model: the layer whose weights the function reads, or `None`.
        compute: function from (nested) tensors to (nested) tensors.
        quick_start: whether to run the first `predict_on_batch` without compilation on
            TensorFlow. Compilation takes five times as long as a call, which matters
            for commands with a single prediction. The outputs can differ from compiled
            calls in the last bit.
    """

    def __init__(
        self,
        model: keras.layers.Layer | None,
        compute: Callable[[Any], Any],
        quick_start: bool = False,
    ) -> None:
        super().__init__()
        self.model = model
        self.compute = compute
        self.jit_compile = compiles_each_shape()
        self.built = True
        self._trace_on_next_call = not quick_start
        self._traced = None  # TensorFlow's function

    def call(self, inputs):
        return self.compute(inputs)

    def predict_on_batch(self, inputs):
        """Returns the outputs of the function as arrays, for a batch of arrays.

        TensorFlow traces the function once, for arrays of any size with the nesting,
        ranks and dtypes of the first traced call. Keras would trace it for the first
        size, and another time for the second size.
        """
        if keras.backend.backend() != "tensorflow":
            return super().predict_on_batch(inputs)
        if self._traced is None and self._trace_on_next_call:
            self._traced = self._trace(inputs)
        self._trace_on_next_call = True
        tensors = keras.tree.map_structure(keras.ops.convert_to_tensor, inputs)
        if self._traced is None:
            outputs = self(tensors)
        else:
            outputs = self._traced(tensors)
        return keras.tree.map_structure(lambda tensor: tensor.numpy(), outputs)

    def _trace(self, inputs):
        """Returns the traced TensorFlow function for inputs of all sizes."""
        import tensorflow as tf

        signature = keras.tree.map_structure(
            lambda array: tf.TensorSpec((None,) * array.ndim, array.dtype), inputs
        )

        @tf.function(input_signature=[signature], jit_compile=self.jit_compile)
        def call(inputs):
            return self(inputs)

        # faster than a lookup in each call
        return call.get_concrete_function()  # pyright: ignore[reportFunctionMemberAccess]


class CompiledAheadModel(keras.Model):
    """Keras model for JAX whose training programs can be compiled in parallel.

    If `programs` is set (`dsa.backends.programs_ahead`), `fit` compiles the programs of
    all padded shapes in parallel. `run_eagerly` is then ignored.
    """

    programs: Any = None

    def make_train_function(self, force=False):
        if self.programs is None:
            super().make_train_function(force)
        elif self.train_function is None or force:
            import jax

            # the options of Keras for compiled training on one device
            step = jax.jit(self.train_step, donate_argnums=0)
            self.train_function = self._make_function(self.programs.wrap(step))


# base class of all networks, see docs/extending.md
BaseModel: Any = CompiledAheadModel if keras.backend.backend() == "jax" else keras.Model
