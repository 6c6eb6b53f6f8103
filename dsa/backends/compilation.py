"""How XLA's programs are made, and kept for the processes to come."""

import keras

from dsa.storage.folders import cache_folder


def compiles_each_shape():
    """Whether programs are made by XLA, one for each padded shape.

    JAX trains no other way. On TensorFlow, on CPU, XLA was slower than its own kernels.
    """
    return keras.backend.backend() == "jax"


def keep_programs():
    """JAX keeps its programs for GPUs and TPUs in the cache folder, unless
    `JAX_COMPILATION_CACHE_DIR` names another. Before the first program is made.

    Not those for CPUs unless asked: what one processor's instructions are used in can
    kill the process on another that shares the folder (jax-ml/jax issue 38445).
    """
    if keras.backend.backend() != "jax":
        return
    import jax

    if jax.default_backend() != "cpu" and not jax.config.jax_compilation_cache_dir:
        jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "jax"))
