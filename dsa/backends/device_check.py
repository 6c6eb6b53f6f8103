"""Says which device a job computes on, and why a GPU that is there is not used.

Importing this module imports no backend.
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
SECONDS = 120  # that a start may take
MOST_LINES = 4
VARIABLES = ("CUDA_VISIBLE_DEVICES", "JAX_PLATFORMS")  # they can hide a GPU
# what a backend's lines begin with: time, level, file and line
PREFIX = re.compile(r"^.*?\.(?:cc|py):\d+\] |^\w+:.*?:\d+: ")
ABOUT_GPUS = re.compile(  # without what is written where a GPU is used too
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
    """How the backend starts in a process of its own."""

    facts: tuple[str, str, str, list[str]] | None  # versions of Keras and of the
    # backend, kind and names of the devices; `None` if it fails
    lines: list[str]  # what it writes about GPUs; if it fails, its last line


def log_device(require_gpu: bool = False) -> None:
    """Logs the device that this process computes on, and warns if this machine has an
    NVIDIA card and the backend sees none.

    Raises: `InputError` if the backend sees none and `require_gpu` is set.
    """
    from dsa.backends.devices import find_devices

    kind, names = find_devices()
    log.info("device: %s", describe_devices(kind, names))
    if kind != "CPU":
        return
    unused = explain_unused_card()
    if require_gpu:
        unused = unused or f"{choose_backend()} sees no GPU. docs/scaling.md tells more"
        raise InputError(f"'training.require_gpu': {unused}")
    if unused:
        log.warning("%s", unused)


def describe_devices(kind: str, names: Sequence[str]) -> str:
    """Returns in words what `find_devices` finds, and the memory."""
    if kind == "CPU":
        memory = measure_memory()
        size = f", {format_size(memory)} of memory" if memory else ""
        return f"CPU, {names[0]}, {os.cpu_count()} cores{size}"
    memory = list_cards()
    sizes = {name: f", {format_size(memory[name])} of memory" for name in memory}
    what = "; ".join(name + sizes.get(name, "") for name in dict.fromkeys(names))
    return f"{len(names)} {kind}{'s' * (len(names) > 1)}, {what}"


def format_size(size: int) -> str:
    """Returns a number of bytes in GB."""
    return f"{size / 2**30:.1f} GB"


def list_cards() -> dict[str, int]:
    """Returns the bytes of memory of NVIDIA's cards, by their names, as `nvidia-smi`
    tells; none where it fails or is missing."""
    try:
        done = subprocess.run(
            ["nvidia-smi", *QUERY], capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = [line.rpartition(", ") for line in done.stdout.splitlines()]
    return {name: int(mib) * 2**20 for name, _, mib in rows if mib.isdecimal()}


def explain_unused_card(start: Start | None = None) -> str | None:
    """Returns what shows that this machine has an NVIDIA card, and what the backend,
    which sees none, says when it starts; `None` if nothing shows a card."""
    found = [*sorted(glob.glob(CARD_FILES)), *list_cards()]
    if not found:
        return None
    start = start or start_backend()
    backend, version = choose_backend(), f" {start.facts[1]}" if start.facts else ""
    said = [f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ]
    if start.lines:
        said.append(f"{backend} says: {'; '.join(start.lines)}")
    return (
        f"this machine has an NVIDIA card ({', '.join(found)}), but {backend}{version} "
        f"sees no GPU and computes on the CPU. {'; '.join(said) or 'It says no reason'}"
        ". docs/scaling.md tells what a GPU needs"
    )


def start_backend() -> Start:
    """Starts the backend in another process, which may write what `quiet_start` hides
    here, and which may fail."""
    announce("asking the backend for its devices")
    env = {"TF_CPP_MIN_LOG_LEVEL": "0", "PYTHONPATH": make_python_path()}
    try:
        done = subprocess.run(
            [sys.executable, "-c", START],
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return Start(None, [f"it has not started in {SECONDS} seconds"])
    lines = [PREFIX.sub("", line).strip(" .") for line in done.stderr.splitlines()]
    if done.returncode:
        ended = f"its process ended with {done.returncode}"
        return Start(None, [line for line in lines if line][-1:] or [ended])
    facts: Any = json.loads(done.stdout.splitlines()[-1])
    told = dict.fromkeys(filter(ABOUT_GPUS.match, lines))
    return Start(tuple(facts), list(told)[:MOST_LINES])
