"""Output files and folders of commands (`--out`)."""

import dataclasses
import os
import stat
from pathlib import Path

from dsa.errors import InputError
from dsa.runs.run_files import FILES


def check_output(path, force=False, inputs=()):
    """Checks that writing a file loses nothing.

    Args:
        path: path of the output file.
        force: whether an existing file may be replaced.
        inputs: input files of the command; `None` and "-", standard input, are ignored.

    Raises: `InputError` for an input file, a file of a run folder, a file that is not
        regular and, without `force`, an existing file.
    """
    path = Path(path)
    for name in inputs:
        if name not in (None, "-") and _is_same_file(path, Path(name)):
            raise InputError(f"{path}: is read, so it cannot be written")
    if _is_of_run(path):
        raise InputError(f"{path}: a file of a run folder, which is not overwritten")
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise InputError(f"{path}: no such folder: {path.parent}") from None
        return
    if not stat.S_ISREG(mode):
        raise InputError(f"{path}: a folder, a pipe or a device, expected a file")
    if not force:
        raise InputError(f"{path} is there already. --force replaces it")


@dataclasses.dataclass(frozen=True)
class OutputFolder:
    """An output folder.

    Args:
        path: path of the folder, which need not exist yet.
        force: whether existing files may be replaced.
    """

    path: Path
    force: bool = False

    def refuse(self, names, inputs=()):
        """Checks that writing files with these names loses nothing, as
        `check_output`."""
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path}: no folder")
        for name in names if self.path.exists() else ():
            check_output(self.path / name, self.force, inputs)

    def open(self, names, inputs=()):
        """Creates the folder and returns its path. Raises as `refuse`."""
        self.refuse(names, inputs)
        self.path.mkdir(parents=True, exist_ok=True)
        return self.path


def choose_output(out, force, default):
    """Returns the `OutputFolder` of `--out`, or the default folder, whose files may be
    replaced."""
    return OutputFolder(Path(default if out is None else out), force or out is None)


def _is_same_file(one, other):
    try:
        return os.path.samefile(one, other)
    except OSError:  # a file does not exist
        return one.resolve() == other.resolve()


def _is_of_run(path):
    """Whether a path is a file of a run folder."""
    path = path.resolve()
    for name in FILES:
        folder = Path(str(path).removesuffix(name))
        if folder / name == path and (folder / "config.yaml").is_file():
            return True
    return False
