"""Rows of data sets of Hugging Face's `datasets`, as a file of JSON lines.

    hf://USER/NAME[@REVISION]/[CONFIG/]SPLIT    on the hub
    hf:///FOLDER/SPLIT                          on disk, as `save_to_disk` leaves it

The rows are written into the cache folder once for each commit; from then on they are
a file as any other. Labels that the data set numbers are written as their names, -1 as
no label. Pairs with `premise` and `hypothesis` also get SNLI's own columns.
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
LONGEST = 300  # letters of another package's error
NLI_COLUMNS = {"sentence1": "premise", "sentence2": "hypothesis"}


class Address(NamedTuple):
    """A split of a data set on the hub."""

    name: str  # `user/name`
    revision: str | None  # a branch, tag or commit; `None` for the branch `main`
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
            f"no address of a data set: {text[:100]!r}. Needed: "
            "hf://USER/NAME[@REVISION]/[CONFIG/]SPLIT, or hf:///FOLDER/SPLIT on disk"
        )
    return Address(**found.groupdict())


def fetch_rows(text: str) -> Path:
    """Returns the file of an address's rows in the cache folder. The rows of a commit
    that are there already need neither network nor `datasets`.

    Raises: `InputError` for a wrong address, an unknown data set, without network, and
        where `datasets` is not installed.
    """
    if text.startswith(f"{PREFIX}/"):
        rows = _call(text, "load_from_disk", text.removeprefix(PREFIX))
        if not hasattr(rows, "features"):
            raise InputError(f"{text}: name a split of it: {', '.join(rows)}")
        return _write(_cache_path(Path(text).name, rows._fingerprint), rows)
    address = parse_address(text)
    commit = resolve_revision(text)
    parts = [address.name.replace("/", "--"), address.config, address.split]
    path = _cache_path("--".join(filter(None, parts)), commit)
    if not path.is_file():
        name, split = address.name, address.split
        if Path(name).exists():  # `datasets` would read that
            raise InputError(f"{text}: {name} is a path here: work in another folder")
        _fetch_commit(text)  # `load_dataset` asks a silent hub again for minutes
        options = {"split": split, "revision": commit}
        _write(path, _call(text, "load_dataset", name, address.config, **options))
    return path


@functools.cache  # one process reads one commit
def resolve_revision(text: str) -> str:
    """Returns the commit that an address on the hub stands for, or the fingerprint of
    a data set on disk; raises `InputError` as `fetch_rows`."""
    if text.startswith(f"{PREFIX}/"):
        return fetch_rows(text).stem.rpartition("--")[2]
    address = parse_address(text)
    if COMMIT.fullmatch(address.revision or ""):
        return str(address.revision)
    return _fetch_commit(text)


@functools.cache
def _fetch_commit(text: str) -> str:
    """The commit that the hub has for an address; it must answer within `TIMEOUT`."""
    import_datasets()
    import huggingface_hub

    api, address = huggingface_hub.HfApi(), parse_address(text)
    options = {"revision": address.revision, "timeout": TIMEOUT}
    try:
        return str(api.dataset_info(address.name, **options).sha)
    except Exception as error:  # the package and its HTTP library raise many
        raise _make_error(text, error) from None


def import_datasets() -> Any:
    """The package datasets; raises `InputError` where it is not installed."""
    what = "data sets of the Hugging Face hub need the package datasets"
    with importing("datasets", what):
        import datasets
    return datasets


def _call(text, function, *arguments, **options) -> Any:
    datasets = import_datasets()
    try:
        return getattr(datasets, function)(*arguments, **options)
    except MemoryError:
        raise
    except Exception as error:  # the package and its HTTP library raise many
        raise _make_error(text, error) from None


def _make_error(text, error):
    return InputError(f"{text}: {type(error).__name__}: {quote_error(error)}")


def quote_error(error: Any) -> str:
    """The words of an error in one line; no token is hidden once it is cut."""
    text = " ".join(hide_token(str(error)).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def hide_token(text: str) -> str:
    """A text without the user's token, such as one that a server has sent back."""
    hub = sys.modules.get("huggingface_hub")  # what has sent it
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
    if is_nli and "label" not in classes and rows.features["label"].dtype != "string":
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
        yield json.dumps(row, default=str) + "\n"
