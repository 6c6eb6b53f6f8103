"""Catalogue entry of a corpus: task, reader, official files and downloads."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from pkgutil import resolve_name
from typing import Any

import numpy as np

from dsa.config_section import Section
from dsa.data.corpora.example import Example, check_examples
from dsa.errors import InputError

OWN = "own"  # the value of `data.corpus` for a user's files
HF = "huggingface/datasets, datasets/{}/dataset_infos.json"  # lists checksums


def format_size(count: int) -> str:
    """Returns a number of bytes as text, such as "94.6 MB"."""
    return f"{count / 1e6:,.1f} MB"


def list_splits(pattern: str, train: str = "", dev: str = "", test: str = ""):
    """Returns `{split: file}`, inserting the name of each split into a pattern. Splits
    without a name are left out."""
    parts = {"train": train, "dev": dev, "test": test}
    return {split: pattern.format(part) for split, part in parts.items() if part}


@dataclass(frozen=True)
class RemoteFile:
    """A file to download."""

    url: str  # official address
    size: int | None = None  # bytes; `None` if unknown
    # Without a published checksum, the checksum of the first download is recorded and
    # required of later downloads.
    sha256: str | None = None
    sha256_source: str | None = None  # repository and file that publish the checksum
    folder: str = ""  # target folder of the file or its members, in the data root
    unpack: bool = True  # whether to unpack the archive
    mirrors: tuple[str, ...] = ()  # fallback addresses of the same file
    top_folder: str = ""  # leading folder to strip from the members of an archive
    encoding: str | None = None  # source encoding of a file to convert to UTF-8
    # Checksums of the written files by name, for an archive without a published
    # checksum or a file in another encoding.
    written: Mapping[str, str] = field(default_factory=dict)
    at_most: int = 0  # upper limit in bytes of a file without `size`

    @property
    def filename(self) -> str:
        return PurePosixPath(self.url).name


# SHA-256 of official files, converted to UTF-8, whose archives have no published
# checksum. Rows match the publications. Public projects list the same checksums for
# SICK's train and test; CR and SUBJ have the length of the files at their address.
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
    """Returns the checksum arguments of a `RemoteFile` for which only the checksums of
    the written files are published."""
    lines = (line.partition(" ") for line in OFFICIAL.splitlines())
    known = {name: sha256 for name, _, sha256 in lines}
    written = {name: known[name] for name in names}
    return {"written": written, "sha256_source": "official files, measured by us"}


@dataclass(frozen=True)
class Download:
    """The files of `dsa download NAME`."""

    name: str
    licence: str  # as stated by the authors
    files: tuple[RemoteFile, ...] = ()
    by_hand: str = ""  # instructions for files that cannot be fetched

    @classmethod
    def from_file(cls, name: str, licence: str, *remote, **fields) -> "Download":
        """Returns the download of one file. `remote` and `fields` are the arguments of
        its `RemoteFile`."""
        return cls(name, licence, (RemoteFile(*remote, **fields),))

    def describe_size(self) -> str:
        """Returns the total size as text, such as "94.6 MB" or "< 3.0 MB"; "by hand" if
        no file can be fetched."""
        if not self.files:
            return "by hand"
        bound = "< " if any(file.size is None for file in self.files) else ""
        return bound + format_size(
            sum(file.size or file.at_most for file in self.files)
        )


@dataclass(frozen=True)
class RobustnessFile:
    """A test file of `dsa evaluate --suite robustness`."""

    name: str  # key in `metrics.json`
    title: str  # name in tables
    file: str = ""  # relative to the data root; "" for the corpus's test file
    parsed: bool = False  # whether the file contains valid parses of its texts
    by_label: bool = False  # whether groups are also reported by gold label


@dataclass(frozen=True)
class TransferTask:
    """A task of `dsa transfer` on the official files of a corpus."""

    name: str  # value of `--tasks`
    measure: str  # name of a function in `dsa.evaluation.transfer.protocol`
    reads: tuple[str, ...] = ("train", "dev", "test")  # splits, if the corpus has them


@dataclass(frozen=True)
class Corpus:
    """A corpus.

    Args:
        read: the reader, a generator function `(path, task)` that reads plain and
            gzipped files. It yields an `Example` for every row, and raises an
            `InputError` with file, line and reason for a malformed row or an unknown
            label. A text "module:function" delays the import until a file is read.
        training_pairs: number of labelled rows in the official training file, if tables
            report the share that a run used.
        options: the section `data.options`, a subclass of `CorpusOptions` or its name
            "module:class"; `None` for a corpus without options.
        downloads: the first download contains the files of `splits`.
    """

    name: str  # value of `data.corpus`
    task: Any
    read: Callable[..., Iterator[Example]] | str
    official_rows: Mapping[str, int] = field(default_factory=dict)  # by file name
    training_pairs: int | None = None
    grouped: bool = False  # whether evaluations report metrics by group
    splits: Mapping[str, str] = field(default_factory=dict)  # official files by split
    settings: Mapping[str, Any] = field(default_factory=dict)  # keywords of `read`
    options: "type[CorpusOptions] | str | None" = None
    downloads: tuple[Download, ...] = ()
    robustness: tuple[RobustnessFile, ...] = ()
    transfer: tuple[TransferTask, ...] = ()

    @property
    def reader(self) -> Callable[..., Iterator[Example]]:
        """The function `read`, imported if it is given by name."""
        return resolve_name(self.read) if isinstance(self.read, str) else self.read

    @property
    def options_section(self) -> "type[CorpusOptions] | None":
        """The class `options`, imported if it is given by name."""
        options = self.options
        return resolve_name(options) if isinstance(options, str) else options

    @property
    def licence(self) -> str:
        """The licence as stated by the authors."""
        return self.downloads[0].licence if self.downloads else "not stated"

    @property
    def folder(self) -> str | None:
        """The folder of the official files in the data root; `None` without files."""
        files = [*self.splits.values(), *(known.file for known in self.robustness)]
        return files[0].split("/")[0] if files else None

    def read_examples(self, path: Path | str) -> Iterator[Example]:
        """Yields an `Example` for every row of a plain or gzipped file.

        Raises: `InputError` with file, line and reason for an unreadable file, a
            malformed row, invalid text, or a file without rows.
        """
        return check_examples(self.reader(path, self.task, **self.settings), path)

    def check_row_count(self, path: Path | str, rows: int) -> None:
        """Raises `InputError` if a file is named like an official file but has another
        number of rows, because it is truncated or has another format."""
        official = self.official_rows.get(Path(path).name.removesuffix(".gz"), rows)
        if rows != official:
            raise InputError(
                f"{path}: {rows:,} rows, but the official file of this name has "
                f"{official:,}. Rename the file if it is not the official one"
            )


class CorpusOptions(Section):
    """Base class of `data.options`, the settings of one corpus.

    Subclass it and override the methods that the options affect.
    """

    @property
    def selects_rows(self) -> bool:
        """Whether training uses only the rows of `select_rows`."""
        return False

    def check_can_split(self) -> None:
        """Raises `ValueError` if the training file cannot be divided into splits
        (`data.folds`, `data.dev_share`)."""

    def adapt_corpus(self, corpus: Corpus) -> Corpus:
        """Returns the corpus for reading the training file."""
        return corpus

    def select_rows(
        self, labels: np.ndarray, groups: Sequence, task: Any
    ) -> np.ndarray:
        """Returns the positions of the training rows, by default all.

        Args:
            labels: label ids of all rows, `(N,)`; -1 for unlabelled rows.
            groups: groups of all rows.
            task: the task of the corpus.
        """
        return np.arange(len(labels))

    def repeat_rows(
        self, rows: np.ndarray, labels: np.ndarray, groups: Sequence, task: Any
    ) -> np.ndarray:
        """Returns the positions of an epoch's rows, with repeated rows next to each
        other.

        Args:
            rows: positions of the training rows, each once.
            labels, groups, task: as in `select_rows`.
        """
        return rows
