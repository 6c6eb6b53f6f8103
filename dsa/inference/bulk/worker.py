"""A job: the shards from one number to another, one after the other.

A process computes many shards, so that the model is loaded once. Those that are
finished are skipped.
"""

import argparse
import functools
import json
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from dsa.backends.choice import check_backend_when_keras_is_imported, choose_backend
from dsa.backends.quiet_start import prepare_tensorflow
from dsa.commands.run_options import parse_with_trust
from dsa.errors import InputError
from dsa.inference.bulk.new_words import FoundWords
from dsa.inference.bulk.plan import (
    PLAN,
    ROWS,
    VECTORS,
    WORK,
    Plan,
    check_same_settings,
    fingerprint_run,
)
from dsa.inference.bulk.results import KINDS
from dsa.inference.bulk.rows_file import read_rows
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
    options = parse_with_trust(parser, arguments)
    prepare_tensorflow()
    check_backend_when_keras_is_imported()
    work = options.folder / WORK
    plan = Plan.read(work / PLAN)
    if plan is None:
        raise InputError(f"{work}: there is no plan")
    results = KINDS[plan.settings["what"]](work, plan)
    first, last = options.shards
    left = [n for n in range(first, last + 1) if not results.is_finished(n)]
    if left:
        model = load_model(plan, work, options.run, options.data_root)
        compute_shards(plan, results, left, model)


class BulkModel(NamedTuple):
    """What computes the result of a shard.

    Attributes:
        compute: a function of a list of `Example` to vectors, or to lines.
        units: features of a vector; `None` for predictions.
    """

    compute: Callable
    units: int | None


def load_model(plan, work, run, root=None):
    """The `BulkModel` of a plan.

    Args:
        plan: the `Plan`.
        work: the folder of the work.
        run: the run folder.
        root: the data root.

    Raises: `InputError` as `load`, and for a run that is not the plan's.
    """
    from dsa.inference.corpus_inference import build_inference
    from dsa.inference.loading import find_run_folder, load

    run = find_run_folder(run)
    # what a job can have otherwise than the call that made the plan
    own = {
        "run": fingerprint_run(run),
        "backend": choose_backend(),
        "version": __version__,
    }
    old = {name: plan.settings[name] for name in own}
    check_same_settings(work.parent, old, own)
    trained = load(run, root=root)
    # no file is searched for words shard by shard: that was done for all of them
    trained.lookup = FoundWords.read(work)
    trained = trained.with_words(trained.lookup.words)
    # a shard has the same bits, whether a process begins with it or not
    trained.inference = build_inference(trained.experiment, trained.model)
    if plan.settings["what"] == VECTORS:
        compute = functools.partial(_encode, trained)
        return BulkModel(compute, trained.inference.units)
    return BulkModel(functools.partial(_predict, trained, plan), None)


def compute_shards(plan, results, numbers, model):
    """Compute shards of a plan, and write their results.

    Args:
        plan: the `Plan`.
        results: its `Results`.
        numbers: of the shards.
        model: the `BulkModel`.
    """
    if model.units is not None:
        results.open(model.units)
    for number in numbers:
        began, shard = time.monotonic(), plan.shards[number]
        examples = read_rows(results.work / ROWS, shard)
        results.write(number, model.compute(examples))
        log.info(
            "shard %d of %d: %d rows, %.0f a second",
            number + 1,
            len(plan.shards),
            shard.rows,
            shard.rows / (time.monotonic() - began),
        )


def _encode(trained, examples):
    """The vectors of a shard."""
    return trained.encode([example.texts[0] for example in examples])


def _predict(trained, plan, examples):
    """The JSON lines of a shard."""
    from dsa.inference.prediction_files import FORMS

    if not plan.parses:
        examples = [example._replace(parses=None) for example in examples]
    predictions = trained.predict_examples(examples, plan.source)
    records = FORMS[trained.task.file_form].make_records(examples, predictions)
    return "".join(json.dumps(record) + "\n" for record in records)
