"""Hint for training rows that mostly have the same label."""

import logging
from typing import Any

import numpy as np

from dsa.experiment.training_config import TrainingConfig
from dsa.tasks.classification import Classification

MAX_LABEL_SHARE = 0.8  # a hint is logged if a label has a larger share of the rows
log = logging.getLogger(__name__)


def log_label_imbalance(
    training: TrainingConfig, task: Any, labels: np.ndarray
) -> None:
    """Suggests class weights or macro F1 if a label has most of the training rows.

    A hint is logged if the share of the label is above `MAX_LABEL_SHARE` and the config
    sets neither `training.class_weights` nor `training.metric`.

    Args:
        training: the `training` section.
        task: the task.
        labels: label ids of the N training rows, `(N,)`.
    """
    if not isinstance(task, Classification) or task.ranks:
        return
    if training.class_weights or training.metric:
        return
    counts = np.bincount(labels)
    share = counts.max() / len(labels)
    if share > MAX_LABEL_SHARE:
        log.info(
            "hint: %.0f %% of the training rows have the label '%s'; always predicting "
            "it gives the same accuracy. Consider 'training.class_weights: balanced' "
            "or 'training.metric: macro_f1'",
            100 * share,
            task.labels[counts.argmax()],
        )
