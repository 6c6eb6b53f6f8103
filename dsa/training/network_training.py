"""Training of a network, step by step."""

import dataclasses
import json
import logging

import keras

from dsa.backends.compilation import keep_programs
from dsa.backends.devices import Devices, raise_memory_error
from dsa.backends.feed import feed
from dsa.backends.processes import agree_on, count_processes, take_own_rows
from dsa.data.batching.fixed_size import fill_to_batch_size
from dsa.data.batching.training_batches import TrainingBatches
from dsa.inference.corpus_inference import build_inference
from dsa.inference.corpus_metrics import evaluate_corpus, read_labelled_rows
from dsa.system import environment
from dsa.training import callbacks
from dsa.training.batches import make_batches
from dsa.training.checkpoint import Checkpoint, dev_values
from dsa.training.compiled_model import (
    check_steps_at_once,
    compiled_model,
    parameters,
)
from dsa.training.progress import Progress
from dsa.training.schedules import schedule_callbacks
from dsa.training.session import Session
from dsa.training.stages.first_block import copy_first_block
from dsa.training.stages.refit import make_refit
from dsa.training.steps import Steps, plan_steps
from dsa.training.tracking.mirror import Mirror
from dsa.training.training_state import Record, load_state

LESS_MEMORY = "a smaller 'training.batch_size' or 'training.max_tokens' needs less"
log = logging.getLogger(__name__)


class NetworkTrainer:
    """Trains a Keras model; a stopped run goes on from its last evaluation and ends as
    if it had never stopped.

    Args:
        experiment: the `Experiment`.

    Raises: `InputError` for what this backend cannot do.
    """

    def __init__(self, experiment):
        self.devices = Devices(experiment.training.devices)
        check_steps_at_once(experiment.training)

    @staticmethod
    def can_resume(run):
        """Whether a run folder holds a state to go on from."""
        return run.state.is_file()

    def train(self, session):
        """Train to the last step.

        Raises: `InputError` when the loss is no number any more, `MemoryError` where
            the memory of this machine or its GPU ends.
        """
        keep_programs()
        agree_on("data", json.dumps(session.data.facts(), sort_keys=True))
        keras.utils.set_random_seed(session.experiment.seed)
        model, record = self._build_model(session)
        batches = make_batches(session.experiment, session.data)
        steps = plan_steps(session.experiment.training, batches.steps_per_epoch)
        facts = session.facts(
            parameters(model),
            devices=len(self.devices),
            processes=count_processes(),
            frozen_rows=session.data.words.frozen_rows,
        )
        with Mirror(session.experiment, session.run) as mirror:
            report = Report(session, facts, batches.steps_per_epoch, mirror)
            if record and (record.stopped or record.step >= steps.last):
                self._end_again(session, record, report)
                return
            report.begin()
            _log_facts(facts, session.experiment)
            fit = Fit(session, model, batches, steps, self.devices, record, report)
            with self.devices.training_scope(), raise_memory_error(LESS_MEMORY):
                fit.run()

    def _build_model(self, session):
        """The model, and the `Record` that it goes on from, or `None`."""
        words, record = session.data.words, None
        with self.devices.building_scope():
            model = compiled_model(
                session.experiment, len(words.vocabulary), words.frozen_rows
            )
            if session.resumed:
                record = load_state(session.run.state, model)
            else:
                model.embedding.set_vectors(words.vectors)
                if session.first:
                    copy_first_block(session.first, model, session.root)
        return model, record

    def _end_again(self, session, record, report):
        """What is left to do of a run that has trained to its end."""
        log.info("%s has finished training already", session.run.path)
        _log_best(record.history, session.task.selects)
        if session.earlier.get("steps") != record.step:
            # killed between its last state and its last report
            report.write(record.history, record.stopped)
        else:
            report.mirror.write(record.history)


class Report:
    """Writes `environment.json` at the beginning and after every evaluation, and then
    what the trackers get.

    Args:
        session: the `Session`.
        facts: its facts.
        steps_per_epoch: steps in one pass over the training rows.
        mirror: the `Mirror`.
    """

    def __init__(self, session, facts, steps_per_epoch, mirror):
        self.session = session
        self.earlier_seconds = session.earlier.get("wall_seconds", 0)
        self.facts = {**facts, "wall_seconds": self.earlier_seconds}
        self.steps_per_epoch = steps_per_epoch
        self.mirror = mirror

    def begin(self):
        """Write what is known before the first step."""
        self.session.write_facts(self.facts)

    def write(self, history, stopped):
        """Write steps, seconds and memory so far; `seconds_per_epoch` is of training
        steps."""
        steps = history[-1]["step"]
        seconds = sum(row["seconds"] for row in history)
        self.session.write_facts(
            self.facts,
            steps=steps,
            steps_per_epoch=self.steps_per_epoch,
            seconds_per_epoch=round(seconds * self.steps_per_epoch / steps, 3),
            wall_seconds=round(self.earlier_seconds + self.session.seconds(), 3),
            peak_memory_bytes=environment.peak_memory(),
            stopped=stopped,
        )
        self.mirror.write(history)


@dataclasses.dataclass(frozen=True)
class Fit:
    """A call of Keras's `fit`, from where `record` says or from the start.

    Args:
        session: the `Session`.
        model: the compiled model.
        batches: the training batches.
        steps: the `Steps`.
        devices: the `Devices`.
        record: the `Record` of the state to go on from, or `None`.
        report: the `Report`.
    """

    session: Session
    model: keras.Model
    batches: TrainingBatches
    steps: Steps
    devices: Devices
    record: Record | None
    report: Report

    def run(self):
        """Train to the last step."""
        selects = self.session.task.selects
        schedule = schedule_callbacks(
            self.session.experiment.training,
            selects,
            self.session.run,
            self.steps,
            self.batches.steps_per_epoch,
        )
        checkpoint = Checkpoint(
            self.steps,
            self.session.run,
            selects,
            self.batches.steps_per_epoch,
            schedule,
            self.record,
            self.report.write,
        )
        first = self.record.step if self.record else 0
        self.model.fit(
            feed(lambda: map(self._make_batch, self.steps.ranges(first))),
            steps_per_epoch=self.steps.calls,
            initial_epoch=self.record.evaluations if self.record else 0,
            epochs=self.steps.intervals,
            verbose=0,
            shuffle=False,  # the batches come in their order
            callbacks=[*self._callbacks(schedule), checkpoint],
        )
        _log_best(checkpoint.history, selects)

    def _callbacks(self, schedule):
        config, steps = self.session.experiment.training, self.steps
        return [
            callbacks.StopAtNaN(steps),
            Progress(steps, config.batch_size),
            callbacks.StopAtStep(steps),
            callbacks.DevEvaluation(
                steps,
                self._dev_evaluation(),
                self.session.task.selects,
                self._first_evaluation(),
            ),
            *schedule,
        ]

    def _first_evaluation(self):
        """The first step after which dev is evaluated: the last one if training has
        dev's rows, because then dev chooses nothing."""
        experiment = self.session.experiment
        if experiment.data.train_on_dev:
            return self.steps.last
        return experiment.training.evaluate_from

    def _make_batch(self, numbers):
        """What one call of the compiled program gets for some steps, by number."""
        if self.steps.at_once > 1:
            return self.batches.stack_batches(numbers)
        batch = self.batches.make_batch(numbers[0])
        if len(self.devices) == 1:
            return batch
        rows = self.devices.round_up(len(batch[1]))
        return take_own_rows(fill_to_batch_size(batch, rows))

    def _dev_evaluation(self):
        """A function to the metrics on dev."""
        data, dev = self.session.data, self.session.data.corpora["dev"]
        inference = build_inference(self.session.experiment, self.model)
        rows = read_labelled_rows(data.reader, data.vocabulary, dev)
        refit = make_refit(self.session, self.model)

        def evaluate():
            with self.devices.evaluation_scope():
                refit()
                return evaluate_corpus(inference, rows, dev, data.task)

        return evaluate


def _log_facts(facts, experiment):
    for split, unknown in facts["unknown"].items():
        log.info(
            "%s: %.2f %% of words and %.2f %% of tokens unknown",
            split,
            100 * unknown["unknown_word_share"],
            100 * unknown["unknown_token_share"],
        )
    log.info(
        "%s: %s trainable parameters without embeddings, vocabulary of %d",
        experiment.model.name,
        f"{facts['parameters']['trainable_without_embeddings']:,}",
        facts["vocabulary_size"],
    )


def _log_best(history, metric):
    best = max(dev_values(history, metric))
    log.info(
        "best dev %s %.4f at step %d of %d",
        metric,
        best,
        next(row["step"] for row in history if row[f"val_{metric}"] == best),
        history[-1]["step"],
    )
