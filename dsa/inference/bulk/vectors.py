"""Sentence vectors in memory-mapped shards."""

from pathlib import Path
from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.inference.bulk.manifest import VECTORS, Manifest


class ShardedVectors:
    """Sentence vectors `(rows, units)` in memory-mapped shards.

    Indexing with an integer, a slice or an array of integers reads only the selected
    rows and returns a NumPy array. `np.asarray` reads all rows.

    Attributes:
        shards: list of arrays `(shard rows, units)`, in the order of the input.
        shape: the tuple `(rows, units)`.
        dtype: float32 or float16.
    """

    def __init__(self, shards: list[np.ndarray]) -> None:
        self.shards = shards
        self._ends = np.cumsum([len(shard) for shard in shards])
        self.shape = (sum(len(shard) for shard in shards), shards[0].shape[1])
        self.dtype = shards[0].dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> np.ndarray:
        rows = np.arange(len(self))[rows]  # NumPy checks the range
        shard_numbers = np.searchsorted(self._ends, rows, side="right")
        selected = np.empty((*rows.shape, self.shape[1]), self.dtype)
        for number in np.unique(shard_numbers):
            shard = self.shards[number]
            in_shard = shard_numbers == number
            start = self._ends[number] - len(shard)
            selected[in_shard] = shard[rows[in_shard] - start]
        return selected

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.concatenate(self.shards, dtype=dtype)


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
    shards: list[np.ndarray] = []
    for number, rows in enumerate(manifest.shards):
        path = manifest.locate_shard(folder, number)
        try:
            shard = np.load(path, mmap_mode="r", allow_pickle=False)
            units = shards[0].shape[1] if shards else shard.shape[-1]
            if shard.shape != (rows, units) or shard.dtype != manifest.dtype:
                raise ValueError(
                    f"expected {manifest.dtype} ({rows}, {units}). Received: "
                    f"{shard.dtype} {shard.shape}"
                )
        except (OSError, ValueError, EOFError, OverflowError) as error:
            raise InputError(
                f"{path}: damaged: {error}. Delete it and run the same command again"
            ) from error
        shards.append(shard)
    return ShardedVectors(shards)
