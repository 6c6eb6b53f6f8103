"""How the families of models are trained."""

import logging

from dsa.errors import InputError
from dsa.experiment.run_folder import is_finished
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
log = logging.getLogger(__name__)


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
        started with; for a run that has begun and lost its training state; for what the
        backend cannot do; and for a loss that is no number.
    """
    trainer = TRAINERS[experiment.family.trainer](experiment)
    if experiment.family.is_network and _has_lost_its_state(run):
        log.info("%s has finished training already", run.path)
    else:
        first = train_first_block(experiment, run, root, train, command)
        resumed = trainer.can_resume(run)
        trainer.train(open_session(experiment, run, root, command, resumed, first))
    if experiment.training.refit_with_dev:
        train_with_dev(experiment, run, root, train, command)


def _has_lost_its_state(run):
    """Whether a run has trained to its end and its state is gone: it was pulled from a
    hub, for instance, or somebody has removed it.

    Raises: `InputError` for one that has not trained to its end.
    """
    facts = run.path / "environment.json"
    if run.state.is_file() or not facts.is_file() or "steps" not in run.environment():
        return False
    if not is_finished(run):
        raise InputError(
            f"{run.path} cannot go on: it has lost its training state, {run.state}"
        )
    return True
