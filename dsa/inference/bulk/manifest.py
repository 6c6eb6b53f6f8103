"""Manifest of a bulk inference job.

    manifest.json     settings and shard sizes, written first
    part-00000.npy    vectors of the first shard (predictions: part-00000.jsonl)
    unfinished/       logs and a copy of standard input, deleted at the end

A shard is finished if its file exists, because the file is written atomically.
"""

from pathlib import Path
from typing import Literal

import pydantic

from dsa.errors import InputError
from dsa.runs.run_files import MODEL_FILES
from dsa.runs.run_folder import RunFolder
from dsa.system.atomic_files import write_atomically
from dsa.system.reading import fingerprint, read_text

MANIFEST, UNFINISHED = "manifest.json", "unfinished"
VECTORS, PREDICTIONS = "vectors", "predictions"
ONNX = "onnx"  # backend


class Manifest(pydantic.BaseModel, frozen=True, extra="forbid"):
    """Settings of a bulk inference job, and the number of rows of each shard."""

    format: Literal[2] = 2
    output: Literal["vectors", "predictions"]
    source: str  # name of the input in messages
    input_sha256: str
    form: Literal["sentences", "pairs", "questions"]
    columns: dict[str, str] | None
    run_sha256: dict[str, str]  # by name of the model file
    word_vectors_sha256: str | None  # of the vector file for unknown words
    dtype: Literal["float32", "float16"] | None  # `None` for predictions
    backend: str  # backend of Keras, or "onnx"
    version: str
    shard_rows: int
    shards: list[pydantic.PositiveInt] = []  # rows per shard; empty until known

    @classmethod
    def read(cls, folder: Path) -> "Manifest | None":
        """Reads the manifest of a folder, or returns `None` if it is missing.

        Raises: `InputError` if the manifest is damaged or has another format version.
        """
        path = folder / MANIFEST
        if not path.exists():
            return None
        try:
            return cls.model_validate_json(read_text(path))
        except pydantic.ValidationError as error:
            raise InputError(
                f"{path} is damaged or was written by another version of dsa. Use "
                "--force to start again"
            ) from error

    def write(self, folder: Path) -> None:
        """Writes `manifest.json` to a folder."""
        write_atomically(folder / MANIFEST, self.model_dump_json(indent=1) + "\n")

    def check_settings(self, folder: Path, current: "Manifest") -> None:
        """Raises `InputError` if settings other than `source` and `shards` differ.

        Args:
            folder: folder of this manifest, for the message.
            current: the manifest of the current call.
        """
        changed = []
        for name in sorted(set(Manifest.model_fields) - {"source", "shards"}):
            if getattr(self, name) != getattr(current, name):
                changed.append(name.removesuffix("_sha256"))
        if changed:
            raise InputError(
                f"{folder} contains results of a call with other values of "
                f"{', '.join(changed)}. Choose another folder, or use --force to start "
                "again"
            )

    def locate_shard(self, folder: Path, number: int) -> Path:
        """Returns the path of a shard file."""
        suffix = ".npy" if self.output == VECTORS else ".jsonl"
        return folder / f"part-{number:05}{suffix}"

    def list_unfinished(self, folder: Path) -> list[int]:
        """Returns the numbers (from 0) of the shards whose files are missing."""
        files = set(folder.glob("part-*"))
        unfinished = []
        for number in range(len(self.shards)):
            if self.locate_shard(folder, number) not in files:
                unfinished.append(number)
        return unfinished


def fingerprint_run(run: RunFolder) -> dict[str, str]:
    """Returns `{file name: SHA-256}` of the model files of a run."""
    paths = [run.path / name for name in MODEL_FILES]
    return {path.name: fingerprint(path) for path in paths if path.is_file()}
