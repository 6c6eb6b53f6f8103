"""The mean of several runs' probabilities, measured on a split."""

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
from dsa.inference.row_reading import measure_labelled_rows
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    from dsa.inference.ensemble import Ensemble

OF_ROWS = (  # what an entry says of the rows; the rest is of one run
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
) -> Entry:
    """Evaluates an ensemble on a split of its runs. Nothing is recorded: no run has
    reached these numbers.

    Args:
        root, split, file, predictions, view: as those of `evaluate`; without `view`
            each run has its own.

    Returns: a dictionary as `evaluate` returns it. `members` has what is of one run
        only: its folder, its weights, the words that it does not know.

    Raises: `InputError` as `evaluate`, and for runs whose split has other rows.
    """
    members = ensemble.members
    views = [choose_view(member, view) for member in members]
    found = [find_split(member, root, split, file) for member in members]
    for member, rows in zip(members, found, strict=True):
        check_same_rows(member, rows, found[0])
    shares = [
        measure_train_share(member, rows)
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
        **{name: entries[0][name] for name in OF_ROWS if name in entries[0]},
        "members": [
            {
                "run": str(member.run.path),
                **{key: its[key] for key in its if key not in OF_ROWS},
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
