"""Jobs: commands with one output, and their resources."""

import dataclasses
import hashlib
import re
import shlex
from collections.abc import Callable
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Needs:
    """Resources required by a job.

    Args:
        cores: number of CPU cores and threads.
        gpus: number of GPUs; with 0.5, two jobs share a GPU.
        memory: memory in bytes; 0 if it is unknown.
    """

    cores: int = 1
    gpus: float = 0
    memory: int = 0

    def describe(self) -> str:
        """Returns the resources as text, such as "2 cores and 1 GPU"."""
        parts = ["1 core" if self.cores == 1 else f"{self.cores} cores"]
        if self.gpus:
            unit = "GPUs" if self.gpus > 1 else "GPU"
            parts.append(f"{self.gpus:g} {unit}")
        if self.memory:
            parts.append(f"{self.memory / 2**30:g} GB of memory")
        return " and ".join(parts)


@dataclasses.dataclass(frozen=True)
class Job:
    """A command that writes an output. Running it again resumes an interrupted run.

    Args:
        name: name of the job in log lines.
        command: command-line arguments of the module.
        output: path of the output.
        finished: function that returns whether the output is complete.
        module: Python module to run, which must call `die_with_parent` first.
        seconds: estimated duration in seconds; `None` if it is unknown.
        needs_device: whether the job computes on a GPU if this machine has one.
    """

    name: str
    command: tuple[str, ...]
    output: Path
    finished: Callable[[], bool]
    module: str = "dsa.commands"
    seconds: float | None = None
    needs_device: bool = True

    @property
    def log_name(self) -> str:
        """Name of the log file, unique for each command."""
        words = re.sub(r"[^A-Za-z0-9]+", "-", self.name).strip("-")[:80]
        text = shlex.join([self.module, *self.command])
        return f"{words}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.log"
