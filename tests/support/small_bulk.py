"""Bulk inference without Keras: the "vector" of a text counts its letters.

    python -m tests.support.small_bulk FOLDER RUN FILE --shards A B

is a job like `python -m dsa.inference.bulk.worker`. It sleeps for `DSA_PAUSE` seconds
before each shard.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from dsa.hub.fetching import find_run_folder
from dsa.inference.bulk import worker
from dsa.inference.bulk.bulk_inference import BulkInference
from dsa.inference.bulk.manifest import VECTORS
from dsa.jobs.job_process import DONE, Outcome, die_with_parent
from dsa.jobs.local import Executor
from dsa.system.command_line import command

UNITS = 7
RUN = "mini"  # part of the package
TEXTS = [f"a man number {'i' * (n + 1)}" for n in range(17)]


def encode(texts):
    """Returns a row of `UNITS` numbers for each text."""
    letters = [np.frombuffer(text.encode(), np.uint8) for text in texts]
    rows = [np.bincount(text % UNITS, minlength=UNITS) for text in letters]
    return np.array(rows, np.float32) / 3


def load_small_model(options, manifest):
    """Replaces `dsa.inference.bulk.worker.load_model`."""

    def compute_vectors(rows):
        time.sleep(float(os.environ.get("DSA_PAUSE", "0")))
        return encode([row.texts[0] for row in rows])

    def compute_lines(rows):
        time.sleep(float(os.environ.get("DSA_PAUSE", "0")))
        records = [{"id": row.name, "texts": row.texts} for row in rows]
        return "".join(json.dumps(record) + "\n" for record in records)

    return compute_vectors if manifest.output == VECTORS else compute_lines


class InThisProcess(Executor):
    """Executor that computes shards in the process of the test.

    Args:
        load: loads the model of a job.
    """

    stops_at_failure, workers = True, 2

    def __init__(self, load=load_small_model):
        self._load, self._ended = load, []

    def has_room(self):
        return not self._ended

    def start(self, job):
        worker.compute_shards(list(job.command), self._load)
        self._ended.append((job, Outcome(DONE)))

    def wait(self, seconds):
        ended, self._ended = self._ended, []
        return ended


def make_inference(
    folder,
    output=VECTORS,
    file="rows.txt",
    out="out",
    run=RUN,
    shard_rows=5,
    **settings,
):
    """Returns a `BulkInference` on a file in a folder, with jobs of this module."""
    return BulkInference(
        output,
        find_run_folder(run),
        file if file == "-" else str(Path(folder, file)),
        Path(folder, out),
        shard_rows,
        worker="tests.support.small_bulk",
        **settings,
    )


def write_texts(path, texts=TEXTS):
    """Writes one text per line."""
    Path(path).write_text("".join(f"{text}\n" for text in texts))


@command
def main(arguments=None):
    worker.compute_shards(arguments, load_small_model)


if __name__ == "__main__":
    die_with_parent()
    sys.exit(main())
