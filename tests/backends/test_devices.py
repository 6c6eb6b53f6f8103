"""Tests of a training on several devices, and of out-of-memory errors."""

import os
import subprocess
import sys

import keras
import numpy as np
import pytest

from dsa.backends.devices import Devices, convert_memory_errors
from dsa.data.batching.training_batches import fill_to_batch_size
from dsa.errors import InputError
from dsa.runs.run_folder import RunFolder
from tests.support.runs import NO_DROPOUT, SMALL_MODEL, write_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too

BACKEND = keras.backend.backend()


@pytest.mark.slow
@pytest.mark.skipif(BACKEND == "torch", reason="PyTorch trains on one device")
def test_a_training_on_two_devices_equals_a_training_on_one_device(tmp_path, scripts):
    """Batches of 9 rows and a last one of 3; the gradients are clipped."""
    training = {"batch_size": 9, "clip_norm": 0.1, "shapes": 2, "devices": "all"}
    config = write_experiment(
        tmp_path, model={**SMALL_MODEL, **NO_DROPOUT}, training=training
    )
    one, two = RunFolder(tmp_path / "one"), RunFolder(tmp_path / "two")
    arguments = [str(config), "--data-root", str(tmp_path), "--run"]
    command = [
        sys.executable,
        "tests/support/spread_training.py",
        *arguments,
        str(two.path),
    ]
    spread = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
    )
    assert spread.returncode == 0, spread.stderr
    assert "a weight is on 2 devices" in spread.stdout
    single = [*arguments, str(one.path), "--set", "training.devices=one"]
    assert scripts.train.main(single) == 0

    assert (one.environment()["devices"], two.environment()["devices"]) == (1, 2)
    with np.load(one.state) as expected, np.load(two.state) as spread_arrays:
        arrays = sorted(set(expected) - {"record", "checksum"})
        assert arrays == sorted(set(spread_arrays) - {"record", "checksum"})
        for name in arrays:
            np.testing.assert_allclose(spread_arrays[name], expected[name], atol=1e-4)


def test_batches_are_padded_to_a_multiple_of_the_devices():
    devices = Devices("one")
    batch = {"premise": np.array([[1, 2], [3, 4], [5, 0]])}, np.array([2, 0, 1])
    assert devices.round_up_batch_size(3) == 3
    devices.count = 2
    _, labels, weights = fill_to_batch_size(batch, devices.round_up_batch_size(3))
    assert labels.tolist() == [2, 0, 1, 2]
    assert weights.tolist() == pytest.approx([4 / 3, 4 / 3, 4 / 3, 0])


@pytest.mark.skipif(BACKEND != "torch", reason="other backends support several devices")
def test_all_devices_on_pytorch_are_an_error():
    with pytest.raises(InputError, match="does not work on torch"):
        Devices("all")


class ResourceExhaustedError(Exception):
    pass


@pytest.mark.parametrize(
    "error",
    [
        ResourceExhaustedError("node\nmore"),
        RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"),
    ],
)
def test_an_out_of_memory_error_becomes_a_memory_error_in_one_line(error):
    with pytest.raises(MemoryError, match=r"^fewer rows \(.*\)$") as raised:
        with convert_memory_errors("fewer rows"):
            raise error
    assert "\n" not in str(raised.value) and raised.value.__cause__ is error


def test_other_errors_are_not_converted():
    with pytest.raises(RuntimeError, match="^another$"):
        with convert_memory_errors("fewer rows"):
            raise RuntimeError("another")
