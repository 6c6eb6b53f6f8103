"""A job: a command that makes one thing."""

import dataclasses
import hashlib
import re
import shlex
from collections.abc import Callable
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Needs:
    """What a job needs of a machine.

    Args:
        cores: CPU cores; also how many threads it computes with.
        gpus: GPUs; half a GPU is one that two jobs share.
        memory: bytes; 0 if that is not known.
    """

    cores: int = 1
    gpus: float = 0
    memory: int = 0

    def describe(self) -> str:
        """Returns the needs in words, such as "2 cores and 1 GPU"."""
        parts = [f"{self.cores} core{'s' * (self.cores > 1)}"]
        parts += [f"{self.gpus:g} GPU{'s' * (self.gpus > 1)}"] * bool(self.gpus)
        parts += [f"{self.memory / 2**30:g} GB of memory"] * bool(self.memory)
        return " and ".join(parts)


@dataclasses.dataclass(frozen=True)
class Job:
    """A command that makes one thing, and resumes when it is run again.

    Args:
        name: what people call it.
        command: a tuple of texts, the arguments of the module.
        output: the path of what it makes.
        finished: a function without arguments: whether nothing is left to do.
        module: the Python module that is run; its first act must be `die_with_parent`.
    """

    name: str
    command: tuple[str, ...]
    output: Path
    finished: Callable[[], bool]
    module: str = "dsa.commands"

    @property
    def log_name(self) -> str:
        """The name of its log file, different for every command."""
        words = re.sub(r"[^A-Za-z0-9]+", "-", self.name).strip("-")[:80]
        text = shlex.join([self.module, *self.command])
        return f"{words}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.log"
