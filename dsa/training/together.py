"""One training on several processes: the first one writes the run, the others write a
copy each, which nobody keeps."""

import contextlib
import shutil
import tempfile
from pathlib import Path

from dsa.backends.processes import Place, agree_on, join_processes
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.runs.run_folder import RunFolder
from dsa.system.folder_lock import NAME as LOCK
from dsa.system.reading import fingerprint
from dsa.training.train import train


def train_together(  # noqa: PLR0913 (as `train`)
    place: Place,
    experiment: Experiment,
    run: RunFolder,
    root: Path,
    command: str | None = None,
    resume: bool = True,
) -> None:
    """Train as one process of several.

    All processes begin with the same folder, and so each decides by itself where to
    resume. The folder must be one that all machines see: the training states are
    compared. Only the first process has trackers.

    Args:
        place: the `Place` of this process.
        experiment, root, command, resume: as those of `dsa.training.train.train`.
        run: the `RunFolder`, which process 0 holds.

    Raises: `InputError` as `train`, for an experiment that several processes cannot
        train, for processes with other settings or another training state, and where
        they do not meet.
    """
    _check_can_share(experiment)
    with join_processes(place), tempfile.TemporaryDirectory(prefix="dsa-") as folder:
        own = run
        if place.index:
            own = RunFolder(Path(folder, "run"))
            with contextlib.suppress(FileNotFoundError):  # a run that is new
                _copy(run.path, own.path)
        # nobody writes before all have copied
        agree_on("settings", f"{resume} {experiment.to_yaml()}")
        state = fingerprint(own.state) if own.state.is_file() else "none"
        agree_on("training state in their run folder", state)
        if place.index:
            experiment = experiment.without_trackers()
        train(experiment, own, root, command, resume)


def _copy(folder, copy):
    """Links are copied as links, which a run folder must not hold."""
    ignore = shutil.ignore_patterns(LOCK)
    shutil.copytree(folder, copy, symlinks=True, ignore=ignore)


def _check_can_share(experiment):
    if not experiment.family.is_network:
        raise InputError(
            f"--processes: '{experiment.model.name}' is trained by one process"
        )
    if experiment.training.devices != "all":
        raise InputError(
            "--processes: several processes share the rows of a batch only with "
            "training.devices=all"
        )
