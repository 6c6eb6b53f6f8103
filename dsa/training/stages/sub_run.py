"""A run below another run's folder, such as the first stage of a training."""

from dsa.experiment.run_folder import RunFolder, is_finished
from dsa.training.open_run import open_run


def train_sub_run(experiment, path, root, train, command=None):
    """Train an experiment into a folder below that of another run, or go on with it.

    Args:
        experiment: the `Experiment`. It follows from that of the other run, so a folder
            that is there was started with the same.
        path: the folder.
        root: the data root.
        train: what trains an experiment into a run folder: `dsa.training.trainers`'s.
        command: what was run.

    Returns: the `RunFolder`, trained to its end.

    Raises: as `train`; a new run that fails before its first evaluation leaves nothing.
    """
    run = RunFolder(path)
    if not (run.is_started() and is_finished(run)):
        with open_run(experiment, run):
            train(experiment, run, root, command)
    return run
