"""Export of a feature classifier as arrays and a NumPy program."""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.errors import InputError
from dsa.inference.export.export_settings import make_settings
from dsa.runs.outputs import OutputFolder
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel

# file names of an export
FEATURES = "features.npz"
RUNNER = "run_linear.py"
VOCABULARY = "vocabulary.txt"
SETTINGS = "settings.json"


def export_linear(trained: "TrainedModel", output: OutputFolder) -> list[Path]:
    """Exports a feature classifier (`model.name: features`).

    Args:
        trained: the `TrainedModel`.
        output: the `OutputFolder`.

    Returns: the paths of the written files.

    Raises: `InputError` if the model is not a feature classifier or was trained with a
        view, or if a file already exists. No file is written before these checks.
    """
    experiment = trained.experiment
    run = trained.run
    if experiment.model.name != "features":
        raise InputError(
            f"{run.path}: '--format numpy' requires 'model.name: features'. Received: "
            f"'{experiment.model.name}'"
        )
    if experiment.data.view:
        raise InputError(
            f"{run.path}: exported models do not support 'data.view', with which this "
            "run was trained"
        )
    contents = {
        FEATURES: run.features.read_bytes(),
        VOCABULARY: trained.vocabulary.to_text().encode(),
        RUNNER: Path(__file__).with_name(RUNNER).read_bytes(),
    }
    settings = make_settings(trained)
    settings["sha256"] = {
        name: hashlib.sha256(contents[name]).hexdigest()
        for name in (FEATURES, VOCABULARY)
    }
    text = json.dumps(settings, indent=1, ensure_ascii=False) + "\n"
    contents[SETTINGS] = text.encode()
    output.open(list(contents))
    for name, content in contents.items():
        write_atomically(output.path / name, content)
    return [output.path / name for name in contents]
