"""The first stage of a layer-wise training: the first block, which the second stage
takes over and freezes."""

import logging

from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder, is_finished
from dsa.experiment.yaml_file import experiment_of
from dsa.inference.loading import load
from dsa.training.stages.sub_run import train_sub_run

FOLDER = "first"  # below the run folder, of a first stage that belongs to the run
SAME_SETTINGS = (
    "name",
    "width",
    "filters",
    "input_pool",
    "share_copies",
    "all_ap",
    "attention_scale",
)
log = logging.getLogger(__name__)


def train_first_block(experiment, run, root, train, command=None):
    """The run folder of the first stage, trained to its end.

    Args:
        experiment: the `Experiment` of the whole model.
        run: its `RunFolder`.
        root: the data root.
        train: what trains an experiment into a run folder: `dsa.training.trainers`'s.
        command: what was run.

    Returns: the `RunFolder` that the config names, or one below `run`; `None` for a
        model that is trained at once.

    Raises: `InputError` for a run that does not fit, and as `train`.
    """
    changes = experiment.model.earlier_stage()
    if changes is None:
        return None
    if experiment.model.first:
        first = RunFolder(experiment.model.first)
        _check_first_block(first, experiment)
        return first
    settings = experiment.model_dump(mode="json")
    earlier = experiment_of(settings, changes, "the first stage")
    path = run.path / FOLDER
    log.info("first stage: one convolution, in %s", path)
    first = train_sub_run(earlier, path, root, train, command)
    log.info("second stage: the first block is frozen")
    return first


def copy_first_block(first, model, root):
    """Give the first block of a model the weights of its first stage.

    Args:
        first: the `RunFolder` of the first stage.
        model: the `BCNN`.
        root: the data root.
    """
    model.take_first_block(load(first.path, root=root).model)


def _check_first_block(first, experiment):
    """Raises: `InputError` for a run whose first block is not one of this model's."""
    if not first.is_started():
        raise InputError(
            f"'model.first': {first.path} is no run folder. Train the model with one "
            "convolution first, or leave 'first' out"
        )
    if not is_finished(first):
        raise InputError(f"'model.first': {first.path} has not finished its training")
    other = first.experiment()
    for name in SAME_SETTINGS:
        given, needed = (getattr(e.model, name, None) for e in (other, experiment))
        if given != needed:
            raise InputError(
                f"'model.first': {first.path} has '{name}: {given}', and this "
                f"experiment '{name}: {needed}'"
            )
    if other.model.convolutions != 1:
        raise InputError(f"'model.first': {first.path} has two convolutions, not one")
    if (
        not other.model.share_copies
        and other.features.nonoverlap != experiment.features.nonoverlap
    ):
        given, needed = (e.features.nonoverlap for e in (other, experiment))
        raise InputError(
            f"'model.first': {first.path} has 'features.nonoverlap: {given}', and this "
            f"experiment {needed}: with 'share_copies: false' each copy of the pair "
            "has a first block of its own"
        )
    for section in ("tokenizer", "embedding"):
        if getattr(other, section) != getattr(experiment, section):
            raise InputError(
                f"'model.first': {first.path} has other settings of '{section}'"
            )
