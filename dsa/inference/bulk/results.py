"""Where the results of shards go.

A shard is finished when it has a record, which is written after its result has reached
the disk. Whatever a killed job has left without a record is written again.
"""

import hashlib
import io
import json
import os
import shutil
from pathlib import Path

import numpy as np

from dsa.errors import InputError
from dsa.inference.bulk.plan import PREDICTIONS, VECTORS
from dsa.system.atomic_files import write_atomically

SHARDS = "shards"  # the folder of records
CHUNK = 2**24  # bytes


class Results:
    """The results of a plan's shards.

    Args:
        work: the folder of the work.
        plan: the `Plan`.
    """

    file = None  # the name of the complete result

    def __init__(self, work, plan):
        self.work, self.plan = Path(work), plan
        self.folder = self.work / SHARDS

    def read_record(self, number):
        """The record of a shard, a dictionary with `rows` and `sha256`; `None` if it is
        not finished."""
        try:
            record = json.loads((self.folder / f"{number:07}.json").read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return record if record.get("plan") == self.plan.id else None

    def is_finished(self, number):
        """Whether a shard is."""
        return self.read_record(number) is not None

    def _write_record(self, number, digest, **facts):
        record = {
            "plan": self.plan.id,
            "rows": self.plan.shards[number].rows,
            "sha256": digest,
            **facts,
        }
        write_atomically(self.folder / f"{number:07}.json", json.dumps(record))


class VectorResults(Results):
    """Vectors in one `.npy` file. Every shard has its place in it.

    Jobs write into one file instead of one each: nothing has to be copied at the end,
    when there can be tens of gigabytes, and the result is an array that `numpy.load`
    maps into memory. A job writes only its own bytes and reads none, so that machines
    that share the file by NFS cannot write each other's bytes back.
    """

    file = f"{VECTORS}.npy"

    @property
    def dtype(self):
        return np.dtype(self.plan.settings["dtype"]).newbyteorder("<")

    def open(self, units):
        """Make the file, if no other job has. All jobs write the same header.

        Args:
            units: features of a vector.

        Raises: `InputError` if the disk has no room for it.
        """
        header = make_header((self.plan.rows, units), self.dtype)
        path = self.work / self.file
        size = len(header) + self.plan.rows * units * self.dtype.itemsize
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        has = os.fstat(self._file).st_blocks * 512
        free = shutil.disk_usage(self.work).free
        if size - has > free:
            raise InputError(
                f"{path}: {size / 2**30:.1f} GB are needed, {free / 2**30:.1f} GB are "
                "free"
            )
        os.ftruncate(self._file, size)
        _write_at(self._file, header, 0)
        self._begin, self._row_bytes = len(header), units * self.dtype.itemsize
        self._units = units

    def write(self, number, vectors):
        """Write the vectors of a shard, and its record."""
        with np.errstate(over="ignore"):
            vectors = vectors.astype(self.dtype)
        if not np.isfinite(vectors).all():
            raise InputError(
                f"shard {number}: a vector has a number that {self.dtype.name} does "
                "not hold"
            )
        content = memoryview(np.ascontiguousarray(vectors)).cast("B")
        first = self.plan.shards[number].first
        _write_at(self._file, content, self._begin + first * self._row_bytes)
        os.fsync(self._file)
        digest = hashlib.sha256(content).hexdigest()
        self._write_record(number, digest, units=self._units)

    def finish(self, target):
        """Move the complete file to its place.

        Returns: facts for the manifest.
        """
        units = self.read_record(0)["units"]
        if (self.work / self.file).exists():  # else it was moved by a killed call
            os.replace(self.work / self.file, target)
        return {"units": units}


class PredictionResults(Results):
    """Predictions as JSON lines: a file for each shard, joined at the end."""

    file = f"{PREDICTIONS}.jsonl"

    def write(self, number, lines):
        """Write the lines of a shard, a text, and its record."""
        content = lines.encode()
        write_atomically(self._name_part(number), content)
        self._write_record(
            number, hashlib.sha256(content).hexdigest(), lines=lines.count("\n")
        )

    def finish(self, target):
        """Join the files of all shards.

        Returns: facts for the manifest.

        Raises: `InputError` for a file that has changed.
        """
        lines = 0

        def join(path):
            nonlocal lines
            with open(path, "wb") as file:
                for number in range(len(self.plan.shards)):
                    record = self.read_record(number)
                    content = self._name_part(number).read_bytes()
                    if hashlib.sha256(content).hexdigest() != record["sha256"]:
                        raise InputError(f"{self._name_part(number)}: damaged")
                    file.write(content)
                    lines += record["lines"]

        write_atomically(target, join)
        return {"lines": lines}

    def _name_part(self, number):
        return self.folder / f"{number:07}-{self.plan.id}.jsonl"


KINDS = {VECTORS: VectorResults, PREDICTIONS: PredictionResults}


def make_header(shape, dtype):
    """The first bytes of a `.npy` file."""
    header = io.BytesIO()
    facts = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": shape,
    }
    np.lib.format.write_array_header_1_0(header, facts)
    return header.getvalue()


def _write_at(file, content, place):
    """Write all bytes of a content at a place of a file."""
    content = memoryview(content)
    for begin in range(0, len(content), CHUNK):
        part = content[begin : begin + CHUNK]
        while part:
            written = os.pwrite(file, part, place)
            part, place = part[written:], place + written
