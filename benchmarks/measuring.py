"""Measurement of alternating processes, shared by the benchmarks.

A side of a comparison is a command that prints its figures as JSON in its last line.
Its wall time including start-up, and the memory of all its processes, are measured by
the parent process.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import machine_load

from dsa.backends.keras_import import switch_on_onednn
from dsa.system import environment
from dsa.system.atomic_files import write_atomically

switch_on_onednn()  # before a side imports Keras

CORPORA = ("snli_1.0/snli_1.0_train.jsonl", "mini/train.jsonl")
SECONDS_BETWEEN_SAMPLES = 0.1


def make_parser(description, rounds=5):
    """Returns the argument parser shared by all benchmarks."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=rounds, help="runs of each side")
    parser.add_argument("--out", type=Path, help="write the record to this JSON file")
    parser.add_argument(
        "--name",
        help="add the record to --out under this name, or replace it",
    )
    parser.add_argument(
        "--anyway", action="store_true", help="measure on a loaded machine too"
    )
    parser.add_argument("--side", help=argparse.SUPPRESS)  # one side, in this process
    return parser


def add_settings(parser):
    """Adds the options that override settings of an experiment."""
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--batch-size", type=int)
    parser.add_argument(
        "--set", nargs="+", default=[], metavar="KEY=VALUE", help="other settings"
    )


def list_settings(options):
    """Returns the overrides from the options of `add_settings`, `"key.key=value"`."""
    settings = [f"training.precision={options.precision}"]
    if options.batch_size:
        settings.append(f"training.batch_size={options.batch_size}")
    return [*settings, *options.set]


def find_corpus():
    """Returns the path of the training file of SNLI, else of the bundled corpus."""
    from dsa.data.corpora.files import find_file
    from dsa.errors import InputError
    from dsa.system.folders import data_root

    for candidate in CORPORA:
        try:
            return find_file(data_root(), candidate)
        except InputError:
            continue
    raise SystemExit(f"The data root contains none of {', '.join(CORPORA)}.")


def describe_process():
    """Returns versions and device of this process, the figure `ran_on`."""
    from dsa.backends.description import describe_environment

    facts = describe_environment()
    names = ("keras", "backend", "backend_version", "device", "matmul_precision")
    return {name: facts[name] for name in names} | {"corpus": find_corpus().name}


def find_peak_device_memory():
    """Returns the peak memory of this process on a GPU or TPU in bytes; `None` for
    backends other than JAX."""
    import keras

    if keras.backend.backend() != "jax":
        return None
    import jax

    statistics = jax.local_devices()[0].memory_stats() or {}
    return statistics.get("peak_bytes_in_use")


def make_commands(script, names):
    """Returns `{name: command}` for the sides of a benchmark."""
    return {name: [sys.executable, script, "--side", name] for name in names}


def run_in_turn(commands, rounds, settings=None):
    """Runs all sides once per round.

    Args:
        commands: name -> command, a list.
        rounds: number of rounds.
        settings: name -> additional environment variables.

    Returns: name -> figure -> list of values, one for each round. Every side has
        `wall_seconds` and `peak_memory_bytes` (resident, all processes of the side).
        Only `ran_on` is not a list.
    """
    figures = {name: {} for name in commands}
    for turn in range(rounds):
        for name, command in commands.items():
            new_figures = _run(command, (settings or {}).get(name, {}))
            if "ran_on" in new_figures:
                figures[name]["ran_on"] = new_figures.pop("ran_on")
            _add_round(figures[name], new_figures, f"{turn + 1} of {rounds}, {name}")
    return figures


def run_alternately(commands, rounds):
    """Runs all sides once per round, with one process per side for all rounds.

    A side prepares its data once and prints a line of JSON, followed by a line of JSON
    per line of input. Every second round runs the sides in reverse order.

    Args:
        commands: name -> command, a list.
        rounds: number of rounds.

    Returns: as `run_in_turn`, without wall time and memory.
    """
    with contextlib.ExitStack() as processes:
        sides = {
            name: processes.enter_context(_Side(command))
            for name, command in commands.items()
        }
        figures = {name: side.read() for name, side in sides.items()}
        for turn in range(rounds):
            order = list(sides.items())
            if turn % 2:
                order.reverse()
            for name, side in order:
                new_figures = side.measure()
                title = f"{turn + 1} of {rounds}, {name}"
                _add_round(figures[name], new_figures, title)
    return figures


class _Side:
    """A process that prints a line of figures for each line of input."""

    def __init__(self, command):
        self.command = command

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *error):
        self.process.stdin.close()
        self.process.wait()

    def measure(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{' '.join(self.command)}: ended before its last round")
        return json.loads(line)


def _add_round(figures, new_figures, title):
    """Appends the figures of a round to the lists of a side, and prints them."""
    for figure, value in new_figures.items():
        figures.setdefault(figure, []).append(value)
    text = ", ".join(f"{key} {value:,.4g}" for key, value in new_figures.items())
    print(f"round {title}: {text}", flush=True)


def compare(script, options, commands, settings=None, facts=lambda figures: {}):
    """Runs all sides on an idle machine, and reports their figures.

    Args:
        script: file of the benchmark.
        options: parsed options of `make_parser`.
        commands: name -> command, a list.
        settings: name -> additional environment variables.
        facts: function of the figures that returns further entries of the record.
    """
    load = machine_load.refuse_load(options.anyway)
    figures = run_in_turn(commands, options.rounds, settings)
    report(script, options, load, figures, **facts(figures))


def compare_trainings(script, description, sides, run_side, facts, steps):
    """Runs the command line of a benchmark whose sides train in alternating processes.

    Args:
        script: file of the benchmark.
        description: its help text.
        sides: names of the sides.
        run_side: function of the name of a side, the number of steps, the overrides and
            an iterable with one item per round.
        facts: function of the figures that returns further entries of the record.
        steps: default number of steps per round and side.
    """
    parser = make_parser(description)
    parser.add_argument("--steps", type=int, default=steps, help="per round and side")
    add_settings(parser)
    options = parser.parse_args()
    if options.side:
        from dsa.experiment.yaml_file import parse_overrides

        overrides = parse_overrides(options.set)
        return run_side(options.side, options.steps, overrides, sys.stdin)
    load = machine_load.refuse_load(options.anyway)
    commands = make_commands(script, sides)
    for command in commands.values():
        command += ["--steps", str(options.steps)]
        command += ["--set", *list_settings(options)]
    figures = run_alternately(commands, options.rounds)
    return report(script, options, load, figures, **facts(figures))


def report(script, options, load, figures, **facts):
    """Prints the record of a benchmark, and writes it to the file of `--out`.

    Args:
        script: file of the benchmark.
        options: parsed options of `make_parser`.
        load: number of busy cores before the benchmark.
        figures: side -> figure -> list of values, as from `run_in_turn`.
        facts: further entries of the record.
    """
    record = {
        "benchmark": Path(script).name,
        "command": " ".join(
            ["python", "benchmarks/" + Path(script).name, *_hide_folders(sys.argv[1:])]
        ),
        "date": environment.get_timestamp(),
        **environment.describe_commit(),
        **environment.describe_machine(),
        "cores_at_work_before": round(load, 2),
        "threads": os.environ.get("OMP_NUM_THREADS", "default"),
        "rounds": options.rounds,
        **facts,
        "figures": {
            side: {
                name: values if name == "ran_on" else describe_spread(values)
                for name, values in side_figures.items()
            }
            for side, side_figures in figures.items()
        },
    }
    print(json.dumps(record, indent=1))
    if options.out:
        write_record(options.out, record, options.name)


def write_record(path, record, name=None):
    """Writes a record to a JSON file.

    Args:
        path: the file.
        record: figures and facts of a benchmark.
        name: name of the record in a file with several records; `None` for a file with
            a single record.
    """
    if name:
        records = json.loads(path.read_bytes()) if path.exists() else {}
        record = {**records, name: record}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(record, indent=1) + "\n").encode())


def list_ratios(values, baseline):
    """Returns the ratio of each round.

    Unlike a ratio of medians, these ratios do not include the drift of the machine.
    """
    return [a / b for a, b in zip(values, baseline, strict=True)]


def median_ratio(values, baseline):
    """Returns the median of the ratios of the rounds."""
    return round(statistics.median(list_ratios(values, baseline)), 4)


def describe_spread(values):
    """Returns median, minimum, maximum and all values."""
    return {
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
        "all": values,
    }


def _hide_folders(arguments):
    """Returns the arguments, with paths reduced to file names."""
    return [Path(text).name if "/" in text else text for text in arguments]


def _run(command, settings):
    """Runs a side and returns its figures with wall time and peak memory."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **settings}
    )
    peak, output = 0, None
    while output is None:
        peak = max(peak, machine_load.measure_memory(process.pid))
        try:
            output, _ = process.communicate(timeout=SECONDS_BETWEEN_SAMPLES)
        except subprocess.TimeoutExpired:
            pass
    wall = time.perf_counter() - began
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    figures = json.loads(output.splitlines()[-1])
    return {**figures, "wall_seconds": round(wall, 3), "peak_memory_bytes": peak}
