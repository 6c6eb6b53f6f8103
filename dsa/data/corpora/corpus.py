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


def name_files(pattern: str, train: str = "", dev: str = "", test: str = ""):
    """Returns `{split: file}` of a pattern and what stands for each split in it."""
    parts = {"train": train, "dev": dev, "test": test}
    return {split: pattern.format(part) for split, part in parts.items() if part}


@dataclass(frozen=True)
class RemoteFile:
    """A file to download.

    Args:
        url: the official address.
        size: bytes; `None` where it is not known.
        sha256: of the file; `None` where no public source names it: then the one of
            the first download is recorded, and later downloads must have the same.
        sha256_source: who names it: repository and file.
        folder: where the file or its members go, below the data root.
        unpack: whether it is an archive to be unpacked; vectors are read zipped.
        mirrors: addresses that are tried next, for a file with the same sha256.
        top_folder: of an archive, which its members are written without.
        encoding: of the file, where it may be no UTF-8: then it is written as UTF-8.
        at_most: bytes that the file surely has at most, where `size` is not known.
    """

    url: str
    size: int | None = None
    sha256: str | None = None
    sha256_source: str | None = None
    folder: str = ""
    unpack: bool = True
    mirrors: tuple[str, ...] = ()
    top_folder: str = ""
    encoding: str | None = None
    at_most: int = 0

    @property
    def filename(self) -> str:
        return PurePosixPath(self.url).name


@dataclass(frozen=True)
class Download:
    """What `dsa download NAME` brings.

    Args:
        name: as the command takes it.
        licence: as the authors state it.
        files: what is fetched; empty where a user must do it.
        by_hand: what a user must do, the text that the command prints.
    """

    name: str
    licence: str
    files: tuple[RemoteFile, ...] = ()
    by_hand: str = ""

    @classmethod
    def of_file(cls, name: str, licence: str, *remote, **fields) -> "Download":
        """Returns the download of one file; `remote`, `fields`: of its `RemoteFile`."""
        return cls(name, licence, (RemoteFile(*remote, **fields),))


@dataclass(frozen=True)
class RobustnessFile:
    """A file that `dsa evaluate --suite robustness` measures.

    Args:
        name: as `metrics.json` has it.
        title: as tables have it.
        file: below the data root; "" for the corpus's test file.
        parsed: whether its parses are those of its texts.
        by_label: whether its groups are reported by gold label too.
    """

    name: str
    title: str
    file: str = ""
    parsed: bool = False
    by_label: bool = False


@dataclass(frozen=True)
class TransferTask:
    """A task of `dsa transfer` on the official files of a corpus.

    Args:
        name: as `--tasks` takes it.
        measure: the function of `dsa.evaluation.transfer.protocol`, by its name.
        reads: the splits that it reads, as far as the corpus has them.
        protocol: the only protocol that has the task; "" for all.
    """

    name: str
    measure: str
    reads: tuple[str, ...] = ("train", "dev", "test")
    protocol: str = ""


@dataclass(frozen=True)
class Corpus:
    """A corpus and what is known of it.

    Args:
        name: as `data.corpus` of a config names it.
        task: the task object.
        read: the reader of its files, also gzipped: a generator function `(path, task)`
            that yields an `Example` for every row, and raises an `InputError` with
            file, line and reason for a malformed row or an unknown label; or where it
            is, as "module:function", so that the module is imported only for a corpus
            that is read.
        official_rows: rows of the official files, by file name.
        training_pairs: labelled rows of the official training file, where tables say
            which share of them a run had; else `None`.
        grouped: whether evaluations report the corpus's groups.
        splits: the official files by split, below the data root.
        settings: further arguments of the reader, by name.
        options: the section of `data.options`, a class derived from `CorpusOptions`, or
            where it is, as "module:class"; `None` for a corpus without options.
        downloads: how its files are had; the first one has the files of `splits`.
        robustness: its files that the robustness suite measures.
        transfer: its tasks in the transfer suite.
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
    def drops_rows(self) -> bool:
        """Whether training has only the rows of `find_kept`."""
        return False

    def check_dealt(self) -> None:
        """Raises: `ValueError` if the rows of the training file cannot be dealt to
        several splits (`data.folds`, `data.dev_share`)."""

    def adapt_corpus(self, corpus: Corpus) -> Corpus:
        """Returns the corpus as the training file is read."""
        return corpus

    def find_kept(self, labels: np.ndarray, groups: Sequence, task: Any) -> np.ndarray:
        """Returns the positions of the rows that training has: all, if none is dropped.
        `labels`: `(N,)` of all rows, the task's numbers, -1 for none."""
        return np.arange(len(labels))

    def repeat_rows(
        self, rows: np.ndarray, labels: np.ndarray, groups: Sequence, task: Any
    ) -> np.ndarray:
        """Returns positions of rows as often as an epoch has them, copies next to each
        other. `rows`: those that training has, each once; others as `find_kept`."""
        return rows
