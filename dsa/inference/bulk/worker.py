"""Computes the shards from one number to another, one after the other.

One job computes many shards, so that the model is loaded once. Finished shards are
skipped.
"""

if __name__ == "__main__":
    from dsa.jobs.job_process import die_with_parent

    die_with_parent()  # before anything that takes long

import argparse
import json
import logging
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dsa.backends.choice import check_backend_when_keras_is_imported, choose_backend
from dsa.backends.device_check import log_device
from dsa.backends.quiet_start import prepare_tensorflow
from dsa.data.corpora.example import Example
from dsa.errors import InputError
from dsa.inference.bulk.missing_words import WordVectors
from dsa.inference.bulk.shards import (
    PLAN,
    VECTORS,
    WORK,
    Plan,
    Shards,
    check_same_settings,
    fingerprint_run,
)
from dsa.inference.file_forms import FORMS
from dsa.runs.run_folder import RunFolder
from dsa.system.command_line import command
from dsa.version import __version__

log = logging.getLogger(__name__)


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the result")
    parser.add_argument("run", help="run folder")
    parser.add_argument("--shards", nargs=2, type=int, required=True, metavar="N")
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")
    options = parser.parse_args(arguments)
    prepare_tensorflow()
    check_backend_when_keras_is_imported()
    work = options.folder / WORK
    plan = Plan.read(work)
    if plan is None:
        raise InputError(f"{work}: there is no {PLAN}")
    shards = Shards(work, plan)
    first, last = options.shards
    numbers = [n for n in shards.list_unfinished() if first <= n <= last]
    if numbers:
        run = RunFolder(options.run)
        compute = load_model(plan, work, run, options.data_root)
        log_device()
        compute_shards(shards, numbers, compute)


def load_model(
    plan: Plan, work: Path, run: RunFolder, root: str | None = None
) -> Callable[[list[Example]], Any]:
    """Loads the model of a plan, for work in a folder.

    Returns: a function of the rows of a shard to their vectors `(rows, units)`, or to
        the text of their JSON lines.

    Raises: `InputError` as `load`, and for a run that is not the plan's.
    """
    from dsa.inference.corpus_inference import build_inference
    from dsa.inference.loading import load

    # these can differ between a job and the call that made the plan
    own = dict(run=fingerprint_run(run), backend=choose_backend(), version=__version__)
    old = {name: plan.settings[name] for name in own}
    check_same_settings(work.parent, old, own)
    trained = load(run, root=root)
    # the vector file was searched for the words of all shards before
    trained.lookup = WordVectors.read(work)
    trained = trained.with_words(trained.lookup)
    # a shard has the same bits, whether a process begins with it or not
    trained.inference = build_inference(trained.experiment, trained.model)

    def encode(rows):
        return trained.encode([example.texts[0] for example in rows])

    def predict(rows):
        if not plan.parses:
            rows = [example._replace(parses=None) for example in rows]
        predictions = trained.predict_examples(rows, plan.source)
        records = FORMS[trained.task.file_form].make_records(rows, predictions)
        return "".join(json.dumps(record) + "\n" for record in records)

    return encode if plan.settings["what"] == VECTORS else predict


def compute_shards(
    shards: Shards, numbers: list[int], compute: Callable[[list[Example]], Any]
) -> None:
    """Computes the shards with some numbers by the function of `load_model`, and writes
    their results.

    Raises: `InputError` if the disk has no room for all vectors, and for a vector with
        a number that the type of the vectors does not hold.
    """
    plan = shards.plan
    for number in numbers:
        began = time.monotonic()
        rows = shards.read_rows(number)
        result = compute(rows)
        if plan.dtype is None:
            shards.write_result(number, result.encode())
        else:
            vectors = _convert(result, plan.dtype, number)
            if number == numbers[0]:
                _check_room(shards, vectors[0].nbytes)
            shards.write_result(number, vectors)
        speed = len(rows) / (time.monotonic() - began)
        place = f"shard {number + 1} of {len(plan.shards)}"
        log.info("%s: %d rows, %.0f per second", place, len(rows), speed)


def _check_room(shards, row_bytes):
    """Raises an error if there is no room for the vectors that are missing, and for all
    of them once more, when they are joined."""
    plan = shards.plan
    rows = plan.rows + sum(plan.shards[number] for number in shards.list_unfinished())
    needed, free = rows * row_bytes, shutil.disk_usage(shards.work).free
    if needed > free:
        raise InputError(
            f"{shards.work}: {needed / 2**30:.1f} GB are needed, {free / 2**30:.1f} GB "
            "are free"
        )


def _convert(vectors, dtype, number):
    """Returns vectors with the type that is written."""
    with np.errstate(over="ignore"):
        vectors = np.ascontiguousarray(vectors, dtype)
    if not np.isfinite(vectors).all():
        raise InputError(
            f"shard {number + 1}: a vector has a number that {dtype.name} does not hold"
        )
    return vectors


if __name__ == "__main__":
    raise SystemExit(main())
