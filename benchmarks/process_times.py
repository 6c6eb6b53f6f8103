"""Wall time and memory of commands, measured as whole processes.

    python benchmarks/process_times.py [--rounds 5] [--against CHECKOUT] [--out FILE]

Each measurement is a new process; the commands alternate:

    help           `dsa --help`
    import         `import dsa`
    keras          `import keras`
    keras by dsa   the same after `dsa.load`, which hides optional packages from Keras
    packages       import of NumPy, onnxruntime, pydantic and PyYAML
    predict        `dsa predict snli PREMISE HYPOTHESIS`
    predict keras  the same with `--runtime keras`
    encode         `dsa encode snli` of `--sentences` sentences
    encode keras   the same with `--runtime keras`

With `--against`, each command also runs from another checkout, right after the
measurement of this one; commands that the other checkout lacks must be left out by
`--sides`. The record has the ratio of the seconds, round by round.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine_load
import measuring

ROOT = Path(__file__).parents[1]
PAIR = ["A man sleeps on a bench.", "Somebody is awake."]
KERAS = ["--runtime", "keras"]


def list_commands(folder):
    """Returns `{side: arguments of Python}`; output files are written to the folder."""
    predict = ["-m", "dsa", "predict", "snli", *PAIR]
    sentences, vectors = f"{folder}/sentences.txt", f"{folder}/vectors.npy"
    files = ["--file", sentences, "--out", vectors, "--force"]
    encode = ["-m", "dsa", "encode", "snli", *files]
    return {
        "help": ["-m", "dsa", "--help"],
        "import": ["-c", "import dsa"],
        "keras": ["-c", "import keras"],
        "keras by dsa": ["-c", "import dsa; dsa.load; import keras"],
        "packages": ["-c", "import numpy, onnxruntime, pydantic, yaml"],
        "predict": predict,
        "predict keras": [*predict, *KERAS],
        "encode": encode,
        "encode keras": [*encode, *KERAS],
    }


def write_sentences(path, corpus, number):
    """Writes the first distinct sentences of an SNLI file, one per line."""
    from dsa.data.corpora.catalogue import get_corpus

    examples = get_corpus("snli").read_examples(corpus)
    distinct = {}
    for example in examples:
        distinct.update(dict.fromkeys(example.texts))
        if len(distinct) >= number:
            break
    else:
        raise SystemExit(f"The corpus contains only {len(distinct)} sentences.")
    Path(path).write_text("\n".join(list(distinct)[:number]) + "\n", encoding="utf-8")


def measure(arguments, checkout, settings):
    """Runs Python with the package of a checkout.

    Returns: wall seconds, and peak resident memory in bytes.
    """
    # `-P` keeps the working directory from `sys.path`, so PYTHONPATH decides.
    command = [sys.executable, "-P", *arguments]
    settings = {**settings, "PYTHONPATH": str(checkout)}
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, env=settings, stdout=output, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        if status:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)}: {output.read().decode()}")
    return seconds, 1024 * usage.ru_maxrss


def run_rounds(commands, checkouts, settings, rounds):
    """Measures every command in every checkout, once per round.

    Returns: `{side: {"wall_seconds": list, "peak_memory_bytes": list}}`.
    """
    figures = {}
    for turn in range(rounds):
        for side, arguments in commands.items():
            for suffix, checkout in checkouts.items():
                seconds, memory = measure(arguments, checkout, settings)
                name = side + suffix
                print(f"{turn + 1} of {rounds}, {name}: {seconds:.2f} s", flush=True)
                lists = figures.setdefault(
                    name, {"wall_seconds": [], "peak_memory_bytes": []}
                )
                lists["wall_seconds"].append(round(seconds, 3))
                lists["peak_memory_bytes"].append(memory)
    return figures


def list_ratios(figures, checkouts):
    """Returns `{side: ratio}` of this checkout's seconds to the other's."""
    if len(checkouts) == 1:
        return {}
    ratios = {}
    for side in figures:
        if side.endswith(", before"):
            continue
        after = figures[side]["wall_seconds"]
        before = figures[f"{side}, before"]["wall_seconds"]
        ratios[side] = measuring.describe_spread(measuring.list_ratios(after, before))
    return {"ratios": ratios}


def main():
    parser = measuring.make_parser(__doc__)
    parser.add_argument("--against", help="folder of a checkout of another commit")
    parser.add_argument("--sides", nargs="+", help="commands to run (all)")
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--corpus", type=Path, help="SNLI file of the sentences")
    options = parser.parse_args()
    load = machine_load.refuse_load(options.anyway)
    checkouts = {"": ROOT}
    if options.against:
        checkouts[", before"] = Path(options.against).resolve()
    with tempfile.TemporaryDirectory() as folder:
        commands = list_commands(folder)
        sides = options.sides or list(commands)
        if any(side.startswith("encode") for side in sides):
            corpus = options.corpus or measuring.find_corpus()
            write_sentences(f"{folder}/sentences.txt", corpus, options.sentences)
        settings = {
            **os.environ,
            "DSA_CACHE": f"{folder}/cache",
            "TF_CPP_MIN_LOG_LEVEL": "3",
        }
        commands = {side: commands[side] for side in sides}
        for side in sides:
            if not side.startswith("encode"):
                for checkout in checkouts.values():  # files are read from the disk
                    measure(commands[side], checkout, settings)
        figures = run_rounds(commands, checkouts, settings, options.rounds)
    measuring.report(
        __file__, options, load, figures, **list_ratios(figures, checkouts)
    )


if __name__ == "__main__":
    main()
