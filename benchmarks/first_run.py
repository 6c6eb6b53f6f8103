"""Duration of `make train` in a new clone, and size of the installation.

    python benchmarks/first_run.py [--out results/benchmarks/first_run.json]

Two parts are timed: the installation, including downloads and without pip's cache; and
training and evaluation, including their start-up.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import machine_load
import measuring

CHECKOUT = Path(__file__).resolve().parent.parent
PARTS = {"installing": ".venv/installed", "training": "train"}  # make target of each


def main():
    parser = measuring.make_parser(__doc__, rounds=1)
    options = parser.parse_args()
    load = machine_load.refuse_load(options.anyway)
    parts = {part: {"seconds": []} for part in PARTS}
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            clone = Path(folder, "clone")
            subprocess.run(["git", "clone", "-q", CHECKOUT, clone], check=True)
            for part, target in PARTS.items():
                parts[part]["seconds"].append(_time(target, clone))
            files = [path for path in (clone / ".venv").rglob("*") if path.is_file()]
            installed = sum(path.stat().st_size for path in files)
    measuring.report(__file__, options, load, parts, installed_bytes=installed)


def _time(target, clone):
    settings = {**os.environ, "PIP_NO_CACHE_DIR": "1", "PYTHONPATH": ""}
    began = time.perf_counter()
    subprocess.run(["make", target], cwd=clone, env=settings, check=True)
    return round(time.perf_counter() - began, 1)


if __name__ == "__main__":
    main()
