"""Tests of the log line about the device, and of the warning about an unused card."""

import json
import logging
import subprocess
import sys
import types

import keras
import pytest

from dsa.backends import device_check, devices
from dsa.backends.device_check import (
    BackendStart,
    describe_devices,
    log_device,
    start_backend,
)
from dsa.errors import InputError
from tests.support.runs import write_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too
BACKEND = keras.backend.backend()
GTX = "NVIDIA GeForce GTX 1080 Ti"
REASON = "Cannot dlopen some GPU libraries"


@pytest.fixture
def card(tmp_path, monkeypatch):
    """A machine with a device file of an NVIDIA card, and without `nvidia-smi`."""
    (tmp_path / "nvidia0").touch()
    monkeypatch.setattr(device_check, "CARD_FILES", f"{tmp_path}/nvidia[0-9]*")
    monkeypatch.setattr(device_check, "list_cards", dict)
    monkeypatch.setattr(devices, "list_device_names", lambda: ("CPU", ["a processor"]))
    facts = ("3", "2.21", "CPU", ["a processor"])
    monkeypatch.setattr(
        device_check, "start_backend", lambda: BackendStart(facts, [REASON])
    )
    return tmp_path / "nvidia0"


@pytest.fixture
def no_card(monkeypatch):
    monkeypatch.setattr(device_check, "CARD_FILES", "/nothing")
    monkeypatch.setattr(device_check, "list_cards", dict)
    monkeypatch.setattr(devices, "list_device_names", lambda: ("CPU", ["a processor"]))


@pytest.fixture
def lines(caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("dsa"), "propagate", True)
    caplog.set_level(logging.INFO, "dsa")
    return caplog


def test_the_device_is_logged(no_card, lines):
    log_device()
    (record,) = lines.records
    assert record.getMessage().startswith("device: CPU, a processor, ")
    assert "cores, " in record.getMessage() and "GB of memory" in record.getMessage()


def test_an_unused_card_is_a_warning_with_the_log_of_the_backend(card, lines):
    log_device()
    device, warning = lines.records
    assert device.getMessage().startswith("device: CPU") and device.levelname == "INFO"
    assert warning.levelname == "WARNING"
    assert warning.getMessage() == (
        f"this machine has an NVIDIA card ({card}), but {BACKEND} 2.21 detects no GPU "
        f"and computes on the CPU. log of {BACKEND}: {REASON}. See "
        "docs/scaling.md for the requirements of GPUs"
    )


def test_a_variable_that_can_hide_the_card_is_named(card, lines, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    log_device()
    assert "CPU. CUDA_VISIBLE_DEVICES=-1; " in lines.text


def test_a_required_gpu_that_is_missing_is_an_error(no_card):
    message = f"{BACKEND} detects no GPU, see docs/scaling.md"
    with pytest.raises(InputError, match=f"^'training.require_gpu': {message}$"):
        log_device(require_gpu=True)


def test_the_error_of_a_required_gpu_names_the_unused_card(card):
    with pytest.raises(InputError, match=f"require_gpu': this machine .*{REASON}"):
        log_device(require_gpu=True)


def test_gpus_are_logged_with_their_number_and_memory(card, monkeypatch, lines):
    monkeypatch.setattr(device_check, "list_cards", lambda: {GTX: 11264 * 2**20})
    monkeypatch.setattr(devices, "list_device_names", lambda: ("GPU", [GTX, GTX]))
    log_device(require_gpu=True)
    (record,) = lines.records
    assert record.getMessage() == f"device: 2 GPUs, {GTX}, 11.0 GB of memory"
    assert describe_devices("TPU", ["TPU v4"]) == "1 TPU, TPU v4"


def test_cards_are_read_from_nvidia_smi(monkeypatch):
    def run(command, **options):
        assert command[0] == "nvidia-smi"
        return subprocess.CompletedProcess(command, 0, f"{GTX}, 11264\nA100, [N/A]\n")

    monkeypatch.setattr(subprocess, "run", run)
    assert device_check.list_cards() == {GTX: 11264 * 2**20}


def test_the_backend_lists_its_devices_in_a_separate_process():
    start = start_backend()
    assert start.description[:2] == (
        keras.__version__,
        sys.modules[BACKEND].__version__,
    )
    assert tuple(start.description[2:]) == devices.list_device_names()
    if BACKEND == "tensorflow" and start.description[2] == "CPU":
        assert any("GPU will not be used" in line for line in start.lines)
    assert not any(".cc:" in line for line in start.lines)


def test_only_log_lines_about_gpus_are_kept(monkeypatch):
    lines = (
        "2026-11-24 22:02:10.1: I a/tsl/cuda/cudart_stub.cc:32] Could not find cuda",
        "E0000 00:00:1.2 3 cuda_dnn.cc:84] Unable to register cuDNN factory: twice",
        "I0000 00:00:1.2 3 cudart_stub.cc:31] Could not find cuda.",
        "WARNING:2026-11-24 22:02:10:jax._src.xla_bridge:864: An NVIDIA GPU may be",
        "I0000 00:00:1.2 3 port.cc:153] oneDNN custom operations are on.",
    )
    facts = ["3.15", "2.21", "CPU", ["a processor"]]

    def run(command, env, **options):
        assert env["TF_CPP_MIN_LOG_LEVEL"] == "0"
        return subprocess.CompletedProcess([], 0, json.dumps(facts), "\n".join(lines))

    monkeypatch.setattr(subprocess, "run", run)
    expected = ["Could not find cuda", "An NVIDIA GPU may be"]
    assert start_backend() == (tuple(facts), expected)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("import sys; sys.exit('reason\\n')", "reason"),
        ("import os; os._exit(3)", "its process exited with 3"),
        ("import time; time.sleep(9)", "it did not start within 1 seconds"),
    ],
)
def test_a_failed_start_is_described_in_one_line(monkeypatch, code, line):
    monkeypatch.setattr(device_check, "START_SCRIPT", code)
    monkeypatch.setattr(device_check, "TIMEOUT", 1)
    assert start_backend() == (None, [line])


def test_all_gpus_of_pytorch_are_listed(monkeypatch):
    cuda = types.SimpleNamespace(
        is_available=lambda: True,
        device_count=lambda: 2,
        get_device_name=lambda number: ("GTX", "RTX")[number],
    )
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(keras.backend, "backend", lambda: "torch")
    assert devices.list_device_names() == ("GPU", ["GTX", "RTX"])
    assert devices.get_device_name() == "GTX"


def test_a_missing_required_gpu_ends_a_training_without_a_run(
    tmp_path, scripts, capsys, no_card
):
    config = write_experiment(tmp_path, training={"require_gpu": True})
    run = tmp_path / "run"
    arguments = [str(config), "--data-root", str(tmp_path), "--run", str(run)]
    assert scripts.train.main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: 'training.require_gpu': ")
    assert error.count("\n") == 1 and not run.exists()
