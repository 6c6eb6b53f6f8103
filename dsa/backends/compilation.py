"""Compilation of training steps and predictions."""

import concurrent.futures
import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import keras

from dsa.system.folders import get_cache_folder

log = logging.getLogger(__name__)


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
    tensorflow_log = logging.getLogger("tensorflow")
    tensorflow_log.addFilter(_is_unrelated_to_retracing)
    try:
        yield
    finally:
        tensorflow_log.removeFilter(_is_unrelated_to_retracing)


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

    If `programs` is set, see `compiling_ahead`, `fit` compiles the programs of all
    padded shapes in parallel. `run_eagerly` is then ignored.
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


class ProgramsAhead:
    """Training step that compiles the programs of all shapes in its first call.

    The first call traces the step for its batch and for each example, while threads
    compile the programs. A call waits only for its own program. Programs for shapes
    without an example are compiled on first use.

    Args:
        examples: an example batch of each shape.
    """

    def __init__(self, examples: Iterable[Any]) -> None:
        self._examples = {_read_signature(batch): batch for batch in examples}
        self._step: Any = None
        self._programs: dict[Any, concurrent.futures.Future[Any]] = {}

    def wrap(self, step: Any) -> Callable[[Any, Any], Any]:
        """Returns a training step that uses the compiled programs.

        Args:
            step: function of the training state and a batch, from `jax.jit`.
        """
        self._step = step
        return self._call

    def _call(self, state, batch):
        if self._examples:
            self._start(state, batch)
        program = self._programs.get(_read_signature(batch))
        if program is None:
            return self._step(state, batch)
        return program.result()(state, batch)

    def _start(self, state, batch):
        """Starts the compilation for the batch, then for all examples."""
        examples = {_read_signature(batch): batch} | self._examples
        self._examples = {}
        log.info("compiling %d programs, one for each padded shape", len(examples))
        workers = min(len(examples), os.cpu_count() or 1)
        threads = concurrent.futures.ThreadPoolExecutor(workers)
        for signature, example in examples.items():
            lowered = self._step.lower(state, example)
            self._programs[signature] = threads.submit(lowered.compile)
        threads.shutdown(wait=False)

    def stop(self) -> None:
        """Cancels pending compilations."""
        for program in self._programs.values():
            program.cancel()


def _read_signature(batch):
    """Returns the shape and dtype of each array of a batch, as a dictionary key."""
    arrays = keras.tree.flatten(batch)
    return tuple((tuple(array.shape), array.dtype) for array in arrays)


@contextlib.contextmanager
def compiling_ahead(model: Any, batches: Iterable[Any]) -> Iterator[None]:
    """Context manager in which `fit` compiles the programs of all shapes in parallel.

    Does nothing on TensorFlow and PyTorch, and on several devices.

    Args:
        model: a compiled Keras model.
        batches: example batches of all shapes.
    """
    if not compiles_each_shape() or keras.distribution.distribution() is not None:
        yield
        return
    model.programs = ProgramsAhead(batches)
    try:
        yield
    finally:
        model.programs.stop()
