"""What the functions of the library are given; what is wrong names its argument."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder
from dsa.experiment.yaml_file import parse_overrides
from dsa.hub.fetching import find_run_folder

Run = str | Path | RunFolder


def read_runs(
    runs: Run | Iterable[Run], argument: str, trust: bool = False
) -> list[RunFolder]:
    """Returns the `RunFolder`s of a run, or of several.

    Args:
        runs: as `dsa.load` takes one.
        argument: its name.
        trust: as that of `dsa.load`.

    Raises: `InputError` for what is no run and no list of them, for an empty list, and
        as `find_run`.
    """
    if isinstance(runs, Run):
        runs = [runs]
    if not isinstance(runs, Iterable):
        raise refuse(argument, "a run or a list of runs", runs)
    found = [find_run_folder(run, trust) for run in runs]
    if not found:
        raise InputError(f"'{argument}': at least one run is needed. Received: none")
    return found


def read_overrides(
    overrides: str | Iterable[str] | Mapping[str, Any],
) -> Mapping[str, Any]:
    """Returns `overrides` as `{"section.key": value}`; a text by itself is one setting.

    Raises: `InputError` for another type, and as `parse_overrides`.
    """
    if isinstance(overrides, str):
        overrides = [overrides]
    texts = list(overrides) if isinstance(overrides, Iterable) else [overrides]
    if not all(isinstance(text, str) for text in texts):
        what = "a text 'section.key=value', a list of such, or a dictionary"
        raise refuse("overrides", what, overrides)
    return overrides if isinstance(overrides, Mapping) else parse_overrides(texts)


def refuse(argument: str, needed: str, received: Any) -> InputError:
    """Returns the error for an argument of a wrong type.

    Args:
        argument: its name.
        needed: what it must be, in words.
        received: what it is.
    """
    return InputError(
        f"'{argument}': {needed} is needed. Received: a {type(received).__name__}"
    )
