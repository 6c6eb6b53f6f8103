"""Programs that XLA compiles: when they are needed, and where they are kept."""

import contextlib
import logging

import keras

from dsa.system.folders import cache_folder


def compiles_each_shape():
    """Whether XLA compiles a program for each padded shape: on JAX only.

    JAX trains no other way. On TensorFlow, on a CPU, programs of XLA were slower than
    TensorFlow's own operations.
    """
    return keras.backend.backend() == "jax"


def keep_programs():
    """Let JAX keep its compiled programs for later processes.

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
def without_retracing_warnings():
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
