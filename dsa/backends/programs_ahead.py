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
    """Training step that compiles the programs of all shapes in its first call.

    The first call traces the step for its batch and for each example, while threads
    compile the programs. A call waits only for its own program. Programs for shapes
    without an example are compiled on first use.

    Args:
        examples: an example batch of each shape.
    """

    def __init__(self, examples: Iterable[Any]) -> None:
        self._examples = {_read_signature(batch): batch for batch in examples}
        self._step: Any = None
        self._programs: dict[Any, concurrent.futures.Future[Any]] = {}

    def wrap(self, step: Any) -> Callable[[Any, Any], Any]:
        """Returns a training step that uses the compiled programs.

        Args:
            step: function of the training state and a batch, from `jax.jit`.
        """
        self._step = step
        return self._call

    def _call(self, state, batch):
        if self._examples:
            self._start(state, batch)
        program = self._programs.get(_read_signature(batch))
        if program is None:
            return self._step(state, batch)
        return program.result()(state, batch)

    def _start(self, state, batch):
        """Starts the compilation for the batch, then for all examples."""
        examples = {_read_signature(batch): batch} | self._examples
        self._examples = {}
        log.info("compiling %d programs, one for each padded shape", len(examples))
        workers = min(len(examples), os.cpu_count() or 1)
        threads = concurrent.futures.ThreadPoolExecutor(workers)
        for signature, example in examples.items():
            lowered = self._step.lower(state, example)
            self._programs[signature] = threads.submit(lowered.compile)
        threads.shutdown(wait=False)

    def stop(self) -> None:
        """Cancels pending compilations."""
        for program in self._programs.values():
            program.cancel()


def _read_signature(batch):
    """Returns the shape and dtype of each array of a batch, as a dictionary key."""
    arrays = keras.tree.flatten(batch)
    return tuple((tuple(array.shape), array.dtype) for array in arrays)


@contextlib.contextmanager
def compiling_ahead(model: Any, batches: Iterable[Any]) -> Iterator[None]:
    """Context manager in which `fit` compiles the programs of all shapes in parallel.

    Does nothing on TensorFlow and PyTorch, and on several devices.

    Args:
        model: a compiled Keras model.
        batches: example batches of all shapes.
    """
    if not compiles_each_shape() or keras.distribution.distribution() is not None:
        yield
        return
    model.programs = ProgramsAhead(batches)
    try:
        yield
    finally:
        model.programs.stop()
