"""Rehearsal of a first training on all of SNLI with complete vectors: time of the
preparation, memory of each process, and resumption of a killed run.

    [DSA_DATA=<corpora>] python benchmarks/rehearsal.py [--folder FOLDER] [--zip]
      [--out FILE]

Generates a corpus of SNLI's size (549,367 labelled pairs, 785 rows without a label, and
a dev file of 9,842 and 158) and a vector file of 2.2 million lines of 300 numbers,
about 6 GB. Both are invented and the same each time: 42,000 words, spread over the
vector file, and the sentence lengths of the available SNLI file, else of the partial
file counted in `results/benchmarks/sentence_lengths.json`. Then it runs these
processes:

    prepare            the corpus from an empty cache, vocabulary and vectors, as
                       training does at its start
    prepare again      the same with the cache
    train until kill   `dsa train` of DSA for 500 steps, ended by kill -9 some seconds
                       after its first evaluation on dev and its first state
    resume             the same command again with --resume
    evaluate           `dsa evaluate` on dev

Memory is the peak resident memory of a process and its children, sampled every 0.1 s.
The exit code is 1 if a process had more than 6 GiB, or if the preparation took 4
minutes or more. The files are written to a new folder (`--folder`: below it), and
removed at the end. `--zip` zips the vector file, as GloVe's is.
"""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine_load
import measuring
import numpy as np

CONFIG = "configs/snli/dsa.yaml"
GIBIBYTE = 2**30
MAX_MEMORY = 6 * GIBIBYTE
MAX_SECONDS = 240  # to prepare
TRAIN, DEV, STATE = "train.jsonl", "dev.jsonl", "state/state.npz"


@dataclasses.dataclass(frozen=True)
class Size:
    """Size of a rehearsal.

    Args:
        pairs, unlabelled: of train, and `dev_pairs`, `dev_unlabelled` of dev.
        words: distinct words of the corpus.
        lines: of the vector file.
        steps: of the training; dev is evaluated after half of them.
        seconds: between the first state and the kill.
        settings: further settings of the training.
    """

    pairs: int = 549_367
    unlabelled: int = 785
    dev_pairs: int = 9_842
    dev_unlabelled: int = 158
    words: int = 42_000
    lines: int = 2_200_000
    steps: int = 500
    seconds: float = 5.0
    settings: tuple[str, ...] = ()

    def estimate_bytes(self, zipped):
        """The disk that the files need, about."""
        from full_size_data import BYTES_OF_A_LINE, BYTES_OF_A_PAIR

        vectors = BYTES_OF_A_LINE * self.lines / (2 if zipped else 1)
        return GIBIBYTE + 2 * BYTES_OF_A_PAIR * self.pairs + vectors


FULL = Size()
TINY = Size(
    pairs=240,
    unlabelled=3,
    dev_pairs=30,
    dev_unlabelled=2,
    words=200,
    lines=500,
    steps=400,
    seconds=0.0,
    settings=("model.units=10", "model.classifier.units=10", "training.batch_size=4"),
)


def write_data(folder, size, vectors):
    """Writes the corpus and the vector file; returns the source of the sentence
    lengths."""
    from full_size_data import (
        Sentences,
        learn_lengths,
        write_pairs,
        write_vector_file,
    )

    *counts, source = learn_lengths()
    random = np.random.default_rng(0)
    premises, hypotheses = (
        Sentences(size.words, size.lines, of_side, random) for of_side in counts
    )
    for name, pairs, unlabelled in (
        (TRAIN, size.pairs, size.unlabelled),
        (DEV, size.dev_pairs, size.dev_unlabelled),
    ):
        write_pairs(folder / name, premises, hypotheses, pairs, unlabelled)
    write_vector_file(folder / vectors, size.lines, seed=1)
    return source


def run_side(overrides):
    """Prepare the data of a training in this process, and print the figures."""
    from dsa.experiment.yaml_file import load_experiment, parse_overrides
    from dsa.system.folders import data_root
    from dsa.training.training_corpora import find_training_files
    from dsa.training.training_data import build_training_data

    began = time.perf_counter()
    experiment = load_experiment(CONFIG, parse_overrides(overrides))
    data = build_training_data(experiment, find_training_files(experiment, data_root()))
    figures = {
        "seconds": round(time.perf_counter() - began, 3),
        "pairs": len(data.labels),
        "corpus_words": len(data.trained_on.words),
        "vocabulary": len(data.vocabulary),
    }
    print(json.dumps(figures))


def watch(process, ends):
    """Wait for the end of a process, or kill it.

    Args:
        process: of `subprocess`.
        ends: a function that returns whether to kill it now; `None` for never.

    Returns: its peak memory, bytes, and whether it was killed.
    """
    peak = 0
    while process.poll() is None:
        peak = max(peak, machine_load.measure_memory(process.pid))
        if ends is not None and ends():
            process.kill()
            return peak, True
        time.sleep(measuring.SECONDS_BETWEEN_SAMPLES)
    return peak, False


class Rehearsal:
    """Runs the processes of a rehearsal in order.

    Args:
        folder: folder of the data, the run, the cache and the logs.
        size: the `Size`.
        vectors: the name of the vector file.
    """

    def __init__(self, folder, size, vectors):
        self.folder, self.size = folder, size
        self.run = folder / "run"
        self.settings = [
            f"data.train={TRAIN}",
            f"data.dev={DEV}",
            f"embedding.path={vectors}",
            f"training.steps={size.steps}",
            f"training.evaluate_every={size.steps // 2}",
            *size.settings,
        ]
        self.figures = {}

    def rehearse(self):
        """Run all processes.

        Returns: name -> figure -> list of one value, as `measuring.run_in_turn`.
        """
        prepare = [__file__, "--side", "prepare", *self.settings]
        train = ["-m", "dsa.commands", "train", CONFIG, "--set", *self.settings]
        train += ["--run", str(self.run), "--resume"]
        evaluate = ["-m", "dsa.commands", "evaluate", str(self.run), "--split", "dev"]
        self._measure("prepare", prepare)
        self._measure("prepare again", prepare)
        self._measure("train until kill", train, ends=self._make_end())
        self._refuse_wrong_steps(self.size.steps // 2)
        self._measure("resume", train)
        self._refuse_wrong_steps(self.size.steps)
        self._measure("evaluate", evaluate)
        return self.figures

    def _make_end(self):
        """Returns a function that decides when the training is killed."""
        written = None

        def ends():
            nonlocal written
            if written is None and (self.run / STATE).is_file():
                written = time.monotonic()
            return written and time.monotonic() >= written + self.size.seconds

        return ends

    def _measure(self, name, arguments, ends=None):
        """Runs a process, which is killed once `ends` returns true, and records its
        time and memory."""
        log = self.folder / f"{name}.log"
        began = time.perf_counter()
        with open(log, "wb") as output:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "DSA_DATA": str(self.folder)}
                | {"DSA_CACHE": str(self.folder / "cache")},
            )
            try:
                peak, killed = watch(process, ends)
            finally:
                process.kill()
                process.wait()
        lines = log.read_text(errors="replace").splitlines()
        if killed != (ends is not None) or (process.returncode and not killed):
            last = "\n".join(lines[-20:])
            raise SystemExit(f"{last}\n{name}: exit code {process.returncode}")
        figures = json.loads(lines[-1]) if "--side" in arguments else {}
        figures["wall_seconds"] = round(time.perf_counter() - began, 3)
        figures["peak_memory_bytes"] = peak
        self.figures[name] = {key: [value] for key, value in figures.items()}
        print(f"{name}: {json.dumps(figures)}", flush=True)

    def _refuse_wrong_steps(self, steps):
        """Raises an error if the history does not end with so many steps."""
        text = (self.run / "history.csv").read_text()
        header, *_, last = (line.split(",") for line in text.splitlines())
        if int(last[header.index("step")]) != steps:
            raise SystemExit(f"history.csv ends with {last}, not with step {steps}")


def check_disk_space(folder, size, zipped):
    """Raises an error if the files would not fit."""
    needed, free = size.estimate_bytes(zipped), shutil.disk_usage(folder).free
    if needed > free:
        raise SystemExit(
            f"{folder}: {needed / GIBIBYTE:.1f} GiB are needed, "
            f"{free / GIBIBYTE:.1f} are free: name another --folder"
        )


def main():
    parser = measuring.make_parser(__doc__, rounds=1)
    parser.add_argument("--folder", type=Path, help="folder of the temporary files")
    parser.add_argument("--zip", action="store_true", help="zip the vector file")
    parser.add_argument("--tiny", action="store_true", help="240 pairs, to try it")
    parser.add_argument("settings", nargs="*", help="(for --side)")
    options = parser.parse_args()
    if options.side:
        return run_side(options.settings)
    load = machine_load.refuse_load(options.anyway)
    size = TINY if options.tiny else FULL
    vectors = f"invented.300d.{'zip' if options.zip else 'txt'}"
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        check_disk_space(folder, size, options.zip)
        began = time.perf_counter()
        lengths = write_data(Path(folder), size, vectors)
        made = round(time.perf_counter() - began, 1)
        sizes = {path.name: path.stat().st_size for path in Path(folder).iterdir()}
        figures = Rehearsal(Path(folder), size, vectors).rehearse()
    most = max(max(side["peak_memory_bytes"]) for side in figures.values())
    (seconds,) = figures["prepare"]["seconds"]
    measuring.report(
        __file__,
        options,
        load,
        figures,
        sentence_lengths_of=lengths,
        seconds_to_make_the_files=made,
        bytes_of_files=sizes,
        largest_memory_bytes=most,
        memory_is_within_6_gibibytes=most <= MAX_MEMORY,
        preparing_takes_less_than_4_minutes=seconds < MAX_SECONDS,
    )
    if most > MAX_MEMORY or seconds >= MAX_SECONDS:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
