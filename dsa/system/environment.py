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

# vector and matrix instructions, by their names in Linux; they affect the speed and the
# rounding of matrix products
VECTOR_EXTENSIONS = (
    "avx2 fma avx512f avx512_vnni avx512_bf16 avx512_fp16 amx_bf16 amx_int8 "
    "asimd sve sve2"
).split()


def describe_machine() -> dict[str, Any]:
    """Returns the processor, the system, and the versions of Python and NumPy.

    Cloud machines hide the full name of the processor. The vendor, family and model
    that Linux reports identify it.
    """
    import numpy as np

    return {
        "processor": get_processor_name(),
        "processor_vendor": _read_processor_field("vendor_id") or None,
        "processor_family": _read_processor_field("cpu family") or None,
        "processor_model": _read_processor_field("model") or None,
        "vector_extensions": list_vector_extensions(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def describe_commit() -> dict[str, Any]:
    """Returns the commit of the checkout, and whether files have uncommitted changes.

    Changes below `results/` are ignored.

    Returns: a dictionary with the keys `commit` and `uncommitted_changes`; both values
        are `None` outside a checkout.
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


def get_timestamp() -> str:
    """Returns the date and time in UTC as ISO 8601, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def measure_peak_memory() -> int:
    """Returns the peak memory of this process, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if sys.platform == "darwin":
        return peak
    return 1024 * peak  # other systems report kilobytes


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


def measure_available_memory() -> int | None:
    """Returns the available memory in bytes, or `None` if it is unknown.

    The result is at most the memory limit of the container.
    """
    try:
        match = re.search(r"MemAvailable: +(\d+) kB", MEMORY_FILE.read_text())
    except OSError:
        return None
    if match is None:
        return None
    available = 1024 * int(match[1])
    total = measure_memory()
    if total is None:
        return available
    return min(available, total)


def get_processor_name() -> str:
    """Returns the name of the processor."""
    return _read_processor_field("model name") or (
        platform.processor() or platform.machine()
    )


def list_vector_extensions() -> list[str]:
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
