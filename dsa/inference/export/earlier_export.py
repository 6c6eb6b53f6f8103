"""What an earlier export has left in a folder."""

import json
import shutil

VOCABULARY, SETTINGS, RUNNER = "vocabulary.txt", "settings.json", "run_onnx.py"
SAVED_MODEL = "saved_model"
SHA256 = "sha256"  # in the settings, of each file of the export
NAMES = ("model.onnx", "encoder.onnx", RUNNER, VOCABULARY, SETTINGS)


def read_sha256(folder, settings):
    """The SHA-256 of the files that an export of the same run has left.

    Args:
        folder: the path of the folder.
        settings: what `settings.json` is to hold; with the SHA-256 of the vocabulary.

    Returns: `{name: SHA-256}`; `None` where there is no such export.
    """
    earlier = _read_settings(folder)
    if earlier is None:
        return None
    files, new = earlier.pop(SHA256, None), dict(settings)
    vocabulary = new.pop(SHA256)[VOCABULARY]
    is_same = earlier == new and isinstance(files, dict)
    return files if is_same and files.get(VOCABULARY) == vocabulary else None


def remove_export(folder):
    """Remove the files of an export; nothing in a folder that has none."""
    if _read_settings(folder) is None:
        return
    saved_model = folder / SAVED_MODEL
    if (saved_model / "saved_model.pb").is_file() and not saved_model.is_symlink():
        shutil.rmtree(saved_model)
    for name in NAMES:  # the settings last: they say that it is an export
        (folder / name).unlink(missing_ok=True)


def _read_settings(folder):
    try:
        settings = json.loads((folder / SETTINGS).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    is_export = isinstance(settings, dict) and {"dsa", "format"} <= settings.keys()
    return settings if is_export else None
