"""The programs of a training step, one for each padded shape, compiled beside each
other before they are needed (JAX)."""

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
    """A training step, whose programs are compiled when it is first called.

    The first call traces the step for each example, its own batch first, and threads
    compile the programs meanwhile. A call waits for its own program only. A batch of
    another shape is compiled when it comes.

    Args:
        examples: a batch of each shape.
    """

    def __init__(self, examples: Iterable[Any]) -> None:
        self._examples = {_describe(batch): batch for batch in examples}
        self._step: Any = None
        self._programs: dict[Any, concurrent.futures.Future[Any]] = {}

    def wrap(self, step: Any) -> Callable[[Any, Any], Any]:
        """Returns a function of state and batch that does what `step` does, which
        `jax.jit` has made."""
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
        """Leaves what is not being compiled yet."""
        for program in self._programs.values():
            program.cancel()


def _describe(batch):
    """Shape and type of each array of a batch. All batches of a training have one
    structure."""
    return tuple((tuple(a.shape), a.dtype) for a in keras.tree.flatten(batch))


@contextlib.contextmanager
def compiling_ahead(model: Any, batches: Iterable[Any]) -> Iterator[None]:
    """Inside the context `fit` compiles the programs of all shapes of some batches
    beside each other. It does nothing on TensorFlow and PyTorch, which compile no
    shapes, and where the model is spread over several devices.

    Args:
        model: a compiled Keras model.
        batches: as `fit` gets them.
    """
    if not compiles_each_shape() or keras.distribution.distribution() is not None:
        yield
        return
    model.programs = ProgramsAhead(batches)
    try:
        yield
    finally:
        model.programs.stop()
