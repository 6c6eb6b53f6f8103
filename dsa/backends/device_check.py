"""Logs the device of a job, and explains why the backend does not use a GPU.

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

from dsa.backends.choice import choose_backend
from dsa.errors import InputError
from dsa.system.environment import measure_memory
from dsa.system.python_path import make_python_path
from dsa.system.terminal import announce

CARD_FILES = "/dev/nvidia[0-9]*"
QUERY = ("--query-gpu=name,memory.total", "--format=csv,noheader,nounits")
SECONDS = 120  # timeout of a start
MAX_LINES = 4
VARIABLES = ("CUDA_VISIBLE_DEVICES", "JAX_PLATFORMS")  # can hide a GPU
# time, level, file and line number at the start of a backend's log lines
PREFIX = re.compile(r"^.*?\.(?:cc|py):\d+\] |^\w+:.*?:\d+: ")
ABOUT_GPUS = re.compile(  # except for lines that also occur with a working GPU
    r"(?!Unable to register).*(cuda|cudnn|nvidia|libcu|dlopen|\bGPU)", re.IGNORECASE
)
START = """
import json, sys
import keras
from dsa.backends.devices import find_devices
version = sys.modules[keras.backend.backend()].__version__
print(json.dumps([keras.__version__, version, *find_devices()]))
"""
log = logging.getLogger(__name__)


class Start(NamedTuple):
    """Result of starting the backend in a separate process.

    Attributes:
        facts: versions of Keras and of the backend, kind and names of the devices;
            `None` after a failed start.
        lines: log lines about GPUs; after a failed start, the last line.
    """

    facts: tuple[str, str, str, list[str]] | None
    lines: list[str]


def log_device(require_gpu: bool = False) -> None:
    """Logs the device of this process, and warns about an unused NVIDIA card.

    Raises: `InputError` if `require_gpu` is set and the backend detects no GPU.
    """
    from dsa.backends.devices import find_devices

    kind, names = find_devices()
    log.info("device: %s", describe_devices(kind, names))
    if kind != "CPU":
        return
    unused = explain_unused_card()
    if require_gpu:
        unused = unused or f"{choose_backend()} detects no GPU, see docs/scaling.md"
        raise InputError(f"'training.require_gpu': {unused}")
    if unused:
        log.warning("%s", unused)


def describe_devices(kind: str, names: Sequence[str]) -> str:
    """Returns a text with kind, names and memory of the devices of `find_devices`."""
    if kind == "CPU":
        memory = measure_memory()
        size = f", {format_size(memory)} of memory" if memory else ""
        return f"CPU, {names[0]}, {os.cpu_count()} cores{size}"
    memory = list_cards()
    sizes = {name: f", {format_size(memory[name])} of memory" for name in memory}
    count = f"1 {kind}" if len(names) == 1 else f"{len(names)} {kind}s"
    distinct = dict.fromkeys(names)
    return f"{count}, {'; '.join(name + sizes.get(name, '') for name in distinct)}"


def format_size(size: int) -> str:
    """Returns a number of bytes as a text in GB."""
    return f"{size / 2**30:.1f} GB"


def list_cards() -> dict[str, int]:
    """Returns the memory of each NVIDIA card in bytes, by name, from `nvidia-smi`;
    empty if `nvidia-smi` fails or is missing."""
    try:
        completed = subprocess.run(
            ["nvidia-smi", *QUERY], capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = [line.rpartition(", ") for line in completed.stdout.splitlines()]
    return {name: int(mib) * 2**20 for name, _, mib in rows if mib.isdecimal()}


def explain_unused_card(start: Start | None = None) -> str | None:
    """Returns a message about an NVIDIA card that the backend does not detect.

    Args:
        start: result of `start_backend`; by default the backend is started here.

    Returns: a message with the card and the log lines of the backend, or `None` for a
        machine without a card.
    """
    cards = [*sorted(glob.glob(CARD_FILES)), *list_cards()]
    if not cards:
        return None
    start = start or start_backend()
    backend, version = choose_backend(), f" {start.facts[1]}" if start.facts else ""
    reasons = [f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ]
    if start.lines:
        reasons.append(f"log of {backend}: {'; '.join(start.lines)}")
    return (
        f"this machine has an NVIDIA card ({', '.join(cards)}), but {backend}{version} "
        "detects no GPU and computes on the CPU. "
        f"{'; '.join(reasons) or f'{backend} logs no reason'}. "
        "Requirements for GPUs: docs/scaling.md"
    )


def start_backend() -> Start:
    """Starts the backend in a separate process, and collects its log lines.

    In this process, `keras_import` hides the log lines.
    """
    announce("starting the backend to list its devices")
    env = {"TF_CPP_MIN_LOG_LEVEL": "0", "PYTHONPATH": make_python_path()}
    try:
        completed = subprocess.run(
            [sys.executable, "-c", START],
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return Start(None, [f"it did not start within {SECONDS} seconds"])
    lines = [PREFIX.sub("", line).strip(" .") for line in completed.stderr.splitlines()]
    if completed.returncode:
        ended = f"its process exited with {completed.returncode}"
        return Start(None, [line for line in lines if line][-1:] or [ended])
    facts: Any = json.loads(completed.stdout.splitlines()[-1])
    distinct = dict.fromkeys(filter(ABOUT_GPUS.match, lines))
    return Start(tuple(facts), list(distinct)[:MAX_LINES])
