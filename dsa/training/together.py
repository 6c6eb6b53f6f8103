"""One training on several processes: the first one writes the run, the others write a
copy each, which nobody keeps."""

import contextlib
import shutil
import tempfile
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder
from dsa.system.folder_lock import NAME as LOCK
from dsa.system.reading import fingerprint


@contextlib.contextmanager
def train_together(place, experiment, run, resume):
    """Give the run folder that this process trains into, inside the context.

    All processes begin with the same folder, and so each decides by itself where to go
    on. The folder must be one that all machines see: the training states are compared.

    Args:
        place: the `dsa.backends.processes.Place` of this process; `None` for a training
            of one process.
        experiment: the `Experiment`.
        run: the `RunFolder`, which process 0 holds.
        resume: whether to go on with what the folder holds.

    Raises: `InputError` for an experiment that several processes cannot train, for
        processes with other settings or another training state, and where they do not
        meet.
    """
    if place is None:
        yield run
        return
    _check_can_share(experiment)
    from dsa.backends.processes import agree_on, join_processes

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
        yield own


def _copy(folder, copy):
    """Links are copied as links, which a run folder must not hold."""
    ignore = shutil.ignore_patterns(LOCK)
    shutil.copytree(folder, copy, symlinks=True, ignore=ignore)


def _check_can_share(experiment):
    if experiment.family.trainer != "network":
        raise InputError(
            f"--processes: '{experiment.model.name}' is trained by one process"
        )
    if experiment.training.devices != "all":
        raise InputError(
            "--processes: several processes share the rows of a batch only with "
            "training.devices=all"
        )
