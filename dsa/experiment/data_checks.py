"""Checks of combinations of settings of the section `data`.

The functions raise `ValueError` with a message for the user.
"""

from typing import TYPE_CHECKING

from dsa.data.corpora.corpus import OWN
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
    if data.corpus != OWN and own_keys:
        raise ValueError(f"'{own_keys[0]}' requires 'corpus: {OWN}'")
    is_described = data.columns and (data.labels or data.scores)
    if data.corpus == OWN and not is_described:
        raise ValueError(
            f"'corpus: {OWN}' requires 'columns', and 'labels' or 'scores'"
        )
    if data.labels and data.scores:
        raise ValueError("'labels' and 'scores' cannot be combined")
    if data.scores and data.columns and data.columns.sentence:
        raise ValueError("'scores' require sentence pairs")
    if data.labels and len(set(data.labels)) < len(data.labels):
        raise ValueError("a label is given twice in 'labels'")


def check_splits(data: "DataConfig") -> None:
    """Checks that exactly one setting determines dev, and that the settings of the
    splits do not conflict.

    Raises: `ValueError` for conflicting or missing settings.
    """
    for key in ("folds", "split_column"):
        if getattr(data, key) and (data.dev or data.test):
            raise ValueError(
                f"with '{key}', 'dev' and 'test' are rows of 'train' and cannot be "
                "files"
            )
    if data.folds and data.split_column:
        raise ValueError("'folds' and 'split_column' cannot be combined")
    _check_selection(data)
    if data.dev_from == "test" and not (data.dev_share and data.test):
        raise ValueError("'dev_from: test' requires 'dev_share' and 'test'")
    if data.select_on_test and not (data.folds or data.test):
        raise ValueError("'select_on_test' requires 'test' or 'folds'")
    if data.folds or data.dev_share:
        data.training_options.check_can_split()
    if data.mix and (data.folds or data.dev_share):
        raise ValueError("'mix' cannot be combined with 'folds' or 'dev_share'")
    if data.both_orders and data.mix and data.mix.draws_each_epoch:
        raise ValueError("'both_orders' requires 'mix.redraw: once'")


def _check_selection(data):
    """Raises `ValueError` unless one setting determines the rows that select the
    checkpoint."""
    settings = {
        "'dev' (a file)": data.dev is not None,
        "'dev_share'": data.dev_share is not None,
        "'split_column'": data.split_column is not None,
        "'select_on_test'": data.select_on_test,
    }
    given = [name for name, is_set in settings.items() if is_set]
    if len(given) != 1:
        raise ValueError(
            "expected one setting for the selection of the checkpoint: 'dev' (a file), "
            "'dev_share', 'select_on_test' or, for your own files, 'split_column'. "
            f"Received: {' and '.join(given) or 'none'}"
        )


def check_files_differ(data: "DataConfig") -> None:
    """Raises `ValueError` unless train, dev and test are different files."""
    if data.dev == data.train:
        raise ValueError("'dev' and 'train' must be different files")
    if data.test and data.test in (data.train, data.dev):
        raise ValueError(
            "'test' must differ from 'train' and 'dev'. To choose the checkpoint on "
            "the test rows, set 'select_on_test: true' and omit 'dev'"
        )


def check_task(data: "DataConfig") -> None:
    """Raises `ValueError` if the task of the corpus does not support `both_orders`,
    `view`, `folds` or `dev_share`."""
    task = data.resolved_corpus.task
    view = View(data.view)
    if data.both_orders and task.inputs != PAIR:
        raise ValueError("'both_orders' requires a corpus of sentence pairs")
    view.check_inputs(task.inputs)
    if data.both_orders and view.hides:
        raise ValueError(
            f"'view: {data.view}', which hides one sentence of each pair, cannot be "
            "combined with 'both_orders'"
        )
    if task.ranks and (data.folds or data.dev_share):
        raise ValueError(
            f"'folds' and 'dev_share' are not supported for 'corpus: {data.corpus}': "
            "they divide single rows, and the answers to a question would be in "
            "several splits"
        )
