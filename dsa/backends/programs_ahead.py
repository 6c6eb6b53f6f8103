"""Parallel compilation of the training step for all padded shapes (JAX)."""

import concurrent.futures
import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import keras

from dsa.backends.compilation import compiles_each_shape

log = logging.getLogger(__name__)


class ProgramsAhead:
    """A training step that compiles the programs of all shapes at its first call.

    The first call traces the step for each example, starting with its own batch, while
    threads compile the programs. A call waits only for its own program. A batch of an
    unknown shape is compiled when it is used.

    Args:
        examples: a batch of each shape.
    """

    def __init__(self, examples: Iterable[Any]) -> None:
        self._examples = {_describe(batch): batch for batch in examples}
        self._step: Any = None
        self._programs: dict[Any, concurrent.futures.Future[Any]] = {}

    def wrap(self, step: Any) -> Callable[[Any, Any], Any]:
        """Returns a function of state and batch that computes a step of `jax.jit`."""
        self._step = step
        return self._call

    def _call(self, state, batch):
        if self._examples:
            self._start(state, batch)
        program = self._programs.get(_describe(batch))
        return (program.result() if program else self._step)(state, batch)

    def _start(self, state, batch):
        examples = {_describe(batch): batch} | self._examples
        self._examples = {}
        log.info("compiling %d programs, one for each padded shape", len(examples))
        workers = min(len(examples), os.cpu_count() or 1)
        threads = concurrent.futures.ThreadPoolExecutor(workers)
        for shape, example in examples.items():
            lowered = self._step.lower(state, example)
            self._programs[shape] = threads.submit(lowered.compile)
        threads.shutdown(wait=False)

    def stop(self) -> None:
        """Cancels pending compilations."""
        for program in self._programs.values():
            program.cancel()


def _describe(batch):
    """Returns shape and type of each array of a batch. All batches of a training have
    the same structure."""
    return tuple((tuple(a.shape), a.dtype) for a in keras.tree.flatten(batch))


@contextlib.contextmanager
def compiling_ahead(model: Any, batches: Iterable[Any]) -> Iterator[None]:
    """Compiles the training programs of all shapes in parallel inside the context.

    It is a no-op on TensorFlow and PyTorch, and for a model on several devices.

    Args:
        model: a compiled Keras model.
        batches: the batches of `fit`.
    """
    if not compiles_each_shape() or keras.distribution.distribution() is not None:
        yield
        return
    model.programs = ProgramsAhead(batches)
    try:
        yield
    finally:
        model.programs.stop()
