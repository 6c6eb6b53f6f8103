"""Folders as values that can be compared, and copied."""

import shutil

from dsa.runs.run_folder import RunFolder
from tests.support.stopped_runs import arrays_of, history_of


def read_runs(folder):
    """The arrays and the histories of the runs below a folder, by relative path."""
    runs = [RunFolder(path.parent) for path in folder.rglob("best.weights.h5")]
    return {
        str(run.path.relative_to(folder)): (arrays_of(run), history_of(run))
        for run in runs
        if run.state.is_file()
    }


def read_folder(folder, names=None):
    """The bytes of the files below a folder, by relative path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and (names is None or path.name in names)
    }


def copy_folder(source, target):
    """Replace a folder by the copy of another one."""
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target)
