"""Rehearsal of a first training on all of SNLI with complete vectors: time of the
preparation, memory of each process, and resumption of a killed run.

    [DSA_DATA=<corpora>] python benchmarks/rehearsal.py [--folder FOLDER] [--zip]
      [--out FILE]

Generates a corpus of the size of SNLI (549,367 labelled pairs and 785 rows without a
label; a dev file with 9,842 and 158) and a vector file of 2.2 million lines of 300
numbers, about 6 GB. Both are generated from fixed seeds: 42,000 words, spread over the
vector file, with the sentence lengths of the available SNLI file, else the counts in
`results/benchmarks/sentence_lengths.json`. Then the following processes run:

    prepare            the preparation at the start of a training: corpus with an empty
                       cache, vocabulary and vectors
    prepare again      the same with a full cache
    train until kill   `dsa train` of DSA for 500 steps, ended by kill -9 some seconds
                       after the first evaluation on dev and the first saved state
    resume             the same command with --resume
    evaluate           `dsa evaluate` on dev

Memory is the peak resident memory of a process and its children, sampled every 0.1 s.
The exit code is 1 if a process used more than 6 GiB, or if the preparation took 4
minutes or more. The files are written to a temporary folder (created in `--folder`).
`--zip` compresses the vector file, like the published GloVe files.
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
MAX_SECONDS = 240  # of the preparation
TRAIN, DEV, STATE = "train.jsonl", "dev.jsonl", "state/state.npz"


@dataclasses.dataclass(frozen=True)
class Size:
    """Size of a rehearsal.

    Args:
        pairs: number of labelled training pairs.
        unlabelled: number of training rows without a label.
        dev_pairs: number of labelled dev pairs.
        dev_unlabelled: number of dev rows without a label.
        words: number of distinct words of the corpus.
        lines: number of lines of the vector file.
        steps: number of training steps; dev is evaluated after half and all steps.
        seconds: seconds between the first saved state and the kill.
        settings: additional overrides of the training.
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
        """Returns the approximate disk space of the files in bytes."""
        from full_size_data import PAIR_BYTES, VECTOR_LINE_BYTES

        vectors = VECTOR_LINE_BYTES * self.lines / (2 if zipped else 1)
        return GIBIBYTE + 2 * PAIR_BYTES * self.pairs + vectors


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
    """Writes the corpus and the vector file. Returns the source of the sentence
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
        Sentences(size.words, size.lines, length_counts, random)
        for length_counts in counts
    )
    for name, pairs, unlabelled in (
        (TRAIN, size.pairs, size.unlabelled),
        (DEV, size.dev_pairs, size.dev_unlabelled),
    ):
        write_pairs(folder / name, premises, hypotheses, pairs, unlabelled)
    write_vector_file(folder / vectors, size.lines, seed=1)
    return source


def run_side(overrides):
    """Prepares training data in this process and prints the figures as JSON."""
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
        "corpus_words": len(data.train_corpus.words),
        "vocabulary": len(data.vocabulary),
    }
    print(json.dumps(figures))


def watch(process, should_kill):
    """Waits for the end of a process, or kills it.

    Args:
        process: the `subprocess.Popen`.
        should_kill: function that returns whether to kill the process now; `None` to
            wait for its end.

    Returns: peak memory of the process in bytes, and whether it was killed.
    """
    peak = 0
    while process.poll() is None:
        peak = max(peak, machine_load.measure_memory(process.pid))
        if should_kill is not None and should_kill():
            process.kill()
            return peak, True
        time.sleep(measuring.SECONDS_BETWEEN_SAMPLES)
    return peak, False


class Rehearsal:
    """Runs the processes of a rehearsal in order.

    Args:
        folder: folder of the data, the run, the cache and the logs.
        size: the `Size`.
        vectors: name of the vector file.
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
        """Runs all processes.

        Returns: name -> figure -> list of one value, as from `measuring.run_in_turn`.
        """
        prepare = [__file__, "--side", "prepare", *self.settings]
        train = ["-m", "dsa.commands", "train", CONFIG, "--set", *self.settings]
        train += ["--run", str(self.run), "--resume"]
        evaluate = ["-m", "dsa.commands", "evaluate", str(self.run), "--split", "dev"]
        self._measure("prepare", prepare)
        self._measure("prepare again", prepare)
        self._measure("train until kill", train, self._make_kill_condition())
        self._check_last_step(self.size.steps // 2)
        self._measure("resume", train)
        self._check_last_step(self.size.steps)
        self._measure("evaluate", evaluate)
        return self.figures

    def _make_kill_condition(self):
        """Returns a function that returns whether to kill the training now."""
        saved_at = None

        def should_kill():
            nonlocal saved_at
            if saved_at is None and (self.run / STATE).is_file():
                saved_at = time.monotonic()
            if saved_at is None:
                return False
            return time.monotonic() >= saved_at + self.size.seconds

        return should_kill

    def _measure(self, name, arguments, should_kill=None):
        """Runs a process, and records its time and memory. The process is killed when
        `should_kill` returns true."""
        log = self.folder / f"{name}.log"
        began = time.perf_counter()
        with open(log, "wb") as output:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={
                    **os.environ,
                    "DSA_DATA": str(self.folder),
                    "DSA_CACHE": str(self.folder / "cache"),
                },
            )
            try:
                peak, killed = watch(process, should_kill)
            finally:
                process.kill()
                process.wait()
        lines = log.read_text(errors="replace").splitlines()
        ended_early = should_kill is not None and not killed
        failed = process.returncode != 0 and not killed
        if ended_early or failed:
            last_lines = "\n".join(lines[-20:])
            raise SystemExit(f"{last_lines}\n{name}: exit code {process.returncode}")
        figures = json.loads(lines[-1]) if "--side" in arguments else {}
        figures["wall_seconds"] = round(time.perf_counter() - began, 3)
        figures["peak_memory_bytes"] = peak
        self.figures[name] = {key: [value] for key, value in figures.items()}
        print(f"{name}: {json.dumps(figures)}", flush=True)

    def _check_last_step(self, step):
        """Raises an error if the last step in the history is not `step`."""
        text = (self.run / "history.csv").read_text()
        header, *_, last_row = (line.split(",") for line in text.splitlines())
        last_step = int(last_row[header.index("step")])
        if last_step != step:
            raise SystemExit(
                f"history.csv: expected last step {step}. Received: {last_step}"
            )


def check_disk_space(folder, size, zipped):
    """Raises an error if the disk space is too small for the files."""
    needed, free = size.estimate_bytes(zipped), shutil.disk_usage(folder).free
    if needed > free:
        raise SystemExit(
            f"{folder}: {needed / GIBIBYTE:.1f} GiB are needed, "
            f"{free / GIBIBYTE:.1f} GiB are free. Set --folder"
        )


def main():
    parser = measuring.make_parser(__doc__, rounds=1)
    parser.add_argument("--folder", type=Path, help="folder of the temporary files")
    parser.add_argument("--zip", action="store_true", help="zip the vector file")
    parser.add_argument("--tiny", action="store_true", help="small version, 240 pairs")
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
        data_seconds = round(time.perf_counter() - began, 1)
        sizes = {path.name: path.stat().st_size for path in Path(folder).iterdir()}
        figures = Rehearsal(Path(folder), size, vectors).rehearse()
    peak = max(max(side["peak_memory_bytes"]) for side in figures.values())
    (seconds,) = figures["prepare"]["seconds"]
    measuring.report(
        __file__,
        options,
        load,
        figures,
        sentence_lengths_of=lengths,
        seconds_to_make_the_files=data_seconds,
        bytes_of_files=sizes,
        largest_memory_bytes=peak,
        memory_is_within_6_gibibytes=peak <= MAX_MEMORY,
        preparing_takes_less_than_4_minutes=seconds < MAX_SECONDS,
    )
    if peak > MAX_MEMORY or seconds >= MAX_SECONDS:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
