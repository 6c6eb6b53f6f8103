"""Conversion of Hugging Face data sets to JSON lines.

    hf://USER/NAME[@REVISION]/[CONFIG/]SPLIT    on the hub
    hf:///FOLDER/SPLIT                          on disk, written by `save_to_disk`

The rows of a commit are written to the cache folder once and then read like any other
file. Class labels are written by name, -1 as unlabelled. Rows with `premise` and
`hypothesis` also get the columns of SNLI.
"""

import functools
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically
from dsa.system.extras import importing
from dsa.system.folders import cache_folder

PREFIX = "hf://"
ADDRESS = re.compile(
    r"(?P<name>\w[\w.-]*/\w[\w.-]*)(@(?P<revision>\w[\w.-]*))?"
    r"(/(?P<config>\w[\w.-]*))?/(?P<split>\w[\w.-]*)",
    re.ASCII,
)
COMMIT = re.compile("[0-9a-f]{40}")
TIMEOUT = 10  # seconds
LONGEST = 300  # characters quoted from the error of another package
TEXT_TYPES = ("string", "large_string")  # pandas writes the latter
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
        rows = _call(text, "load_from_disk", text.removeprefix(PREFIX))
        if not hasattr(rows, "features"):
            raise InputError(f"{text}: add a split: {', '.join(rows)}")
        return _write(_cache_path(Path(text).name, rows._fingerprint), rows)
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
        _write(path, _call(text, "load_dataset", name, address.config, **options))
    return path


@functools.cache  # a process reads one commit
def resolve_revision(text: str) -> str:
    """Returns the commit of an address on the hub, or the fingerprint of a data set on
    disk; raises `InputError` as `fetch_rows`."""
    if text.startswith(f"{PREFIX}/"):
        return fetch_rows(text).stem.rpartition("--")[2]
    address = parse_address(text)
    if COMMIT.fullmatch(address.revision or ""):
        return str(address.revision)
    return _fetch_commit(text)


@functools.cache
def _fetch_commit(text: str) -> str:
    """Returns the commit of an address from the hub within `TIMEOUT`."""
    import_datasets()
    import huggingface_hub

    api, address = huggingface_hub.HfApi(), parse_address(text)
    options = {"revision": address.revision, "timeout": TIMEOUT}
    try:
        return str(api.dataset_info(address.name, **options).sha)
    except Exception as error:  # the package and its HTTP library raise many types
        raise _make_error(text, error) from None


def import_datasets() -> Any:
    """Returns the package datasets; raises `InputError` if it is not installed."""
    reason = "data sets of the Hugging Face hub require the package datasets"
    with importing("datasets", reason):
        import datasets
    return datasets


def _call(text, function, *arguments, **options) -> Any:
    datasets = import_datasets()
    try:
        return getattr(datasets, function)(*arguments, **options)
    except MemoryError:
        raise
    except Exception as error:  # the package and its HTTP library raise many types
        raise _make_error(text, error) from None


def _make_error(text, error):
    return InputError(f"{text}: {type(error).__name__}: {quote_error(error)}")


def quote_error(error: Any) -> str:
    """Returns the message of an error in one line, without the user's token."""
    text = " ".join(hide_token(str(error)).split())  # before truncating the token
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def hide_token(text: str) -> str:
    """Returns a text with the user's token masked."""
    hub = sys.modules.get("huggingface_hub")
    token = hub and hub.get_token()
    return text.replace(token, "<token>") if token else text


def _cache_path(name, revision):
    return cache_folder() / "datasets" / f"{name}--{revision}.jsonl"


def _write(path, rows):
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)

        def write(temporary):
            with open(temporary, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(_write_lines(rows))

        write_atomically(path, write)
    return path


def _write_lines(rows) -> Iterator[str]:
    """Yields a JSON line for each row of a `datasets.Dataset`."""
    classes = {
        name: feature.names
        for name, feature in rows.features.items()
        if hasattr(feature, "names") and hasattr(feature, "str2int")
    }
    is_nli = {*NLI_COLUMNS.values(), "label"} <= set(rows.features)
    label_type = getattr(rows.features.get("label"), "dtype", None)
    if is_nli and "label" not in classes and label_type not in TEXT_TYPES:
        raise InputError(
            "the column 'label' of a data set has numbers without names: save it with "
            "cast_column('label', ClassLabel(names=[...])), and give that folder"
        )
    for row in rows:
        for name, names in classes.items():
            number = row[name]
            unlabelled = number is None or number < 0
            row[name] = None if unlabelled else names[number]
        if is_nli:
            row |= {ours: row[theirs] for ours, theirs in NLI_COLUMNS.items()}
            row["gold_label"] = "-" if row["label"] in (None, -1) else row["label"]
        yield json.dumps(row, default=_to_text) + "\n"


def _to_text(value):
    """Returns a date or similar value as text."""
    if isinstance(value, bytes):
        raise InputError(
            "a column of the data set contains bytes: save it with "
            "cast_column(name, Value('string'))"
        )
    return str(value)
