"""The manifest of a complete result: what it was made of, and its checksums.

{"format": 1, "file": "vectors.npy",
 "settings": {"what": "vectors", "run": {"best.weights.h5": "SHA-256", ...},
  "input": "SHA-256", "columns": null, "word_vectors": null, "shard_rows": 20000,
  "dtype": "float32", "backend": "tensorflow", "version": "0.1.0"},
 "source": "sentences.txt", "rows": 50000, "units": 1200,
 "shards": [
  {"rows": 20000, "sha256": "..."},
  {"rows": 20000, "sha256": "..."},
  {"rows": 10000, "sha256": "..."}]}
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.inference.bulk.shards import (
    FILES,
    VECTORS,
    Plan,
    check_settings,
    is_count,
    read_record,
)
from dsa.system.atomic_files import write_atomically
from dsa.system.reading import check_regular

MANIFEST = "manifest.json"
FORMAT = 1
KINDS = {"file": str, "settings": dict, "rows": int, "shards": list}


def write_manifest(folder: Path, plan: Plan, facts: dict[str, Any]) -> None:
    """Writes the manifest of a complete result with the facts of
    `Shards.join_results`, atomically."""
    shards = ",\n  ".join(map(json.dumps, facts.pop("shards")))  # a line each
    content = {
        "format": FORMAT,
        "file": FILES[plan.settings["what"]],
        "settings": plan.settings,
        "source": plan.source,
        "rows": plan.rows,
        **facts,
    }
    text = json.dumps(content, indent=1).removesuffix("\n}")
    write_atomically(folder / MANIFEST, f'{text},\n "shards": [\n  {shards}\n ]\n}}\n')


def read_manifest(folder: str | Path) -> dict[str, Any] | None:
    """Returns the manifest of a folder; `None` if there is none.

    Raises: `InputError` for a damaged one, or one of another version.
    """
    path = Path(folder, MANIFEST)
    content = read_record(path, FORMAT, KINDS)
    if content is None:
        return None
    check_settings(path, content["settings"])
    if content["file"] != FILES[content["settings"]["what"]]:
        raise InputError(f"{path}: damaged: 'file' is not that of its settings")
    if not all(map(_is_shard, content["shards"])):
        raise InputError(f"{path}: damaged: each of 'shards' has 'rows' and 'sha256'")
    if sum(shard["rows"] for shard in content["shards"]) != content["rows"]:
        raise InputError(f"{path}: damaged: 'rows' is not the sum of the shards' rows")
    return content


def _is_shard(shard):
    return (
        isinstance(shard, dict)
        and is_count(shard.get("rows"))
        and isinstance(shard.get("sha256"), str)
    )


def open_vectors(folder: str | Path, verify: bool = False) -> np.memmap:
    """Opens the vectors that `dsa encode --shard-rows` has written, as one array.

    Only the parts that are used are read from the disk.

    Args:
        folder: the folder of the result.
        verify: whether all bytes are compared with the manifest's SHA-256; otherwise
            only size, shape and type are.

    Returns: a read-only array `(rows, units)`, in the order of the input.

    Raises: `InputError` for a folder without a complete result, and for vectors that
        are not as the manifest says.
    """
    manifest = read_manifest(folder)
    if manifest is None or manifest["settings"]["what"] != VECTORS:
        raise InputError(f"{folder}: no complete vectors: no {MANIFEST} of vectors")
    path = Path(folder, manifest["file"])
    check_regular(path)
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError, OverflowError) as error:
        raise InputError(f"{path}: missing or damaged: {error}") from error
    said = (manifest["rows"], manifest.get("units")), manifest["settings"].get("dtype")
    if (vectors.shape, vectors.dtype.name) != said:
        raise InputError(
            f"{path}: {vectors.shape} {vectors.dtype.name}, but the manifest says "
            f"{said[0]} {said[1]}"
        )
    if path.stat().st_size != vectors.offset + vectors.nbytes:
        raise InputError(f"{path}: has more bytes than its vectors")
    if verify:
        _verify(path, vectors, manifest["shards"])
    return vectors


def _verify(path, vectors, shards):
    """Compares each shard with its SHA-256."""
    start = 0
    for number, shard in enumerate(shards, start=1):
        rows = vectors[start : start + shard["rows"]]
        start += len(rows)
        if hashlib.sha256(rows).hexdigest() != shard["sha256"]:
            raise InputError(f"{path}: shard {number}: another SHA-256")
