"""How the steps of a training follow each other: evaluations, its end, and how many
steps one call of the compiled program takes."""

import dataclasses
import itertools

from dsa.errors import InputError


@dataclasses.dataclass(frozen=True)
class Steps:
    """Steps are counted over the whole training, from 1.

    Args:
        interval: steps between two evaluations.
        last: the step that training ends with.
        at_once: steps a call. The last call before an evaluation or the end can have
            fewer; a compiler makes a further program for it.
    """

    interval: int
    last: int
    at_once: int = 1

    @property
    def intervals(self):
        return -(-self.last // self.interval)

    @property
    def calls(self):
        """Calls an interval."""
        return -(-self.interval // self.at_once)

    def end_of(self, evaluations, call):
        """The step that a call ends with; calls count from 0 after an evaluation."""
        step = evaluations * self.interval
        return min(step + min((call + 1) * self.at_once, self.interval), self.last)

    def ranges(self, first):
        """Yields the range of step numbers of each call, without end.

        Steps count from 0 here. The first range is that of the interval that begins
        after step `first`. Ranges past `last` are never used.
        """
        for begin in itertools.count(first, self.interval):
            end = begin + self.interval
            for start in range(begin, end, self.at_once):
                stop = min(start + self.at_once, end)
                yield range(start, min(stop, self.last) if start < self.last else stop)


def plan_steps(config, steps_per_epoch):
    """The `Steps` of a `TrainingConfig`.

    Raises: `InputError` if dev would never be evaluated.
    """
    last = config.last_step(steps_per_epoch)
    if config.evaluate_from > last:
        raise InputError(
            f"'training.evaluate_from', {config.evaluate_from}, is after the last "
            f"step, {last}: nothing would be selected"
        )
    interval = config.evaluate_every or steps_per_epoch
    return Steps(interval, last, config.steps_at_once)
