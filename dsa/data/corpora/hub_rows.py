"""Converts Hugging Face data sets to JSON lines.

    hf://USER/NAME[@REVISION]/[CONFIG/]SPLIT    on the hub
    hf:///FOLDER/SPLIT                          on disk, written by `save_to_disk`

The rows of a commit or a folder are written to a file in the cache folder, from which
they are read later. Class labels are written as names, and the label -1 as null. The
columns of SNLI are added to rows with `premise`, `hypothesis` and `label`. Values that
are not strings, labels or numbers are replaced by the name of their type, so that
readers reject the column.
"""

import functools
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dsa.errors import InputError
from dsa.system import network_bounds
from dsa.system.atomic_files import write_atomically
from dsa.system.extras import importing, naming_errors
from dsa.system.folders import get_cache_folder
from dsa.system.reading import fingerprint

ADDRESS_PREFIX = "hf://"
ADDRESS_PATTERN = re.compile(
    r"(?P<name>\w[\w.-]*/\w[\w.-]*)(@(?P<revision>\w[\w.-]*))?"
    r"(/(?P<config>\w[\w.-]*))?/(?P<split>\w[\w.-]*)",
    re.ASCII,
)
COMMIT_PATTERN = re.compile("[0-9a-f]{40}")
READ_TIMEOUT = 10  # seconds between two reads
MAX_TYPE_CHARACTERS = 60  # longer type names are truncated
NLI_COLUMNS = {"sentence1": "premise", "sentence2": "hypothesis"}  # by SNLI column


class Address(NamedTuple):
    """A split of a data set on the hub."""

    name: str  # `user/name`
    revision: str | None  # branch, tag or commit; `None` for the branch `main`
    config: str | None
    split: str


def is_address(path: str | Path) -> bool:
    """Returns whether a path is the address `hf://...` of a data set."""
    return str(path).startswith(ADDRESS_PREFIX)


def parse_address(text: str) -> Address:
    """Parses an address `hf://USER/NAME[@REVISION]/[CONFIG/]SPLIT`.

    Raises: `InputError` if the address is malformed.

    Example:
        >>> parse_address("hf://stanfordnlp/snli@v1/train")
        Address(name='stanfordnlp/snli', revision='v1', config=None, split='train')
    """
    match = ADDRESS_PATTERN.fullmatch(text.removeprefix(ADDRESS_PREFIX))
    if match is None:
        raise InputError(
            f"malformed address of a data set: {text[:100]!r}. Expected: "
            "hf://USER/NAME[@REVISION]/[CONFIG/]SPLIT, or hf:///FOLDER/SPLIT on disk"
        )
    return Address(**match.groupdict())


def fetch_rows(text: str) -> Path:
    """Returns the file with the rows of an address, from the cache if possible.

    A cached commit requires neither network access nor the package `datasets`.

    Raises: `InputError` if the address is malformed, the data set is unknown, the
        network fails, or the package `datasets` is not installed.
    """
    if text.startswith(f"{ADDRESS_PREFIX}/"):
        return _fetch_folder(text, Path(text.removeprefix(ADDRESS_PREFIX)))
    address = parse_address(text)
    commit = resolve_revision(text)
    parts = [address.name.replace("/", "--")]
    if address.config is not None:
        parts.append(address.config)
    parts.append(address.split)
    path = _make_cache_path("--".join(parts), commit)
    if not path.is_file():
        name = address.name
        if Path(name).exists():  # `load_dataset` would load the local folder
            raise InputError(
                f"{text}: {name} is also a local path. Change the working directory"
            )
        _fetch_commit(text)  # `load_dataset` retries an unreachable hub for minutes
        with naming_errors(text):
            rows = import_datasets().load_dataset(
                name, address.config, split=address.split, revision=commit
            )
        _write_rows(path, rows, text)
    return path


def _fetch_folder(text, folder):
    """Returns the file with the rows of a folder, from the cache if possible."""
    path = _make_cache_path(folder.name, _hash_folder(folder))
    if not path.is_file():
        with naming_errors(text):
            rows = import_datasets().load_from_disk(str(folder))
            if not hasattr(rows, "features"):  # a dictionary of splits
                raise InputError(
                    f"{text}: the address must end with a split. "
                    f"Known: {', '.join(rows)}"
                )
            rows.data.validate(full=True)  # pyarrow would crash on damaged offsets
        _write_rows(path, rows, text)
    return path


def _hash_folder(folder):
    """Returns the SHA-256 of the rows and the column types in a folder."""
    digest = hashlib.sha256()
    for file in sorted([*folder.glob("*.arrow"), folder / "dataset_info.json"]):
        if file.is_file() and not file.name.startswith("cache-"):
            digest.update(fingerprint(file).encode())
    return digest.hexdigest()


def resolve_revision(text: str) -> str:
    """Returns the commit of an address on the hub, or the SHA-256 of a data set on
    disk.

    Raises: `InputError`: see `fetch_rows`.
    """
    if text.startswith(f"{ADDRESS_PREFIX}/"):
        return fetch_rows(text).stem.rpartition("--")[2]
    address = parse_address(text)
    if COMMIT_PATTERN.fullmatch(address.revision or ""):
        return str(address.revision)
    return _fetch_commit(text)


@functools.cache  # a process reads the rows of one commit
def _fetch_commit(text: str) -> str:
    """Returns the commit of an address from the hub."""
    import_datasets()
    import huggingface_hub

    address = parse_address(text)
    fetch = functools.partial(
        huggingface_hub.HfApi().dataset_info,
        address.name,
        revision=address.revision,
        timeout=READ_TIMEOUT,
    )
    with naming_errors(text):
        info = network_bounds.call_with_timeout(network_bounds.RESPONSE_TIMEOUT, fetch)
    return str(info.sha)


def import_datasets() -> Any:
    """Imports the package `datasets`; raises `InputError` if it is not installed."""
    reason = "data sets of the Hugging Face hub require the package datasets"
    with importing("datasets", reason):
        import datasets
    return datasets


def _make_cache_path(name, revision):
    """Returns the path of the cached rows of a data set."""
    return get_cache_folder() / "datasets" / f"{name}--{revision}.jsonl"


def _write_rows(path, rows, source):
    """Writes the rows of a `datasets.Dataset` as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)

    def write(temporary):
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(_format_lines(rows, source))

    write_atomically(path, write)


def _format_lines(rows, source) -> Iterator[str]:
    """Yields a JSON line for each row of a `datasets.Dataset`."""
    class_names = {}  # by column
    unsupported = {}  # replacement of the values, by column
    for name, feature in rows.features.items():
        feature_type = type(feature).__name__
        if feature_type == "ClassLabel":
            class_names[name] = feature.names
        elif feature_type != "Value" or "binary" in feature.dtype:
            unsupported[name] = {"column type": str(feature)[:MAX_TYPE_CHARACTERS]}
    is_nli = {*NLI_COLUMNS.values(), "label"} <= set(rows.features)
    for row in _iterate_rows(rows.remove_columns(list(unsupported)), source):
        row |= unsupported
        for name, names in class_names.items():
            number = row[name]
            is_unlabelled = number is None or number < 0
            row[name] = None if is_unlabelled else names[number]
        if is_nli:
            for snli_column, column in NLI_COLUMNS.items():
                row[snli_column] = row[column]
            row["gold_label"] = "-" if row["label"] in (None, -1) else row["label"]
        yield json.dumps(row, default=str) + "\n"


def _iterate_rows(rows, source):
    """Yields the rows. Adds the source to the errors of the data set."""
    with naming_errors(source):
        yield from rows
