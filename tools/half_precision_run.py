"""Copy a finished run with its weights in float16, which takes half the room.

python tools/half_precision_run.py runs/snli/dsa/seed-13 runs/half

Loaded, the weights are float32 again, rounded. The copy has no evaluations: those of
the run are not its own. `dsa evaluate` measures it; `tools/release_file.py` packs it.
"""

import argparse
import json
import shutil
from pathlib import Path

import h5py
import numpy as np

from dsa.errors import InputError
from dsa.runs.run_files import MODEL_FILES, write_record
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.system.command_line import command

WEIGHTS = "best.weights.h5"


def copy_in_half_precision(run: str | Path, new: str | Path) -> None:
    """Writes the copy into a new folder.

    Raises: `InputError` for a run that is not finished or has no weights, for a folder
        that is there, and for a weight that float16 cannot hold.
    """
    folder, new = RunFolder(run), Path(new)
    if not is_finished(folder) or not (folder.path / WEIGHTS).is_file():
        raise InputError(f"{folder.path}: no finished run with {WEIGHTS}")
    folder.check_files()
    if new.exists():
        raise InputError(f"{new} is there already and is not overwritten")
    new.mkdir(parents=True)
    for name in MODEL_FILES:
        source = folder.path / name
        if source.exists():
            copy = _halve if name == WEIGHTS else shutil.copyfile
            copy(source, new / name)
    write_record(new)
    shutil.copyfile(folder.path / "history.csv", new / "history.csv")
    environment = {**folder.environment(), "weights": "float16"}
    (new / "environment.json").write_text(json.dumps(environment, indent=2) + "\n")


def _halve(source: Path, target: Path) -> None:
    with h5py.File(source) as weights, h5py.File(target, "w") as halved:
        halved.attrs.update(weights.attrs)

        def copy(name, item):
            if isinstance(item, h5py.Group):
                made = halved.create_group(name)
            else:
                made = halved.create_dataset(name, data=_round(item[()], name))
            made.attrs.update(item.attrs)

        weights.visititems(copy)


def _round(values: np.ndarray, name: str) -> np.ndarray:
    """Returns float32 numbers as float16, and all others as they are."""
    if values.dtype != np.float32:
        return values
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float16)
    if not np.isfinite(rounded).all():
        raise InputError(f"{name}: has numbers that float16 cannot hold")
    return rounded


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", help="run folder")
    parser.add_argument("new", type=Path, help="folder of the copy")
    options = parser.parse_args(arguments)
    copy_in_half_precision(options.run, options.new)
    size = (options.new / WEIGHTS).stat().st_size
    print(f"{options.new}: weights of {size:,} bytes")


if __name__ == "__main__":
    raise SystemExit(main())
