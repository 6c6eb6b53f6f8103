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

OWN_CORPUS = "own"  # the value of `data.corpus` for a user's files
# file in the repository huggingface/datasets that lists the checksums of a data set
HF_CHECKSUMS = "huggingface/datasets, datasets/{}/dataset_infos.json"


def format_size(count: int) -> str:
    """Formats a number of bytes as text, such as "94.6 MB"."""
    return f"{count / 1e6:,.1f} MB"


def list_splits(
    pattern: str, train: str = "", dev: str = "", test: str = ""
) -> dict[str, str]:
    """Returns `{split: file}` of a corpus whose file names follow a pattern.

    Args:
        pattern: format string of the file names.
        train, dev, test: string to insert into the pattern for the file of each split;
            "" for a split without a file.
    """
    files = {}
    for split, name in (("train", train), ("dev", dev), ("test", test)):
        if name:
            files[split] = pattern.format(name)
    return files


@dataclass(frozen=True)
class RemoteFile:
    """A file to download."""

    url: str  # official address
    size: int | None = None  # bytes; `None` if unknown
    # If no checksum is published, the checksum of the first download is recorded, and
    # later downloads must have the same checksum.
    sha256: str | None = None
    sha256_source: str | None = None  # repository and file that publish the checksum
    folder: str = ""  # target folder of the file or its members, in the data root
    unpack: bool = True  # whether to unpack the archive
    mirrors: tuple[str, ...] = ()  # fallback addresses of the same file
    top_folder: str = ""  # leading folder to strip from the members of an archive
    encoding: str | None = None  # encoding of a file to convert to UTF-8
    # SHA-256 of the written files by name, for an archive without a published checksum
    # and for a file that is converted to UTF-8
    file_checksums: Mapping[str, str] = field(default_factory=dict)
    max_bytes: int = 0  # upper limit of the size of a file without `size`

    @property
    def filename(self) -> str:
        """Name of the file, from its address."""
        return PurePosixPath(self.url).name


# SHA-256 of official files without a published checksum, after conversion to UTF-8. The
# numbers of rows match the publications. Public projects list the same checksums for
# train and test of SICK; CR and SUBJ have the length of the files at their address.
OFFICIAL_CHECKSUMS = """\
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


MEASURED = "official files, measured by us"  # `sha256_source` of `list_checksums`


def list_checksums(*names: str) -> dict[str, str]:
    """Returns `{name: SHA-256}` of official files without a published checksum."""
    checksums = {}
    for line in OFFICIAL_CHECKSUMS.splitlines():
        name, _, sha256 = line.partition(" ")
        checksums[name] = sha256
    return {name: checksums[name] for name in names}


@dataclass(frozen=True)
class Download:
    """The files of `dsa download NAME`."""

    name: str
    licence: str  # as stated by the authors
    files: tuple[RemoteFile, ...] = ()
    by_hand: str = ""  # instructions for a manual download, if `files` is empty

    @classmethod
    def from_file(cls, name: str, licence: str, **remote_file: Any) -> "Download":
        """Returns the download of a single file.

        Args:
            name, licence: as in `Download`.
            remote_file: arguments of the `RemoteFile`.
        """
        return cls(name, licence, (RemoteFile(**remote_file),))

    def describe_size(self) -> str:
        """Returns the total size, such as "94.6 MB".

        If only an upper limit is known, the result is "< 3.0 MB" or similar. For a
        manual download, the result is "by hand".
        """
        if not self.files:
            return "by hand"
        total = format_size(sum(file.size or file.max_bytes for file in self.files))
        if any(file.size is None for file in self.files):
            return f"< {total}"
        return total


@dataclass(frozen=True)
class RobustnessFile:
    """A test file of `dsa evaluate --suite robustness`."""

    name: str  # key in `metrics.json`
    title: str  # name in tables
    file: str = ""  # path below the data root; "" for the test file of the corpus
    parsed: bool = False  # whether the file contains valid parses of its texts
    by_label: bool = False  # whether to report each group by gold label as well


@dataclass(frozen=True)
class TransferTask:
    """A task of `dsa transfer` on the official files of a corpus."""

    name: str  # value of `--tasks`
    measure: str  # name of a function in `dsa.evaluation.transfer.protocol`
    reads: tuple[str, ...] = ("train", "dev", "test")  # splits to read, if they exist


@dataclass(frozen=True)
class Corpus:
    """A catalogue entry: the task, the reader and the official files of a corpus.

    Args:
        name: value of `data.corpus`.
        task: the `Task`.
        read: the reader, a generator function `(path, task)` that reads plain and
            gzipped files. It yields an `Example` for every row. If a row is malformed
            or a label is unknown, it raises an `InputError` with file, line and reason.
            A string "module:function" delays the import until a file is read.
        official_rows: number of rows of each official file, by file name.
        training_pairs: number of labelled rows in the official training file; `None`
            if tables do not report the share of these rows that a run used.
        grouped: whether evaluations report metrics by group.
        splits: official file of each split.
        settings: keyword arguments of `read`.
        options: class of the section `data.options`, a subclass of `CorpusOptions` or
            its name "module:class"; `None` for a corpus without options.
        downloads: the downloads. The first contains the files of `splits`.
        robustness: files of the robustness suite.
        transfer: transfer tasks.
    """

    name: str
    task: Any
    read: Callable[..., Iterator[Example]] | str
    official_rows: Mapping[str, int] = field(default_factory=dict)
    training_pairs: int | None = None
    grouped: bool = False
    splits: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
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
        """Folder of the official files, relative to the data root; `None` for a corpus
        without official files."""
        files = [*self.splits.values(), *(test.file for test in self.robustness)]
        return files[0].split("/")[0] if files else None

    def read_examples(self, path: Path | str) -> Iterator[Example]:
        """Yields an `Example` for every row of a plain or gzipped file.

        Raises: `InputError` if the file cannot be read or has no rows, a row is
            malformed, or a text is invalid.
        """
        return check_examples(self.reader(path, self.task, **self.settings), path)

    def check_row_count(self, path: Path | str, num_rows: int) -> None:
        """Checks the number of rows of a file that has the name of an official file.

        A different number of rows means that the file is truncated, has another format
        or is not the official file.

        Args:
            path: the file.
            num_rows: number of rows read from the file.

        Raises: `InputError` if the official file has a different number of rows.
        """
        name = Path(path).name.removesuffix(".gz")
        num_official = self.official_rows.get(name)
        if num_official is not None and num_rows != num_official:
            raise InputError(
                f"{path}: expected {num_official:,} rows, as in the official file of "
                f"this name. Received: {num_rows:,}. Rename the file if it is not the "
                "official file"
            )


class CorpusOptions(Section):
    """Base class of the section `data.options`: the settings of one corpus.

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
        """Returns the corpus with the reader of the training file."""
        return corpus

    def select_rows(
        self, labels: np.ndarray, groups: Sequence, task: Any
    ) -> np.ndarray:
        """Returns the positions of the training rows; by default, of all rows.

        Args:
            labels: label id of each row, `(N,)`; -1 for an unlabelled row.
            groups: group of each row.
            task: the task of the corpus.
        """
        return np.arange(len(labels))

    def repeat_rows(
        self, rows: np.ndarray, labels: np.ndarray, groups: Sequence, task: Any
    ) -> np.ndarray:
        """Returns the positions of the rows of an epoch. Repetitions of a row are
        adjacent.

        Args:
            rows: distinct positions of the training rows.
            labels, groups, task: as in `select_rows`.
        """
        return rows
