"""Evaluates an ensemble of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dsa.evaluation.evaluate import (
    Entry,
    choose_view,
    compute_logits,
    format_predictions,
)
from dsa.evaluation.splits import check_same_rows, find_split, measure_train_share
from dsa.inference.ensemble import average_logits
from dsa.inference.input_rows import Columns
from dsa.inference.row_reading import measure_labelled_rows
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    from dsa.inference.ensemble import Ensemble

SHARED_KEYS = (  # keys of an entry that have the same value for all members
    "split",
    "view",
    "file",
    "sha256",
    "date",
    "commit",
    "uncommitted_changes",
    "rows",
    "unlabelled",
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
    """Evaluates an ensemble on a split of its runs. The result is not recorded.

    Args:
        ensemble: the `Ensemble`.
        root, split, file, columns: see `find_split`.
        predictions: see `evaluate`.
        view: see `choose_view`; `None` for the view in the config of each run.

    Returns: an entry like the entries of `evaluate`. Its item `members` lists the run
        folder, the weights and the shares of unknown words of each member.

    Raises: `InputError` if the splits of the members have different rows; also see
        `find_split` and `choose_view`.
    """
    members = ensemble.members
    views = [choose_view(member, view) for member in members]
    splits = [find_split(member, root, split, file, columns) for member in members]
    for member, rows in zip(members, splits, strict=True):
        check_same_rows(member, rows, splits[0])
    train_shares = [
        measure_train_share(member.run, rows)
        for member, rows in zip(members, splits, strict=True)
    ]
    results = [
        compute_logits(member, *rows, view=member_view)
        for member, rows, member_view in zip(members, splits, views, strict=True)
    ]
    entries = [member_entry for member_entry, _ in results]
    logits = average_logits([member_logits for _, member_logits in results])
    prepared = splits[0].prepared
    grouped = members[0].experiment.data.resolved_corpus.grouped
    entry = {
        **{name: entries[0][name] for name in SHARED_KEYS if name in entries[0]},
        "members": [
            _describe_member(member, member_entry, share)
            for member, member_entry, share in zip(
                members, entries, train_shares, strict=True
            )
        ],
        **measure_labelled_rows(logits, prepared, ensemble.task, grouped),
    }
    if predictions:
        write_atomically(
            predictions, format_predictions(ensemble.task, prepared, logits)
        )
    return entry


def _describe_member(member, entry, train_share):
    """Returns the items of a member in the entry of an ensemble."""
    description = {"run": str(member.run.path)}
    description |= {key: entry[key] for key in entry if key not in SHARED_KEYS}
    description["shared_with_train"] = train_share
    return description
