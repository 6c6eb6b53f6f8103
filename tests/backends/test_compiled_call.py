"""A compiled call: traced once for all sizes; a quick start traces the second call."""

import keras
import numpy as np
import pytest

from dsa.backends.compiled_call import CompiledCall

pytestmark = pytest.mark.keras


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
