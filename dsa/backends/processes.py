"""One training on several processes, of this machine or of several ones (JAX).

Every process runs the same program on its share of every batch's rows, and holds the
whole model. So all of them find the same weights and take the same decisions.
"""

import atexit
import contextlib
import dataclasses
import hashlib
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import keras
import numpy as np

from dsa.errors import BusyError, InputError

LOST = re.compile("Gloo|UNAVAILABLE|heartbeat")  # in the messages of JAX


@dataclasses.dataclass(frozen=True)
class Place:
    """One process of several.

    Args:
        coordinator: "host:port", an address of the machine of process 0 and a port that
            is free there.
        count: the number of processes.
        index: which one it is, from 0.
    """

    coordinator: str
    count: int
    index: int


@contextlib.contextmanager
def join_processes(place: Place) -> Iterator[None]:
    """Waits for the other processes, and is one of them inside the context.

    JAX must not have computed anything before.

    Raises: `InputError` on another backend than JAX, and if the others do not come
        within 5 minutes; `BusyError` if another one ends before this one.
    """
    if keras.backend.backend() != "jax":
        raise InputError(
            "--processes: one training on several processes needs KERAS_BACKEND=jax"
        )
    import jax

    jax.config.update("jax_enable_preemption_service", False)  # it ignores SIGTERM
    keras.utils.set_random_seed(0)  # else Keras draws one on every process
    try:
        keras.distribution.initialize(place.coordinator, place.count, place.index)
    except (RuntimeError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise InputError(
            f"--coordinator {place.coordinator}: process {place.index} has not met the "
            f"other ones: {reason}"
        ) from error
    try:
        yield
    except (RuntimeError, ValueError) as error:
        if isinstance(error, InputError) or not LOST.search(str(error)):
            raise
        # JAX would wait for the lost one for minutes, and then abort
        atexit.register(_leave_at_once, BusyError.exit_code)
        raise BusyError(
            f"process {place.index}: another process of this training has ended. Start "
            "all of them again with --resume"
        ) from error
    jax.distributed.shutdown()


def _leave_at_once(code):
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def count_processes() -> int:
    """Returns the number of processes of this training."""
    if keras.backend.backend() != "jax":
        return 1
    import jax

    return jax.process_count()


def agree_on(what: str, text: str) -> None:
    """Waits until every process is here and has the same text. One process agrees.

    Raises: `InputError` on every process if one has another text; it says `what`.
    """
    if count_processes() == 1:
        return
    from jax.experimental import multihost_utils

    digest = hashlib.sha256(text.encode()).digest()
    texts = multihost_utils.process_allgather(np.frombuffer(digest, np.uint8))
    if (texts != texts[0]).any():
        raise InputError(f"the processes of this training have not the same {what}")


def take_own_rows(batch: Any) -> Any:
    """Returns the rows of a batch that this process computes with: (nested) arrays, of
    a multiple of the number of processes."""
    count = count_processes()
    if count == 1:
        return batch
    import jax

    def take(array):
        rows = len(array) // count
        begin = rows * jax.process_index()
        return array[begin : begin + rows]

    return keras.tree.map_structure(take, batch)
