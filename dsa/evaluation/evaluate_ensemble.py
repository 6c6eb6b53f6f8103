"""Evaluates an ensemble of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dsa.evaluation.evaluate import (
    Entry,
    choose_view,
    compute_entry_and_logits,
    format_labelled_predictions,
)
from dsa.evaluation.splits import check_same_rows, find_split, measure_train_share
from dsa.inference.ensemble import average_logits
from dsa.inference.input_rows import Columns
from dsa.inference.row_reading import measure_labelled_rows
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    from dsa.inference.ensemble import Ensemble

SHARED_KEYS = (  # keys whose values are copied from the entry of the first member
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
    predictions_path: Path | str | None = None,
    view: str | None = None,
    columns: Columns = None,
) -> Entry:
    """Evaluates an ensemble on a split of its runs. The result is not recorded.

    Args:
        ensemble: the ensemble.
        root, split, file, columns: see `find_split`.
        predictions_path: see `evaluate`.
        view: name of a view, see `choose_view`; `None` for the view in the config of
            each run.

    Returns: an entry like the entries of `evaluate`. Its item `members` lists the run
        folder, the weights and the shares of unknown words of each member.

    Raises: `InputError` if the splits of the members have different rows; also see
        `find_split` and `choose_view`.
    """
    members = ensemble.members
    views = [choose_view(member, view) for member in members]
    member_rows = [find_split(member, root, split, file, columns) for member in members]
    first_rows = member_rows[0]
    for member, rows in zip(members, member_rows, strict=True):
        check_same_rows(member, rows, first_rows)
    train_shares = [
        measure_train_share(member.run, rows)
        for member, rows in zip(members, member_rows, strict=True)
    ]
    entries = []
    logits_by_member = []
    for member, rows, member_view in zip(members, member_rows, views, strict=True):
        member_entry, member_logits = compute_entry_and_logits(
            member, rows, member_view
        )
        entries.append(member_entry)
        logits_by_member.append(member_logits)
    logits = average_logits(logits_by_member)
    entry = {key: entries[0][key] for key in SHARED_KEYS if key in entries[0]}
    entry["members"] = [
        _describe_member(member, member_entry, train_share)
        for member, member_entry, train_share in zip(
            members, entries, train_shares, strict=True
        )
    ]
    prepared = first_rows.prepared
    grouped = members[0].experiment.data.resolved_corpus.grouped
    entry |= measure_labelled_rows(logits, prepared, ensemble.task, grouped)
    if predictions_path:
        lines = format_labelled_predictions(ensemble.task, prepared, logits)
        write_atomically(predictions_path, lines)
    return entry


def _describe_member(member, entry, train_share):
    """Returns the record of a member in the entry of an ensemble."""
    description = {"run": str(member.run.path)}
    for key, value in entry.items():
        if key not in SHARED_KEYS:
            description[key] = value
    description["shared_with_train"] = train_share
    return description
