"""How the benchmarks measure: sides in processes of their own, in turn.

A side is a command that prints one line of JSON last, its figures. What the process
itself cannot see, wall time with start-up and the memory of all its processes, is
measured from outside.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from dsa import environment
from dsa.storage.atomic_files import write_atomically

CORPORA = ("snli_1.0/snli_1.0_train.jsonl", "mini/train.jsonl")
LOAD_LIMIT = 0.5  # cores at work before the benchmark, mean of LOAD_SECONDS
LOAD_SECONDS = 5
PATIENCE = 60  # seconds to wait for a machine that is at work
SECONDS_BETWEEN_SAMPLES = 0.1


def arguments(description, rounds=5):
    """The parser that all benchmarks share."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=rounds, help="runs of each side")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    parser.add_argument(
        "--anyway", action="store_true", help="measure on a loaded machine too"
    )
    parser.add_argument("--side", help=argparse.SUPPRESS)  # one side, in this process
    return parser


def refuse_load(anyway=False):
    """Stop with exit code 2 if others use the machine; how many cores they use."""
    patient_until = time.monotonic() + (0 if anyway else PATIENCE)
    while (load := cores_at_work()) > LOAD_LIMIT:
        if time.monotonic() > patient_until:
            break
    if load > LOAD_LIMIT and not anyway:
        print(
            f"The machine is loaded: {load:.2f} cores are at work, the limit is "
            f"{LOAD_LIMIT}. Wait, or measure --anyway.",
            file=sys.stderr,
        )
        raise SystemExit(2)
    return load


def cores_at_work(seconds=LOAD_SECONDS):
    """Cores at work, the mean of so many seconds; the load average where /proc does
    not say. Time that a virtual machine waited for its cores counts as work of others.
    """
    try:
        before = _core_ticks()
        time.sleep(seconds)
        pairs = zip(_core_ticks(), before, strict=True)
        work, idle = (now - then for now, then in pairs)
        return os.cpu_count() * work / (work + idle)
    except (OSError, ValueError, ZeroDivisionError):
        return os.getloadavg()[0]


def _core_ticks():
    """What all cores together have worked and been idle."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    user, nice, system, idle, waiting, *others = map(int, fields)
    return user + nice + system + sum(others), idle + waiting


def corpus_at_hand():
    """SNLI's training file below the data root, else the bundled corpus's."""
    from dsa.data.corpora.files import find_file
    from dsa.errors import InputError
    from dsa.storage.folders import data_root

    for candidate in CORPORA:
        try:
            return find_file(data_root(), candidate)
        except InputError:
            continue
    raise SystemExit(f"None of {', '.join(CORPORA)} below the data root.")


def ran_on():
    """What this process measured with, for `ran_on` of its figures."""
    from dsa.backends.description import describe

    known = describe()
    names = ("keras", "backend", "backend_version", "device")
    return {name: known[name] for name in names} | {"corpus": corpus_at_hand().name}


def in_turn(commands, rounds, settings=None):
    """Run each side `rounds` times, all sides in turn.

    Args:
        commands: name -> command, a list.
        rounds: how often.
        settings: name -> additional environment variables.

    Returns: name -> figure -> list of values, one a round. `wall_seconds` and
        `peak_memory_bytes` (resident, all processes of the side) belong to each;
        `ran_on` is no list.
    """
    figures = {name: {} for name in commands}
    for turn in range(rounds):
        for name, command in commands.items():
            found = _run(command, (settings or {}).get(name, {}))
            if "ran_on" in found:
                figures[name]["ran_on"] = found.pop("ran_on")
            for figure, value in found.items():
                figures[name].setdefault(figure, []).append(value)
            shown = ", ".join(
                f"{figure} {value:,.4g}" for figure, value in found.items()
            )
            print(f"round {turn + 1} of {rounds}, {name}: {shown}", flush=True)
    return figures


def compare(script, options, commands, settings=None, facts=lambda figures: {}):
    """Measure sides of Keras models in turn, on an idle machine, and report them;
    `facts` makes more of the figures."""
    load = refuse_load(options.anyway)
    figures = in_turn(commands, options.rounds, settings)
    report(script, options, load, figures, **facts(figures))


def device_memory():
    """The most bytes that this process held on an accelerator, where JAX tells."""
    import keras

    if keras.backend.backend() != "jax":
        return {}
    import jax

    known = jax.local_devices()[0].memory_stats() or {}
    peak = known.get("peak_bytes_in_use")
    return {} if peak is None else {"peak_device_memory_bytes": peak}


def sides(script, names):
    """The commands of a benchmark's sides."""
    return {name: [sys.executable, script, "--side", name] for name in names}


def report(script, options, load, figures, **facts):
    """The record of a benchmark; printed, and written to `--out`."""
    record = {
        "benchmark": Path(script).name,
        "command": " ".join(["python", "benchmarks/" + Path(script).name, *_shown()]),
        "date": environment.now(),
        **environment.commit(),
        **environment.machine(),
        "cores_at_work_before": round(load, 2),
        "threads": os.environ.get("OMP_NUM_THREADS", "default"),
        "rounds": options.rounds,
        **facts,
        "figures": {
            side: {
                name: values if name == "ran_on" else _spread(values)
                for name, values in of_side.items()
            }
            for side, of_side in figures.items()
        },
    }
    text = json.dumps(record, indent=1) + "\n"
    print(text)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(options.out, text.encode())


def median_ratio(values, baseline):
    """Median of the ratios round by round: the machine's speed drifts."""
    pairs = zip(values, baseline, strict=True)
    return round(statistics.median(a / b for a, b in pairs), 4)


def _spread(values):
    return {
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
        "all": values,
    }


def _shown():
    """The arguments, without folders of this machine."""
    return [Path(each).name if "/" in each else each for each in sys.argv[1:]]


def _run(command, settings):
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **settings}
    )
    peak, output = 0, None
    while output is None:
        peak = max(peak, _memory(process.pid))
        try:
            output, _ = process.communicate(timeout=SECONDS_BETWEEN_SAMPLES)
        except subprocess.TimeoutExpired:
            pass
    wall = time.perf_counter() - began
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    figures = json.loads(output.splitlines()[-1])
    return {**figures, "wall_seconds": round(wall, 3), "peak_memory_bytes": peak}


def _memory(root):
    """Resident bytes of a process and all below it; 0 where there is no /proc."""
    parents, resident = {}, {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(
                line.split(":\t", 1) for line in status.read_text().splitlines()
            )
        except (OSError, ValueError):
            continue
        process = int(status.parent.name)
        parents[process] = int(fields["PPid"])
        resident[process] = 1024 * int(fields.get("VmRSS", "0 kB").split()[0])
    total = 0
    for process in parents:
        ancestor = process
        while ancestor not in (0, root):
            ancestor = parents.get(ancestor, 0)
        total += resident[process] if ancestor == root else 0
    return total
