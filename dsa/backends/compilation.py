"""Programs that are compiled: when, where they are kept, and what they hold."""

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

import keras

from dsa.system.folders import cache_folder


def compiles_each_shape() -> bool:
    """Returns whether XLA compiles a program for each padded shape: on JAX only.

    JAX trains no other way. On TensorFlow, on a CPU, programs of XLA were slower than
    TensorFlow's own operations.
    """
    return keras.backend.backend() == "jax"


def keep_programs() -> None:
    """Lets JAX keep its compiled programs for later processes.

    Call it before the first program is compiled. Programs for GPUs and TPUs are kept
    in the cache folder, or in `JAX_COMPILATION_CACHE_DIR` if it is set. Programs for
    CPUs are kept only if it is set: a program uses the instructions of the processor
    that compiled it, and can kill the process on another processor that shares the
    folder (jax-ml/jax issue 38445).
    """
    if keras.backend.backend() != "jax":
        return
    import jax

    if jax.default_backend() != "cpu" and not jax.config.jax_compilation_cache_dir:
        jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "jax"))


@contextlib.contextmanager
def without_retracing_warnings() -> Iterator[None]:
    """Inside the context TensorFlow does not warn of programs that it traces again.

    Every model that is loaded, and every model with further words, is traced once: that
    is no mistake of the user's.
    """
    log = logging.getLogger("tensorflow")
    log.addFilter(_is_about_something_else)
    try:
        yield
    finally:
        log.removeFilter(_is_about_something_else)


def _is_about_something_else(record):
    return "triggered tf.function retracing" not in record.getMessage()


class CompiledCall(keras.Model):
    """A function of a model as a Keras model without weights of its own. It needs no
    symbolic call before it.

    `predict` and `predict_on_batch` compile it when they are first called.

    Args:
        model: the layer whose weights the function reads; any function without weights
            for none.
        compute: a function of one argument, (nested) tensors, to (nested) tensors.
        quick_start: whether TensorFlow does not compile the first `predict_on_batch`,
            which takes five times as long as the call: for a command that answers one
            question. What it gives can differ from later calls in the last bit.
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
        self._is_traced_next = not quick_start
        self._traced = None  # TensorFlow's function, once it was needed

    def call(self, inputs):
        return self.compute(inputs)

    def predict_on_batch(self, inputs):
        """What the function gives for arrays, as arrays.

        TensorFlow traces it once, for arrays of all sizes; Keras would trace it for the
        first size, and again at the next one.
        """
        if keras.backend.backend() != "tensorflow":
            return super().predict_on_batch(inputs)
        if self._traced is None and self._is_traced_next:
            self._traced = self._trace(inputs)
        self._is_traced_next = True
        tensors = keras.tree.map_structure(keras.ops.convert_to_tensor, inputs)
        outputs = (self._traced or self)(tensors)
        return keras.tree.map_structure(lambda tensor: tensor.numpy(), outputs)

    def _trace(self, inputs):
        import tensorflow as tf

        signature = keras.tree.map_structure(
            lambda array: tf.TensorSpec((None,) * array.ndim, array.dtype), inputs
        )

        @tf.function(input_signature=[signature], jit_compile=self.jit_compile)
        def call(inputs):
            return self(inputs)

        # spares looking for it in each call
        return call.get_concrete_function()  # pyright: ignore[reportFunctionMemberAccess]


class CompiledAheadModel(keras.Model):
    """A Keras model for JAX whose training programs can be compiled in parallel.

    With `programs` (`dsa.backends.programs_ahead`) `fit` compiles the programs of all
    padded shapes at the same time.
    """

    programs: Any = None

    def make_train_function(self, force=False):
        if self.programs is None:
            super().make_train_function(force)
        elif self.train_function is None or force:
            import jax

            step = jax.jit(self.train_step, donate_argnums=0)  # as Keras makes it
            self.train_function = self._make_function(self.programs.wrap(step))


BaseModel: Any = CompiledAheadModel if keras.backend.backend() == "jax" else keras.Model
