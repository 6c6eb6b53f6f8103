"""Bulk work without Keras: a "model" that gives numbers made of the letters.

    python -m tests.support.small_bulk FOLDER RUN --shards A B

is a job as `python -m dsa.inference.bulk.worker`. It waits as many seconds for each
shard as the variable DSA_PAUSE says.
"""

import json
import os
import time

import numpy as np

from dsa.inference.bulk import bulk_work, worker
from dsa.inference.bulk.shards import VECTORS
from dsa.jobs.job_process import die_with_parent

UNITS = 7
RUN = "mini"  # comes with the package
TEXTS = [f"a man number {n % 5}" for n in range(17)]


def encode(texts):
    """A row of `UNITS` numbers for each text."""
    bytes_of = [np.frombuffer(text.encode(), np.uint8) for text in texts]
    rows = [np.bincount(one % UNITS, minlength=UNITS) for one in bytes_of]
    return np.array(rows, np.float32) / 3


def load_small_model(plan, work, run, root=None):
    """As `dsa.inference.bulk.worker.load_model`."""

    def compute_vectors(examples):
        time.sleep(float(os.environ.get("DSA_PAUSE", "0")))
        return encode([example.texts[0] for example in examples])

    def compute_lines(examples):
        time.sleep(float(os.environ.get("DSA_PAUSE", "0")))
        return "".join(
            json.dumps({"id": example.name, "texts": example.texts}) + "\n"
            for example in examples
        )

    return compute_vectors if plan.settings["what"] == VECTORS else compute_lines


def use_small_model():
    """From now on jobs that this process starts are those of this module."""
    bulk_work.MODULE = "tests.support.small_bulk"


if __name__ == "__main__":
    die_with_parent()
    worker.load_model = load_small_model
    raise SystemExit(worker.main())
