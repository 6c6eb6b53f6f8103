"""Hardware, software and commit of a measurement, without paths and host names."""

import datetime
import os
import platform
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

PROCESSOR_FILE = Path("/proc/cpuinfo")
MEMORY_FILE = Path("/proc/meminfo")
MEMORY_LIMIT_FILES = (  # of a container on Linux
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)

# Vector and matrix instructions, by their names in Linux. They affect the speed and the
# last digits of products.
VECTOR_EXTENSIONS = (
    "avx2 fma avx512f avx512_vnni avx512_bf16 avx512_fp16 amx_bf16 amx_int8 "
    "asimd sve sve2"
).split()


def machine() -> dict[str, Any]:
    """Returns a dictionary with the processor, the system, and the versions of Python
    and NumPy.

    Cloud machines hide the full name of a processor. It is identified by the vendor,
    family and model that Linux reports.
    """
    import numpy as np

    return {
        "processor": processor(),
        "processor_vendor": _read_processor_field("vendor_id") or None,
        "processor_family": _read_processor_field("cpu family") or None,
        "processor_model": _read_processor_field("model") or None,
        "vector_extensions": vector_extensions(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def commit() -> dict[str, Any]:
    """Returns the commit of the code, and whether files have changed since the commit.

    Changes below `results/` are ignored. Both values are `None` outside a checkout.
    """
    folder = Path(__file__).parent

    def git(*arguments):
        return subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        tracked = git("ls-files", "--error-unmatch", Path(__file__).name)
        changes = git(
            "status", "--porcelain", "--untracked-files=no", ":(top,exclude)results"
        )
        return {
            "commit": git("rev-parse", "HEAD") if tracked else None,
            "uncommitted_changes": bool(changes),
        }
    except (OSError, subprocess.CalledProcessError):
        return {"commit": None, "uncommitted_changes": None}


def now() -> str:
    """Returns the date and time in UTC as ISO 8601, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def peak_memory() -> int:
    """Returns the peak memory of this process, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def measure_memory() -> int | None:
    """Returns the memory of this machine or container in bytes, or `None` if it is
    unknown."""
    try:
        sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (AttributeError, ValueError, OSError):
        return None
    for file in MEMORY_LIMIT_FILES:
        try:
            sizes.append(int(file.read_text()))
        except (OSError, ValueError):  # no such file, or "max"
            pass
    return min(size for size in sizes if size > 0)


def available_memory() -> int | None:
    """Returns the available memory in bytes, at most the limit of the container, or
    `None` if it is unknown."""
    try:
        free = re.search(r"MemAvailable: +(\d+) kB", MEMORY_FILE.read_text())
    except OSError:
        return None
    if free is None:
        return None
    available = 1024 * int(free[1])
    total = measure_memory()
    return available if total is None else min(available, total)


def processor() -> str:
    """Returns the name of the processor."""
    return _read_processor_field("model name") or (
        platform.processor() or platform.machine()
    )


def vector_extensions() -> list[str]:
    """Returns the `VECTOR_EXTENSIONS` of the processor, as reported by Linux."""
    flags = _read_processor_field("flags") or _read_processor_field("Features")
    return [name for name in VECTOR_EXTENSIONS if name in flags.split()]


def _read_processor_field(name):
    """Returns a field of the first core in `/proc/cpuinfo`, or "" if it is missing."""
    try:
        for line in PROCESSOR_FILE.read_text().splitlines():
            field, _, value = line.partition(":")
            if field.strip() == name:
                return value.strip()
    except OSError:
        pass
    return ""
