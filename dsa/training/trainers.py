"""How the families of models are trained."""

from dsa.training.session import open_session
from dsa.training.stages.first_block import train_first_block
from dsa.training.stages.with_dev import train_with_dev


def _network(experiment):
    from dsa.training.network_training import NetworkTrainer

    return NetworkTrainer(experiment)


def _linear(experiment):
    from dsa.training.linear_training import LinearTrainer

    return LinearTrainer(experiment)


TRAINERS = {"network": _network, "linear": _linear}  # by a family's `trainer`


def train(experiment, run, root, command=None):
    """Train an experiment into a run folder, or go on where it was.

    Args:
        experiment: an `Experiment`.
        run: a `RunFolder` that holds the experiment's `config.yaml`; where it holds
            something to go on from, training goes on and ends as if it had never
            stopped.
        root: the data root.
        command: what was run, for `environment.json`.

    Raises: `InputError` for data that is missing, malformed, or other than what the run
        started with; for what the backend cannot do; and for a loss that is no number.
    """
    trainer = TRAINERS[experiment.family.trainer](experiment)
    first = train_first_block(experiment, run, root, train, command)
    resumed = trainer.can_resume(run)
    trainer.train(open_session(experiment, run, root, command, resumed, first))
    if experiment.training.refit_with_dev:
        train_with_dev(experiment, run, root, train, command)
