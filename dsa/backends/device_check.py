"""Logs the devices of a process, and explains why the backend does not use a GPU.

Importing this module does not import a backend.
"""

import glob
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from dsa.backends.choice import get_backend_name
from dsa.errors import InputError
from dsa.system.environment import measure_memory
from dsa.system.python_path import make_python_path
from dsa.system.terminal import announce

CARD_FILES = "/dev/nvidia[0-9]*"
QUERY = ("--query-gpu=name,memory.total", "--format=csv,noheader,nounits")
TIMEOUT = 120  # seconds until a process is killed
MAX_LINES = 4  # maximum number of log lines in a message
HIDING_VARIABLES = ("CUDA_VISIBLE_DEVICES", "JAX_PLATFORMS")  # can hide a GPU
# time, level, file and line number at the start of a log line
LOG_PREFIX = re.compile(r"^.*?\.(?:cc|py):\d+\] |^\w+:.*?:\d+: ")
# log lines about GPUs, except lines that also occur with a working GPU
GPU_LINE = re.compile(
    r"(?!Unable to register).*(cuda|cudnn|nvidia|libcu|dlopen|\bGPU)", re.IGNORECASE
)
START_SCRIPT = """
import json, sys
import keras
from dsa.backends.devices import list_device_names
version = sys.modules[keras.backend.backend()].__version__
print(json.dumps([keras.__version__, version, *list_device_names()]))
"""
log = logging.getLogger(__name__)


class BackendStart(NamedTuple):
    """Result of starting the backend in a separate process.

    Attributes:
        description: tuple of the versions of Keras and of the backend, the kind of the
            devices and a list of their names; `None` after a failed start.
        lines: log lines about GPUs; after a failed start, the last log line.
    """

    description: tuple[str, str, str, list[str]] | None
    lines: list[str]


def log_device(require_gpu: bool = False) -> None:
    """Logs the device of this process, and warns about an unused NVIDIA card.

    Args:
        require_gpu: whether to raise an error if the backend detects no GPU.

    Raises: `InputError` if a required GPU is missing.
    """
    from dsa.backends.devices import list_device_names

    kind, names = list_device_names()
    log.info("device: %s", describe_devices(kind, names))
    if kind != "CPU":
        return
    explanation = explain_unused_card()
    if require_gpu:
        if explanation is None:
            explanation = f"{get_backend_name()} detects no GPU, see docs/scaling.md"
        raise InputError(f"'training.require_gpu': {explanation}")
    if explanation is not None:
        log.warning("%s", explanation)


def describe_devices(kind: str, names: Sequence[str]) -> str:
    """Describes the kind, number, names and memory of devices in one line.

    Args:
        kind: "GPU", "TPU" or "CPU".
        names: model names of the devices, see `list_device_names`.
    """
    if kind == "CPU":
        text = f"CPU, {names[0]}, {os.cpu_count()} cores"
        memory = measure_memory()
        if memory:
            text += f", {format_size(memory)} of memory"
        return text
    cards = list_cards()
    descriptions = []
    for name in dict.fromkeys(names):
        if name in cards:
            name = f"{name}, {format_size(cards[name])} of memory"
        descriptions.append(name)
    plural = "" if len(names) == 1 else "s"
    return f"{len(names)} {kind}{plural}, {'; '.join(descriptions)}"


def format_size(size: int) -> str:
    """Formats a number of bytes in GB."""
    return f"{size / 2**30:.1f} GB"


def list_cards() -> dict[str, int]:
    """Returns the memory of the NVIDIA cards, `{name: bytes}`, from `nvidia-smi`.

    The dictionary is empty if `nvidia-smi` fails or is missing.
    """
    try:
        completed = subprocess.run(
            ["nvidia-smi", *QUERY], capture_output=True, text=True, timeout=TIMEOUT
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = [line.rpartition(", ") for line in completed.stdout.splitlines()]
    return {name: int(mib) * 2**20 for name, _, mib in rows if mib.isdecimal()}


def explain_unused_card(backend_start: BackendStart | None = None) -> str | None:
    """Explains why the backend does not detect an NVIDIA card.

    Args:
        backend_start: result of `start_backend`; `None` to start the backend.

    Returns: a message with the card and the log lines of the backend; `None` if the
        machine has no card.
    """
    cards = [*sorted(glob.glob(CARD_FILES)), *list_cards()]
    if not cards:
        return None
    if backend_start is None:
        backend_start = start_backend()
    backend = get_backend_name()
    reasons = [
        f"{name}={os.environ[name]}" for name in HIDING_VARIABLES if name in os.environ
    ]
    if backend_start.lines:
        reasons.append(f"log of {backend}: {'; '.join(backend_start.lines)}")
    if not reasons:
        reasons.append(f"the log of {backend} contains no reason")
    name = backend
    if backend_start.description is not None:
        name = f"{backend} {backend_start.description[1]}"
    return (
        f"this machine has an NVIDIA card ({', '.join(cards)}), but {name} detects no "
        f"GPU and computes on the CPU. {'; '.join(reasons)}. See docs/scaling.md for "
        "the requirements of GPUs"
    )


def start_backend() -> BackendStart:
    """Starts the backend in a separate process, and collects its log lines.

    In the current process, `keras_import` hides the log lines.
    """
    announce("starting the backend to list its devices")
    env = {"TF_CPP_MIN_LOG_LEVEL": "0", "PYTHONPATH": make_python_path()}
    try:
        completed = subprocess.run(
            [sys.executable, "-c", START_SCRIPT],
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return BackendStart(None, [f"it did not start within {TIMEOUT} seconds"])
    lines = [
        LOG_PREFIX.sub("", line).strip(" .") for line in completed.stderr.splitlines()
    ]
    if completed.returncode:
        reasons = [line for line in lines if line]
        if not reasons:
            reasons = [f"its process exited with {completed.returncode}"]
        return BackendStart(None, reasons[-1:])
    description: Any = json.loads(completed.stdout.splitlines()[-1])
    gpu_lines = [line for line in lines if GPU_LINE.match(line)]
    distinct_lines = list(dict.fromkeys(gpu_lines))
    return BackendStart(tuple(description), distinct_lines[:MAX_LINES])
