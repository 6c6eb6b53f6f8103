"""Where and with what a number was measured; no path and no host name."""

import datetime
import os
import platform
import resource
import subprocess
import sys
from pathlib import Path


def machine():
    """Processor, system, Python and NumPy."""
    import numpy as np

    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def commit():
    """The commit of the code, and whether its files are not as committed; measured
    numbers under `results/` do not count."""
    here = Path(__file__).parent

    def git(*arguments):
        return subprocess.run(
            ["git", *arguments], cwd=here, capture_output=True, text=True, check=True
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


def now():
    """The date and time, UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def peak_memory():
    """The most memory this process has held, in bytes (main memory, not the GPU's)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def processor():
    """The processor's name."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
