"""Conversion of Hugging Face data sets to JSON lines.

    hf://USER/NAME[@REVISION]/[CONFIG/]SPLIT    on the hub
    hf:///FOLDER/SPLIT                          on disk, written by `save_to_disk`

The rows of a commit, or of the files in a folder, are written to the cache folder once
and then read like any other file. Class labels are written by name, -1 as unlabelled.
Rows with `premise` and `hypothesis` also get the columns of SNLI. A column of another
type than text, label or number is replaced by its type, so that reading it is an error.
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
from dsa.system.folders import cache_folder
from dsa.system.reading import fingerprint

PREFIX = "hf://"
ADDRESS = re.compile(
    r"(?P<name>\w[\w.-]*/\w[\w.-]*)(@(?P<revision>\w[\w.-]*))?"
    r"(/(?P<config>\w[\w.-]*))?/(?P<split>\w[\w.-]*)",
    re.ASCII,
)
COMMIT = re.compile("[0-9a-f]{40}")
TIMEOUT = 10  # seconds
TYPE_LENGTH = 60  # characters
NLI_COLUMNS = {"sentence1": "premise", "sentence2": "hypothesis"}


class Address(NamedTuple):
    """A split of a data set on the hub."""

    name: str  # `user/name`
    revision: str | None  # branch, tag or commit; `None` for the branch `main`
    config: str | None
    split: str


def is_address(path: str | Path) -> bool:
    """Returns whether a path is the address of a data set."""
    return str(path).startswith(PREFIX)


def parse_address(text: str) -> Address:
    """Returns the parts of `hf://USER/NAME[@REVISION]/[CONFIG/]SPLIT`.

    Raises: `InputError`.

    Example:
        >>> parse_address("hf://stanfordnlp/snli@v1/train")
        Address(name='stanfordnlp/snli', revision='v1', config=None, split='train')
    """
    found = ADDRESS.fullmatch(text.removeprefix(PREFIX))
    if not found:
        raise InputError(
            f"not the address of a data set: {text[:100]!r}. Expected: "
            "hf://USER/NAME[@REVISION]/[CONFIG/]SPLIT, or hf:///FOLDER/SPLIT on disk"
        )
    return Address(**found.groupdict())


def fetch_rows(text: str) -> Path:
    """Returns the cached file with the rows of an address. A cached commit requires
    neither network access nor the package `datasets`.

    Raises: `InputError` for a malformed address, an unknown data set, a missing network
        or a missing package `datasets`.
    """
    if text.startswith(f"{PREFIX}/"):
        return _fetch_folder(text, Path(text.removeprefix(PREFIX)))
    address = parse_address(text)
    commit = resolve_revision(text)
    parts = [address.name.replace("/", "--"), address.config, address.split]
    path = _cache_path("--".join(filter(None, parts)), commit)
    if not path.is_file():
        name, split = address.name, address.split
        if Path(name).exists():  # `datasets` would prefer the local folder
            raise InputError(
                f"{text}: {name} is also a local path. Change the working directory"
            )
        _fetch_commit(text)  # `load_dataset` retries an unreachable hub for minutes
        options = {"split": split, "revision": commit}
        with naming_errors(text):
            datasets = import_datasets()
            rows = datasets.load_dataset(name, address.config, **options)
        _write(path, rows, text)
    return path


def _fetch_folder(text, folder):
    """Returns the cached file with the rows of a folder."""
    path = _cache_path(folder.name, _hash_folder(folder))
    if not path.is_file():
        with naming_errors(text):
            rows = import_datasets().load_from_disk(str(folder))
            if not hasattr(rows, "features"):
                raise InputError(f"{text}: add a split: {', '.join(rows)}")
            rows.data.validate(full=True)  # damaged offsets would crash pyarrow
        _write(path, rows, text)
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
    disk; raises `InputError` as `fetch_rows`."""
    if text.startswith(f"{PREFIX}/"):
        return fetch_rows(text).stem.rpartition("--")[2]
    address = parse_address(text)
    if COMMIT.fullmatch(address.revision or ""):
        return str(address.revision)
    return _fetch_commit(text)


@functools.cache  # a process reads one commit
def _fetch_commit(text: str) -> str:
    """Returns the commit of an address from the hub within `TIMEOUT`."""
    import_datasets()
    import huggingface_hub

    api, address = huggingface_hub.HfApi(), parse_address(text)
    options = {"revision": address.revision, "timeout": TIMEOUT}
    fetch = functools.partial(api.dataset_info, address.name, **options)
    with naming_errors(text):  # its time-out applies to single reads
        return str(network_bounds.call_within(network_bounds.ANSWER_SECONDS, fetch).sha)


def import_datasets() -> Any:
    """Returns the package datasets; raises `InputError` if it is not installed."""
    reason = "data sets of the Hugging Face hub require the package datasets"
    with importing("datasets", reason):
        import datasets
    return datasets


def _cache_path(name, revision):
    return cache_folder() / "datasets" / f"{name}--{revision}.jsonl"


def _write(path, rows, source):
    path.parent.mkdir(parents=True, exist_ok=True)

    def write(temporary):
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(_write_lines(rows, source))

    write_atomically(path, write)


def _write_lines(rows, source) -> Iterator[str]:
    """Yields a JSON line for each row of a `datasets.Dataset`."""
    classes, others = {}, {}
    for name, feature in rows.features.items():
        kind = type(feature).__name__
        if kind == "ClassLabel":
            classes[name] = feature.names
        elif kind != "Value" or "binary" in feature.dtype:
            others[name] = {"column type": str(feature)[:TYPE_LENGTH]}
    is_nli = {*NLI_COLUMNS.values(), "label"} <= set(rows.features)
    for row in _iterate(rows.remove_columns(list(others)), source):
        row |= others
        for name, names in classes.items():
            number = row[name]
            unlabelled = number is None or number < 0
            row[name] = None if unlabelled else names[number]
        if is_nli:
            row |= {ours: row[theirs] for ours, theirs in NLI_COLUMNS.items()}
            row["gold_label"] = "-" if row["label"] in (None, -1) else row["label"]
        yield json.dumps(row, default=str) + "\n"


def _iterate(rows, source):
    with naming_errors(source):
        yield from rows
