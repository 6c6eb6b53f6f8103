"""A corpus: its task, its reader, and all that is known of its official files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from pkgutil import resolve_name
from typing import Any

import numpy as np

from dsa.config_section import Section
from dsa.data.corpora.example import Example, check_examples
from dsa.errors import InputError

OWN = "own"  # what `data.corpus` calls a user's own files
HF = "huggingface/datasets, datasets/{}/dataset_infos.json"  # names many a sha256


def format_size(count: int) -> str:
    """Returns a number of bytes in words, such as "94.6 MB"."""
    return f"{count / 1e6:,.1f} MB"


def list_splits(pattern: str, train: str = "", dev: str = "", test: str = ""):
    """Returns `{split: file}` of a pattern and what stands for each split in it."""
    parts = {"train": train, "dev": dev, "test": test}
    return {split: pattern.format(part) for split, part in parts.items() if part}


@dataclass(frozen=True)
class RemoteFile:
    """A file to download."""

    url: str  # the official address
    size: int | None = None  # bytes; `None` where it is not known
    # Where no public source names the sha256, that of the first download is recorded,
    # and later downloads must have the same.
    sha256: str | None = None
    sha256_source: str | None = None  # who names it: repository and file
    folder: str = ""  # where the file or its members go, below the data root
    unpack: bool = True  # whether it is an archive to unpack; vectors are read zipped
    mirrors: tuple[str, ...] = ()  # tried next, for a file with the same sha256
    top_folder: str = ""  # of an archive, which its members are written without
    encoding: str | None = None  # what is no UTF-8 is in it, and is written as UTF-8
    # The sha256 of files that it brings, as they are written, by name: of an archive
    # whose own sha256 is not known, or of a file in another encoding.
    written: Mapping[str, str] = field(default_factory=dict)
    at_most: int = 0  # bytes that the file surely has at most, without a `size`

    @property
    def filename(self) -> str:
        return PurePosixPath(self.url).name


# The sha256 of official files whose archives have none that is known. Their rows are as
# published, and they are in UTF-8. Public projects name the same of SICK's train and
# test; CR and SUBJ have the length of those at their address.
OFFICIAL = """\
custrev.all a3839a79bd3285177a07158c6104b49038a7a06ab2abe897734cde5d22e5e325
mpqa.all 661de8a069da4b9845fc8b9ae59cc97ffe554f3018fa6bf0e640e3d626a4eaf7
subj.all 55592fd38da3e642c1fea5c073ff7a9daf53650fb8fbfcf2b14d7ae325425fcd
SICK_train.txt 266cf8047149bd1d68138dd30439f3122bff30069740ac6705bb6197d9f1b48e
SICK_trial.txt 5a88cfb62f8c6bd2a3cce0f2421ba2cb8c2be5ab4a800f6f01e2c64aafb7db56
SICK_test_annotated.txt 2b8aa806658d6fc23c6824c83776c2d4fee7556000817b5ec0f982861413b7d0
sts-train.csv 0f71910b59aa1ad973c5897f0791f3b0965a92b8f82b1a95f3eea9f4162fda82
sts-dev.csv 5d7e944d8b02734b07bfdb5df67db3420c64bed153fcaa1ba47ad03480cf4234
sts-test.csv affe45928a66ee5a708531233c95b7dacbbdc57f974f002a3d32ea0180cf816a
"""


def list_checksums(*names: str) -> dict[str, Any]:
    """Returns the fields of a `RemoteFile` whose own sha256 is not known, but that of
    the files that it brings."""
    lines = (line.partition(" ") for line in OFFICIAL.splitlines())
    known = {name: sha256 for name, _, sha256 in lines}
    written = {name: known[name] for name in names}
    return {"written": written, "sha256_source": "official files, measured by us"}


@dataclass(frozen=True)
class Download:
    """What `dsa download NAME` brings."""

    name: str
    licence: str  # as the authors state it
    files: tuple[RemoteFile, ...] = ()  # what is fetched
    by_hand: str = ""  # what a user must do, as the command prints it

    @classmethod
    def from_file(cls, name: str, licence: str, *remote, **fields) -> "Download":
        """Returns the download of one file; `remote`, `fields`: of its `RemoteFile`."""
        return cls(name, licence, (RemoteFile(*remote, **fields),))

    def describe_size(self) -> str:
        """Returns the size of its files in words, such as "94.6 MB" or "< 3.0 MB"; "by
        hand" where nothing is fetched."""
        if not self.files:
            return "by hand"
        bound = "< " if any(file.size is None for file in self.files) else ""
        return bound + format_size(
            sum(file.size or file.at_most for file in self.files)
        )


@dataclass(frozen=True)
class RobustnessFile:
    """A file that `dsa evaluate --suite robustness` measures."""

    name: str  # as `metrics.json` has it
    title: str  # as tables have it
    file: str = ""  # below the data root; "" for the corpus's test file
    parsed: bool = False  # whether its parses are those of its texts
    by_label: bool = False  # whether its groups are reported by gold label too


@dataclass(frozen=True)
class TransferTask:
    """A task of `dsa transfer` on the official files of a corpus."""

    name: str  # as `--tasks` takes it
    measure: str  # the function of `dsa.evaluation.transfer.protocol`, by its name
    reads: tuple[str, ...] = ("train", "dev", "test")  # as far as the corpus has them


@dataclass(frozen=True)
class Corpus:
    """A corpus and what is known of it.

    Args:
        read: the reader of its files, also gzipped: a generator function `(path, task)`
            that yields an `Example` for every row, and raises an `InputError` with
            file, line and reason for a malformed row or an unknown label; or where it
            is, as "module:function", so that the module is imported only for a corpus
            that is read.
        training_pairs: labelled rows of the official training file, where tables say
            which share of them a run had.
        options: the section of `data.options`, a class derived from `CorpusOptions`, or
            where it is, as "module:class"; `None` for a corpus without options.
        downloads: how its files are had; the first one has the files of `splits`.
    """

    name: str  # as `data.corpus` of a config names it
    task: Any
    read: Callable[..., Iterator[Example]] | str
    official_rows: Mapping[str, int] = field(default_factory=dict)  # by file name
    training_pairs: int | None = None
    grouped: bool = False  # whether evaluations report the corpus's groups
    splits: Mapping[str, str] = field(default_factory=dict)  # official files, by split
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the reader, by name
    options: "type[CorpusOptions] | str | None" = None
    downloads: tuple[Download, ...] = ()
    robustness: tuple[RobustnessFile, ...] = ()
    transfer: tuple[TransferTask, ...] = ()

    @property
    def reader(self) -> Callable[..., Iterator[Example]]:
        """The function that `read` is, or names."""
        return resolve_name(self.read) if isinstance(self.read, str) else self.read

    @property
    def options_section(self) -> "type[CorpusOptions] | None":
        """The class that `options` is, or names."""
        options = self.options
        return resolve_name(options) if isinstance(options, str) else options

    @property
    def licence(self) -> str:
        """The licence as the authors state it."""
        return self.downloads[0].licence if self.downloads else "not stated"

    @property
    def folder(self) -> str | None:
        """The folder of its files below the data root; `None` where none is known."""
        files = [*self.splits.values(), *(known.file for known in self.robustness)]
        return files[0].split("/")[0] if files else None

    def read_examples(self, path: Path | str) -> Iterator[Example]:
        """Yields an `Example` for every row of a file, also gzipped.

        Raises: `InputError` with file, line and reason for a file that cannot be read,
            a malformed row, a text that is none, and a file without any row.
        """
        return check_examples(self.reader(path, self.task, **self.settings), path)

    def check_row_count(self, path: Path | str, rows: int) -> None:
        """Raises: `InputError` for a file with the name of an official one and another
        number of rows: it is cut short, or was read wrong."""
        official = self.official_rows.get(Path(path).name.removesuffix(".gz"), rows)
        if rows != official:
            raise InputError(
                f"{path}: {rows:,} rows, the official file of this name has "
                f"{official:,}. If it is meant to be another one, give it another name"
            )


class CorpusOptions(Section):
    """`data.options`: settings that only one corpus has. It derives its section from
    this one, with those of these methods that the settings change."""

    @property
    def selects_rows(self) -> bool:
        """Whether training has only the rows of `select_rows`."""
        return False

    def check_can_split(self) -> None:
        """Raises: `ValueError` if the rows of the training file cannot be dealt to
        several splits (`data.folds`, `data.dev_share`)."""

    def adapt_corpus(self, corpus: Corpus) -> Corpus:
        """Returns the corpus as the training file is read."""
        return corpus

    def select_rows(
        self, labels: np.ndarray, groups: Sequence, task: Any
    ) -> np.ndarray:
        """Returns the positions of the rows that training has: all, if none is dropped.
        `labels`: `(N,)` of all rows, the task's numbers, -1 for none."""
        return np.arange(len(labels))

    def repeat_rows(
        self, rows: np.ndarray, labels: np.ndarray, groups: Sequence, task: Any
    ) -> np.ndarray:
        """Returns positions of rows as often as an epoch has them, copies next to each
        other. `rows`: those that training has, each once; others as `select_rows`."""
        return rows
