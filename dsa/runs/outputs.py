"""Files that a command writes because `--out` names them."""

import dataclasses
import os
import stat
from pathlib import Path

from dsa.errors import InputError
from dsa.runs.run_files import FILES


def check_output(path, force=False, inputs=()):
    """Raises an error if writing a file would lose something.

    Args:
        path: the file that is to be written.
        force: whether a file that is there may be replaced.
        inputs: files that the command reads; `None` and "-", standard input, are none.

    Raises: `InputError` for one of the inputs, a file of a run folder, what is no
        regular file, and without `force` for every file that is there.
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
        raise InputError(f"{path}: no regular file, it is not replaced")
    if not force:
        raise InputError(f"{path} is there already. --force replaces it")


@dataclasses.dataclass(frozen=True)
class OutputFolder:
    """A folder that files are written to.

    Args:
        path: the folder; it need not exist yet.
        force: whether files that are there may be replaced.
    """

    path: Path
    force: bool = False

    def refuse(self, names, inputs=()):
        """Raises an error if writing a file of one of these names would lose something;
        as `check_output`."""
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path}: no folder")
        for name in names if self.path.exists() else ():
            check_output(self.path / name, self.force, inputs)

    def open(self, names, inputs=()):
        """As `refuse`; makes the folder, and returns its path."""
        self.refuse(names, inputs)
        self.path.mkdir(parents=True, exist_ok=True)
        return self.path


def choose_output(out, force, default):
    """The `OutputFolder` that `--out` names. Without `--out` it is the default place,
    whose files are made by the command, so that it may replace them."""
    return OutputFolder(Path(default if out is None else out), force or out is None)


def _is_same_file(one, other):
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them does not exist
        return one.resolve() == other.resolve()


def _is_of_run(path):
    """Whether a path is that of a file that runs have, in the folder of a run."""
    path = path.resolve()
    for name in FILES:
        folder = Path(str(path).removesuffix(name))
        if folder / name == path and (folder / "config.yaml").is_file():
            return True
    return False
