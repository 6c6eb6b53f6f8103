"""Checks of combinations of settings of the section `data`.

The functions raise `ValueError` with a message for the user.
"""

from typing import TYPE_CHECKING

from dsa.data.corpora.corpus import OWN_CORPUS
from dsa.data.prepared.views import View
from dsa.tasks.task import PAIR

if TYPE_CHECKING:
    from dsa.experiment.data_config import DataConfig

# keys that describe your own files (`corpus: own`)
OWN_KEYS = ("columns", "labels", "scores", "where", "split_column", "unlabelled")


def check_own_files(data: "DataConfig") -> None:
    """Checks the settings of own files.

    Raises: `ValueError` if a key of `OWN_KEYS` is set for another corpus, or if the
        labels, scores and columns of own files are incomplete or contradictory.
    """
    own_keys = [key for key in OWN_KEYS if getattr(data, key) is not None]
    if data.corpus != OWN_CORPUS and own_keys:
        raise ValueError(f"'data.{own_keys[0]}' requires 'data.corpus: {OWN_CORPUS}'")
    is_described = data.columns and (data.labels or data.scores)
    if data.corpus == OWN_CORPUS and not is_described:
        raise ValueError(
            f"'data.corpus: {OWN_CORPUS}' requires 'data.columns', and 'data.labels' "
            "or 'data.scores'"
        )
    if data.labels and data.scores:
        raise ValueError("'data.labels' and 'data.scores' cannot be combined")
    if data.scores and data.columns and data.columns.sentence:
        raise ValueError(
            "'data.scores' requires pairs: set 'data.columns.premise' and "
            "'data.columns.hypothesis' instead of 'data.columns.sentence'"
        )
    if data.labels and len(set(data.labels)) < len(data.labels):
        raise ValueError(
            "'data.labels' must contain distinct labels. "
            f"Received: {', '.join(data.labels)}"
        )


def check_splits(data: "DataConfig") -> None:
    """Checks that exactly one setting determines dev, and that the settings of the
    splits do not conflict.

    Raises: `ValueError` for conflicting or missing settings.
    """
    for key in ("folds", "split_column"):
        if getattr(data, key) and (data.dev or data.test):
            raise ValueError(
                f"'data.{key}' cannot be combined with 'data.dev' or 'data.test', "
                "because dev and test are rows of 'data.train'"
            )
    if data.folds and data.split_column:
        raise ValueError("'data.folds' and 'data.split_column' cannot be combined")
    _check_selection(data)
    if data.dev_from == "test" and not (data.dev_share and data.test):
        raise ValueError(
            "'data.dev_from: test' requires 'data.dev_share' and 'data.test'"
        )
    if data.select_on_test and not (data.folds or data.test):
        raise ValueError("'data.select_on_test' requires 'data.test' or 'data.folds'")
    if data.folds or data.dev_share:
        data.training_options.check_can_split()
    if data.mix and (data.folds or data.dev_share):
        raise ValueError(
            "'data.mix' cannot be combined with 'data.folds' or 'data.dev_share'"
        )
    if data.both_orders and data.mix and data.mix.draws_each_epoch:
        raise ValueError("'data.both_orders' requires 'data.mix.redraw: once'")


def _check_selection(data):
    """Raises `ValueError` unless one setting determines the rows that select the
    checkpoint."""
    settings = {
        "'data.dev'": data.dev is not None,
        "'data.dev_share'": data.dev_share is not None,
        "'data.split_column'": data.split_column is not None,
        "'data.select_on_test'": data.select_on_test,
    }
    given = [name for name, is_set in settings.items() if is_set]
    if len(given) != 1:
        raise ValueError(
            "exactly one setting must determine the rows that select the checkpoint: "
            "'data.dev' (a file), 'data.dev_share', 'data.select_on_test' or, for your "
            f"own files, 'data.split_column'. Received: {' and '.join(given) or 'none'}"
        )


def check_files_differ(data: "DataConfig") -> None:
    """Raises `ValueError` unless train, dev and test are different files."""
    if data.dev == data.train:
        raise ValueError("'data.dev' and 'data.train' must be different files")
    if data.test and data.test in (data.train, data.dev):
        raise ValueError(
            "'data.test' must differ from 'data.train' and 'data.dev'. To choose the "
            "checkpoint on the test rows, set 'data.select_on_test: true' and omit "
            "'data.dev'"
        )


def check_task(data: "DataConfig") -> None:
    """Raises `ValueError` if the task of the corpus does not support `both_orders`,
    `view`, `folds`, `dev_share` or `train_rows`."""
    task = data.resolved_corpus.task
    view = View(data.view)
    if data.both_orders and task.inputs != PAIR:
        raise ValueError(
            "'data.both_orders' requires a corpus of sentence pairs. "
            f"Received: 'data.corpus: {data.corpus}'"
        )
    view.check_inputs(task.inputs)
    if data.both_orders and view.hides:
        raise ValueError(
            f"'data.view: {data.view}' hides one sentence of each pair and cannot be "
            "combined with 'data.both_orders'"
        )
    if task.ranks and data.train_rows:
        raise ValueError(
            "'data.train_rows' is not supported for 'data.corpus: "
            f"{data.corpus}', because it would draw only some answers to a question"
        )
    if task.ranks and (data.folds or data.dev_share):
        raise ValueError(
            "'data.folds' and 'data.dev_share' are not supported for 'data.corpus: "
            f"{data.corpus}', because both divide single rows, so that the answers to "
            "one question would be in several splits"
        )
