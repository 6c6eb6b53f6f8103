"""Evaluation of an ensemble of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dsa.evaluation.evaluate import (
    Entry,
    choose_view,
    compute_logits,
    write_predictions,
)
from dsa.evaluation.splits import check_same_rows, find_split, measure_train_share
from dsa.inference.ensemble import average_logits
from dsa.inference.input_rows import Columns
from dsa.inference.row_reading import measure_labelled_rows
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    from dsa.inference.ensemble import Ensemble

SHARED = (  # items of an entry that are equal for all members
    *("split", "view", "file", "sha256", "date", "commit", "uncommitted_changes"),
    *("rows", "unlabelled"),
)


def evaluate_ensemble(
    ensemble: Ensemble,
    root: Path | str,
    split: str = "dev",
    file: Path | str | None = None,
    predictions: Path | str | None = None,
    view: str | None = None,
    columns: Columns = None,
) -> Entry:
    """Evaluates an ensemble on a split of its runs, without recording the result.

    Args:
        ensemble: the `Ensemble`.
        root, split, file, columns: see `find_split`.
        predictions: see `evaluate`.
        view: see `choose_view`; `None` for the view of each run.

    Returns: an entry as `evaluate` returns it. Its `members` contains the items of each
        run: folder, weights, unknown words.

    Raises: `InputError` as `evaluate`, and for runs whose splits have different rows.
    """
    members = ensemble.members
    views = [choose_view(member, view) for member in members]
    found = [find_split(member, root, split, file, columns) for member in members]
    for member, rows in zip(members, found, strict=True):
        check_same_rows(member, rows, found[0])
    shares = [
        measure_train_share(member.run, rows)
        for member, rows in zip(members, found, strict=True)
    ]
    measured = [
        compute_logits(member, *rows, view=its_view)
        for member, rows, its_view in zip(members, found, views, strict=True)
    ]
    entries, logits = zip(*measured, strict=True)
    logits, prepared = average_logits(logits), found[0].prepared
    grouped = members[0].experiment.data.described.grouped
    entry = {
        **{name: entries[0][name] for name in SHARED if name in entries[0]},
        "members": [
            {
                "run": str(member.run.path),
                **{key: its[key] for key in its if key not in SHARED},
                "shared_with_train": share,
            }
            for member, its, share in zip(members, entries, shares, strict=True)
        ],
        **measure_labelled_rows(logits, prepared, ensemble.task, grouped),
    }
    if predictions:
        write_atomically(
            predictions, write_predictions(ensemble.task, prepared, logits)
        )
    return entry
