"""A run folder that a training writes into: a new one, or one that is resumed."""

import contextlib
from collections.abc import Iterator

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.earlier_config import check_no_retired_settings
from dsa.runs.run_files import (
    discard_run,
    is_abandoned,
    prepare_folder,
    remove_temporary_files,
)
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_names import flatten
from dsa.system.folder_lock import TRAINING


@contextlib.contextmanager
def open_run(
    experiment: Experiment, run: RunFolder, resume: bool = True
) -> Iterator[None]:
    """Hold a run folder for the training of an experiment, inside the context.

    Args:
        resume: whether to resume what the folder holds.

    Raises: `InputError` for a folder that another process trains in, that holds
        something else, or that is damaged, before anything in it is changed. A new run
        that fails or is stopped before its first evaluation leaves nothing; what a
        killed one has left is replaced by the new run, also by one of other settings.
    """
    with run.hold(TRAINING):
        if is_abandoned(run.path):
            run.check_folder()
            discard_run(run.path)
        new = not (resume and run.is_started())
        if new:
            prepare_folder(run.path)
            run.write("config.yaml", experiment.to_yaml())
        else:
            run.check_folder()
            check_no_retired_settings(run.read("config.yaml"), run.path)
            check_same_settings(run, experiment)
            _check_damage(run)
            remove_temporary_files(run.path)
        try:
            yield
        except BaseException:  # Ctrl-C too
            if new:
                discard_run(run.path)
            raise


def check_same_settings(run: RunFolder, experiment: Experiment) -> None:
    """Checks that a training that is resumed has the settings that it was started with.

    Raises: `InputError` if it has not.
    """
    started = flatten(run.experiment().decisive_settings())
    settings = flatten(experiment.decisive_settings())
    if started != settings:
        names = {**started, **settings}
        changed = [n for n in names if started.get(n, ...) != settings.get(n, ...)]
        raise InputError(
            f"{run.path} cannot be resumed with other settings than it was started "
            f"with. Changed: {', '.join(changed)}"
        )


def _check_damage(run):
    """Raises `InputError` for files, of the run or of a run below its folder, that are
    damaged or were changed."""
    from dsa.training.schedules import schedule_callbacks
    from dsa.training.tracking.mirror import read_record
    from dsa.training.training_state import read_state

    for config in sorted(run.path.rglob("config.yaml")):
        part = RunFolder(config.parent)
        part.check_files()
        part.metrics()
        read_record(part)
        if (part.path / "environment.json").is_file():
            part.environment()
        if not part.state.is_file():
            continue
        experiment, (_, record) = part.experiment(), read_state(part.state)
        selects = experiment.task.selects
        needed = len(schedule_callbacks(experiment.training, selects, part))
        if len(record.callbacks) != needed:
            raise InputError(
                f"{part.state}: damaged training state: its record has "
                f"{len(record.callbacks)} callbacks, the experiment {needed}"
            )
        if f"val_{selects}" not in record.history[0]:
            raise InputError(
                f"{part.state}: the training state of another experiment: it has no "
                f"'val_{selects}'"
            )
