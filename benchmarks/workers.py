"""Rate of parallel training of small runs, compared with sequential training.

    python benchmarks/workers.py [--runs 8] [--steps 200] [--rounds 2] [--out FILE]

Sides: `dsa sweep` with DSA on the bundled corpus, one seed per run, with one worker
that uses all cores (`one_worker`), and with a single-threaded worker per core
(`workers`). `runs_per_minute` includes the start-up of the command. `busy_cores` is the
processor time of all processes divided by the wall time.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measuring

from dsa.jobs.job_process import count_cores

CONFIG = "configs/mini/dsa.yaml"
FIRST_SEED = 13


def train(workers, cores, runs, steps):
    """Trains the runs in a sweep and prints the figures as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "dsa", "sweep", CONFIG, "--data-root", "data"]
        command += ["--seeds", *(str(FIRST_SEED + number) for number in range(runs))]
        command += ["--runs", str(Path(folder, "runs")), "--workers", str(workers)]
        command += ["--cores", str(cores)]
        command += ["--set", f"training.steps={steps}"]
        command += [f"training.evaluate_every={steps}"]
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures = {
        "runs_per_minute": 60 * runs / seconds,
        "busy_cores": (used.ru_utime + used.ru_stime) / seconds,
        "ran_on": measuring.describe_process(),
    }
    print(json.dumps(figures))


def compare_rates(figures):
    rates = [figures[name]["runs_per_minute"] for name in ("workers", "one_worker")]
    return {"ratio_of_runs_per_minute": measuring.median_ratio(*rates)}


def main():
    parser = measuring.make_parser(__doc__, rounds=2)
    parser.add_argument("--runs", type=int, default=8, metavar="N")
    parser.add_argument("--steps", type=int, default=200, metavar="N")
    options = parser.parse_args()
    cores = count_cores()
    if options.side:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        sides = {"one_worker": (1, cores), "workers": (cores, 1)}
        return train(*sides[options.side], options.runs, options.steps)
    commands = measuring.make_commands(__file__, ("one_worker", "workers"))
    further = ["--runs", str(options.runs), "--steps", str(options.steps)]
    commands = {name: [*line, *further] for name, line in commands.items()}
    measuring.compare(__file__, options, commands, facts=compare_rates)


if __name__ == "__main__":
    main()
