"""Programs that JAX keeps, on a CPU that is made to look like a GPU; compiled calls,
traced once for all sizes, and after a quick start at the second call."""

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
from dsa.backends.compilation import keep_programs

if {gpu}:
    real, jax.default_backend = jax.default_backend, lambda: "gpu"
keep_programs()
if {gpu}:
    jax.default_backend = real
jax.jit(lambda x: x + 1)(1)
"""


@pytest.mark.skipif(keras.backend.backend() != "jax", reason="JAX's programs")
@pytest.mark.parametrize(
    ("gpu", "asked", "kept_in"),
    [
        (True, False, "cache/jax"),
        (True, True, "asked"),
        (False, False, None),
        (False, True, "asked"),
    ],
)
def test_programs_are_kept_where_it_is_safe_or_asked_for(tmp_path, gpu, asked, kept_in):
    environment = os.environ | {
        "DSA_CACHE": str(tmp_path / "cache"),
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "asked") if asked else "",
    }
    command = [sys.executable, "-c", SCRIPT.format(gpu=gpu)]
    subprocess.run(command, env=environment, check=True)
    folders = {str(p.parent.relative_to(tmp_path)) for p in tmp_path.rglob("*-cache")}
    assert folders == ({kept_in} if kept_in else set())


@pytest.mark.parametrize(
    ("quick_start", "sizes"), [(False, [(None, None)]), (True, [(1, 3), (None, None)])]
)
def test_all_calls_give_the_same_and_few_run_the_function(quick_start, sizes):
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
