"""Bulk work with a model that needs no Keras."""

import pytest

from dsa.hub.fetching import find_run_folder
from dsa.inference.bulk import worker
from dsa.inference.bulk.bulk_work import BulkWork
from dsa.inference.bulk.shards import VECTORS
from tests.support.killed_bulk import InThisProcess
from tests.support.small_bulk import RUN, TEXTS, load_small_model


@pytest.fixture
def numbers(monkeypatch):
    """How many rows each shard had that was computed."""
    seen = []

    def load(plan, *arguments):
        compute = load_small_model(plan, *arguments)

        def compute_and_count(examples):
            seen.append(len(examples))
            return compute(examples)

        return compute_and_count

    monkeypatch.setattr(worker, "load_model", load)
    return seen


@pytest.fixture
def do(tmp_path, numbers):
    """Do bulk work on `TEXTS`, in shards of five."""
    (tmp_path / "rows.txt").write_text("".join(f"{text}\n" for text in TEXTS))

    def do(what=VECTORS, file="rows.txt", force=False, shard_rows=5, **settings):
        file = file if file == "-" else str(tmp_path / file)
        work = BulkWork(
            what, find_run_folder(RUN), file, tmp_path / "out", shard_rows, **settings
        )
        return work.do(InThisProcess(), force=force)

    return do
