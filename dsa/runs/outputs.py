"""Checks of the output files and folders of commands (`--out`)."""

import dataclasses
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from dsa.errors import InputError
from dsa.runs.run_files import ALL_RUN_FILES


def check_output(
    path: Path | str, force: bool = False, inputs: Sequence[Path | str | None] = ()
) -> None:
    """Checks that writing an output file does not overwrite other data.

    Args:
        path: path of the output file.
        force: whether an existing file may be replaced.
        inputs: paths of the input files. `None` and "-" (standard input) are ignored.

    Raises: `InputError` if the path is an input file, a file of a run folder, a folder,
        a link, a pipe or a device, or if the file exists and `force` is `False`.
    """
    path = Path(path)
    for name in inputs:
        if name not in (None, "-") and _is_same_file(path, Path(name)):
            raise InputError(f"{path}: an input file cannot be the output")
    if _is_run_file(path):
        raise InputError(f"{path}: files of a run folder are not overwritten")
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise InputError(
                f"{path}: the folder {path.parent} does not exist"
            ) from None
        return
    if not stat.S_ISREG(mode):
        raise InputError(
            f"{path}: expected a file. Received: a folder, a link, a pipe or a device"
        )
    if not force:
        raise InputError(f"{path} already exists. --force replaces it")


@dataclasses.dataclass(frozen=True)
class OutputFolder:
    """Output folder of a command.

    Args:
        path: path of the folder, which may not exist yet.
        force: whether existing files may be replaced.
    """

    path: Path
    force: bool = False

    def check(
        self, names: Iterable[str], inputs: Sequence[Path | str | None] = ()
    ) -> None:
        """Checks output files in the folder, see `check_output`.

        Args:
            names: names of the output files.
            inputs: input files of the command.

        Raises: the errors of `check_output`, and `InputError` if the path is a file.
        """
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise InputError(f"{self.path}: expected a folder. Received: a file")
        for name in names:
            check_output(self.path / name, self.force, inputs)

    def open(
        self, names: Iterable[str], inputs: Sequence[Path | str | None] = ()
    ) -> Path:
        """Checks the output files, creates the folder, and returns its path.

        Raises: the errors of `check`.
        """
        self.check(names, inputs)
        self.path.mkdir(parents=True, exist_ok=True)
        return self.path


def choose_output(
    out: Path | str | None, force: bool, default: Path | str
) -> OutputFolder:
    """Returns the output folder of a command.

    Args:
        out: value of `--out`, or `None` for the default folder.
        force: whether existing files in `out` may be replaced.
        default: the default folder. Its files may always be replaced.
    """
    if out is None:
        return OutputFolder(Path(default), force=True)
    return OutputFolder(Path(out), force)


def _is_same_file(path, other):
    try:
        return os.path.samefile(path, other)
    except OSError:  # a file does not exist
        return path.resolve() == other.resolve()


def _is_run_file(path):
    """Returns whether a path is a file of a run folder."""
    path = path.resolve()
    if path.match("answers_*.npz") and (path.parent / "config.yaml").is_file():
        return True
    for name in ALL_RUN_FILES:
        folder = Path(str(path).removesuffix(name))
        if folder / name == path and (folder / "config.yaml").is_file():
            return True
    return False
