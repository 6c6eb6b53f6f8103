"""The trainings of a run in their order: the stages of its family, and with
`training.refit_with_dev` all of them again, on train and dev."""

import dataclasses
import logging
from collections.abc import Iterator
from typing import Any

from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.experiment.yaml_file import experiment_of
from dsa.models.model_config import Stage
from dsa.runs.run_folder import WITH_DEV, RunFolder, is_finished
from dsa.runs.run_records import read_history

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class StageRun:
    """A stage and the run folder that it is trained into.

    Args:
        experiment: its own `Experiment`.
        run: the `RunFolder`: the run's own for the last stage, else one below it.
        earlier: the `RunFolder` of the stage before, which has finished; `None` for the
            first stage.
    """

    stage: Stage
    experiment: Experiment
    run: RunFolder
    earlier: RunFolder | None = None

    def is_finished(self) -> bool:
        """Whether it has been trained to its end.

        Raises: `InputError` for a run that has begun and lost its training state.
        """
        if not self.run.is_started():
            return False
        is_network = self.experiment.family.is_network
        return is_finished(self.run) or (is_network and has_lost_its_state(self.run))


def plan_stages(experiment: Experiment, run: RunFolder) -> Iterator[StageRun]:
    """Yields what is to be trained, in this order. Ask for the next one when the one
    before has been trained.

    Raises: `InputError` for a run folder, named in the config, that is no finished
        stage of this model; and for a run that has begun and lost its training state.
    """
    runs: list[RunFolder] = []  # of the stages
    stages = experiment.model.stages()
    is_trained = experiment.family.is_network and has_lost_its_state(run)
    if is_trained:
        log.info("%s has finished training already", run.path)
    for stage in stages:
        own, folder = experiment, run
        if stage.finished_run:
            folder = RunFolder(stage.finished_run)
            if not is_trained:
                _check_finished_run(stage, folder, experiment)
        elif stage.folder:
            settings = experiment.model_dump(mode="json")
            own = experiment_of(settings, stage.changes, f"the stage '{stage.folder}'")
            folder = RunFolder(run.path / stage.folder)
        if not (is_trained or stage.finished_run):
            yield StageRun(stage, own, folder, runs[-1] if runs else None)
        runs.append(folder)
    if experiment.training.refit_with_dev:
        yield from _plan_with_dev(experiment, stages, runs)


def _plan_with_dev(
    experiment: Experiment, stages: list[Stage], runs: list[RunFolder]
) -> Iterator[StageRun]:
    """Yields the same stages again, trained on train and dev, for as many epochs as dev
    chose.

    Each is a run of its own below the folder of its stage, with everything that a run
    has. Its numbers on dev are measured on rows that it was trained on.

    Reference: Yin et al. 2016, section 5.5.
    """
    earlier, finished_runs = None, {}
    for stage, run in zip(stages, runs, strict=True):
        own = run.experiment() if stage.folder else experiment
        epochs = count_chosen_epochs(run, own.task.selects)
        changes = {
            "data.train_on_dev": True,
            "training.refit_with_dev": False,
            "training.epochs": epochs,
            "training.steps": None,
            "training.early_stopping": None,
            "training.evaluate_from": 0,  # dev is evaluated once, at the end
            **finished_runs,
        }
        settings = own.model_dump(mode="json")
        again = experiment_of(settings, changes, "the training with dev")
        folder = RunFolder(run.path / WITH_DEV)
        log.info("again with dev: %d epochs, in %s", epochs, folder.path)
        yield StageRun(stage, again, folder, earlier)
        earlier = folder
        if stage.setting:
            # the same from any working directory: resuming compares settings
            finished_runs[stage.setting] = str(folder.path.resolve())


def _check_finished_run(stage: Stage, run: RunFolder, experiment: Experiment) -> None:
    """Raises `InputError` for a run folder that cannot take the place of a stage."""
    if not run.is_started():
        raise InputError(
            f"'{stage.setting}': {run.path} is no run folder. Train it first, or leave "
            f"'{stage.setting}' out"
        )
    if not is_finished(run):
        raise InputError(f"'{stage.setting}': {run.path} has not finished its training")
    if stage.check_run:
        try:
            stage.check_run(run.experiment(), experiment)
        except ValueError as error:
            raise InputError(f"'{stage.setting}': {run.path} {error}") from error


def has_lost_its_state(run: RunFolder) -> bool:
    """Whether a run has trained to its end and its state is gone: it was pulled from a
    hub, for instance, or the user has removed it.

    Raises: `InputError` for one that has not trained to its end.
    """
    facts = run.path / "environment.json"
    if run.state.is_file() or not facts.is_file() or "steps" not in run.environment():
        return False
    if not is_finished(run):
        raise InputError(
            f"{run.path} cannot be resumed: it has lost its training state, {run.state}"
        )
    return True


def count_chosen_epochs(run: RunFolder, selects: str) -> int:
    """The epochs after which dev was best, at least 1.

    Args:
        run: a finished `RunFolder`.
        selects: the dev metric.

    Raises: `InputError` for a run without such a history.
    """
    key = f"val_{selects}"
    evaluated: list[dict[str, Any]] = [
        row for row in read_history(run) if row.get(key) is not None
    ]
    if not evaluated:
        raise InputError(f"{run.path}: history.csv has no '{key}'")
    best = max(evaluated, key=lambda row: row[key])  # the first of equal ones
    return max(1, round(best.get("epoch") or 1))
