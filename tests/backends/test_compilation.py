"""Tests of JAX's compilation cache, on a simulated GPU, and of compiled calls."""

import os
import subprocess
import sys

import keras
import numpy as np
import pytest

from dsa.backends.compilation import CompiledCall

pytestmark = pytest.mark.keras  # run on JAX in CI too

SCRIPT = """
import jax
from dsa.backends.compilation import enable_compilation_cache

if {gpu}:
    real, jax.default_backend = jax.default_backend, lambda: "gpu"
enable_compilation_cache()
if {gpu}:
    jax.default_backend = real
jax.jit(lambda x: x + 1)(1)
"""


@pytest.mark.skipif(keras.backend.backend() != "jax", reason="JAX's programs")
@pytest.mark.parametrize(
    ("gpu", "variable", "cache"),
    [
        (True, False, "cache/jax"),
        (True, True, "variable"),
        (False, False, None),
        (False, True, "variable"),
    ],
)
def test_programs_are_cached_for_gpus_or_in_the_folder_of_the_variable(
    tmp_path, gpu, variable, cache
):
    environment = os.environ | {
        "DSA_CACHE": str(tmp_path / "cache"),
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "variable") if variable else "",
    }
    command = [sys.executable, "-c", SCRIPT.format(gpu=gpu)]
    subprocess.run(command, env=environment, check=True)
    folders = {str(p.parent.relative_to(tmp_path)) for p in tmp_path.rglob("*-cache")}
    assert folders == ({cache} if cache else set())


@pytest.mark.parametrize(
    ("quick_start", "sizes"), [(False, [(None, None)]), (True, [(1, 3), (None, None)])]
)
def test_a_compiled_call_equals_the_function_and_traces_it_once(quick_start, sizes):
    runs = []

    def compute(batch):
        runs.append(batch["x"].shape)
        return [keras.ops.sum(batch["x"] * 2.0, axis=1), batch["x"]]

    call = CompiledCall(None, compute, quick_start)
    for rows, length in [(1, 3), (1, 3), (2, 5), (4, 1), (1, 3)]:
        x = np.random.default_rng(rows).normal(size=(rows, length)).astype("float32")
        sums, same = call.predict_on_batch({"x": x})
        np.testing.assert_allclose(sums, 2 * x.sum(axis=1), rtol=1e-6)
        np.testing.assert_array_equal(same, x)
        assert isinstance(sums, np.ndarray)
    if keras.backend.backend() == "tensorflow":
        assert [tuple(shape) for shape in runs] == sizes
