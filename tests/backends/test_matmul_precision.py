"""Tests that products are full float32 on each backend, unless a config sets tf32."""

import pytest

from dsa.backends.description import describe_environment
from dsa.backends.devices import read_matmul_precision, set_matmul_precision
from dsa.experiment.training_config import TrainingConfig

pytestmark = pytest.mark.keras


@pytest.fixture(autouse=True)
def _restored_precision():
    before = read_matmul_precision()
    yield
    set_matmul_precision(before)


def test_the_precision_is_set_and_described():
    for precision in ("tf32", "float32"):
        set_matmul_precision(precision)
        assert read_matmul_precision() == precision
        assert describe_environment()["matmul_precision"] == precision


def test_a_training_and_a_loaded_run_use_the_precision_of_their_config(
    finished, scripts, tmp_path
):
    import dsa

    assert TrainingConfig().matmul_precision == "float32"
    set_matmul_precision("tf32")
    dsa.load(finished / "run")
    assert read_matmul_precision() == "float32"
    run = tmp_path / "run"
    arguments = [str(finished / "small.yaml"), "--data-root", str(finished)]
    settings = ["--set", "training.matmul_precision=tf32", "training.steps=1"]
    assert scripts.train.main([*arguments, "--run", str(run), *settings]) == 0
    assert read_matmul_precision() == "tf32"
    assert '"matmul_precision": "tf32"' in (run / "environment.json").read_text()
