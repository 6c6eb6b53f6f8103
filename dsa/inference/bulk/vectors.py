"""Sentence vectors in memory-mapped shards."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.inference.bulk.manifest import VECTORS, Manifest


class Shards(Sequence[np.ndarray]):
    """Sequence of memory-mapped arrays, mapped on access.

    Each mapped file uses a file descriptor until its array is deleted, and the number
    of descriptors of a process is limited.

    Args:
        paths: paths of `.npy` files.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, number: Any) -> Any:
        return np.load(self._paths[number], mmap_mode="r", allow_pickle=False)


class ShardedVectors:
    """Sentence vectors `(rows, units)` in memory-mapped shards.

    Indexing with an integer, a slice or an array of integers reads only the selected
    rows and returns a NumPy array. `np.asarray` reads all rows.

    Attributes:
        shards: sequence of arrays `(shard rows, units)`, in the order of the input.
        shape: the tuple `(rows, units)`.
        dtype: float32 or float16.
    """

    def __init__(self, shards: Shards, rows: Sequence[int]) -> None:
        self.shards = shards
        self._ends = np.cumsum(rows)
        self.shape = (int(self._ends[-1]), shards[0].shape[1])
        self.dtype = shards[0].dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> np.ndarray:
        selected_rows = self._find_rows(rows)
        shard_numbers = np.searchsorted(self._ends, selected_rows, side="right")
        selected = np.empty((*selected_rows.shape, self.shape[1]), self.dtype)
        for number in np.unique(shard_numbers):
            shard = self.shards[number]
            in_shard = shard_numbers == number
            start = self._ends[number] - len(shard)
            selected[in_shard] = shard[selected_rows[in_shard] - start]
        return selected

    def __iter__(self) -> Iterator[np.ndarray]:
        for shard in self.shards:
            yield from np.array(shard)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        vectors = np.empty(self.shape, dtype or self.dtype)
        start = 0
        for shard in self.shards:
            vectors[start : start + len(shard)] = shard
            start += len(shard)
        return vectors

    def _find_rows(self, rows):
        """Returns an index as an array of row numbers from 0.

        Raises: `IndexError` if a row is out of range or the index has another type.
        """
        count = len(self)
        if isinstance(rows, slice):
            selected = range(count)[rows]
            return np.arange(selected.start, selected.stop, selected.step)
        rows = np.zeros(0, int) if isinstance(rows, list) and not rows else rows
        numbers = np.asarray(rows)
        if isinstance(rows, tuple) or numbers.dtype.kind not in "iub":
            raise IndexError("the index must be an integer, a slice or an array")
        if numbers.dtype == bool:
            if numbers.shape != (count,):
                raise IndexError(f"a mask must have {count} values")
            return np.flatnonzero(numbers)
        if numbers.size and not -count <= numbers.min() <= numbers.max() < count:
            raise IndexError(f"row out of range: there are {count} rows")
        return np.where(numbers < 0, numbers + count, numbers)


def open_vectors(folder: str | Path) -> ShardedVectors:
    """Opens the output folder of `dsa encode --shard-rows`; see `dsa.open_vectors`.

    Raises: `InputError` if the folder contains no vectors, or if a shard is missing or
        damaged.
    """
    folder = Path(folder)
    manifest = Manifest.read(folder)
    if manifest is None or manifest.output != VECTORS:
        raise InputError(
            f"{folder}: expected the output folder of `dsa encode --shard-rows`"
        )
    unfinished = len(manifest.list_unfinished(folder))
    total = len(manifest.shards)
    if unfinished:
        raise InputError(
            f"{folder}: {unfinished} of {total} shards are missing. Run the same "
            "`dsa encode` command again"
        )
    paths = [manifest.locate_shard(folder, n) for n in range(len(manifest.shards))]
    shards = Shards(paths)
    units = None
    for number, rows in enumerate(manifest.shards):
        try:
            shard = shards[number]
            units = units or shard.shape[-1]
            if shard.shape != (rows, units) or shard.dtype != manifest.dtype:
                raise ValueError(
                    f"expected {manifest.dtype} ({rows}, {units}). Received: "
                    f"{shard.dtype} {shard.shape}"
                )
        except (OSError, ValueError, EOFError, OverflowError) as error:
            raise InputError(
                f"{paths[number]}: damaged: {error}. Delete it and run the same "
                "command again"
            ) from error
    return ShardedVectors(shards, manifest.shards)
