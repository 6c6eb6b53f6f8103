"""Releases: trained runs in zip files, bundled with the package or in the folder
`DSA_RELEASES`."""

import dataclasses
import hashlib
import os
import re
import zipfile
from pathlib import Path

from dsa.data.download.archives import DAMAGE_ERRORS, unpack
from dsa.errors import InputError
from dsa.hub.shared_files import CARD, check_download
from dsa.system.atomic_files import create_folder
from dsa.system.folders import get_cache_folder

BUNDLED_FOLDER = Path(__file__).parent
FOLDER_VARIABLE = "DSA_RELEASES"  # environment variable: folder of further releases


@dataclasses.dataclass(frozen=True)
class Release:
    """A trained run in a file `NAME.zip`, written by `tools/release_file.py`.

    Args:
        description: model, training data and seed of the run.
        terms: licences of the model and the training data.
        sha256: SHA-256 of the zip file, hexadecimal.
        training: command that trains the run; "-" if it is unknown.
    """

    description: str
    terms: str
    sha256: str
    training: str


RELEASES = {
    "mini": Release(
        "DSA on the bundled corpus, which has about a hundred words; seed 13",
        "Apache-2.0, model and corpus",
        sha256="657ca759292411bd4b27c18f4e6e8e5388596b4bafb6ac3f011a34c67c77138b",
        training="dsa train configs/mini/dsa.yaml",
    ),
    "snli": Release(
        "DSA of 150 units on 118,369 pairs of SNLI, 22 % (partial), with 50-d GloVe "
        "vectors, in float16; seed 14",
        "Apache-2.0; SNLI: CC BY-SA 4.0, GloVe: PDDL",
        sha256="e90a517724a2cb531f7068670777a0984a8f08a3fa112844163473c035f1638e",
        training="dsa train configs/snli/dsa_150.yaml",
    ),
}


def list_release_names() -> list[str]:
    """Returns the names of the bundled releases and of the zip files in `DSA_RELEASES`.

    Raises: `InputError` if `DSA_RELEASES` is set to a path that is not a folder.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        return [*RELEASES]
    if not Path(folder).is_dir():
        raise InputError(f"{FOLDER_VARIABLE}: the folder {folder} does not exist")
    names = sorted(file.stem for file in Path(folder).glob("*.zip"))
    return [*RELEASES, *(name for name in names if name not in RELEASES)]


def get_release_path(name: str) -> Path:
    """Returns the path of the zip file of a release.

    A bundled release takes precedence over a file in `DSA_RELEASES`, so its name always
    refers to the same model.
    """
    folder = BUNDLED_FOLDER
    if name not in RELEASES:
        folder = Path(os.environ.get(FOLDER_VARIABLE, ""))
    return folder / f"{name}.zip"


def find_release(name: str) -> Release:
    """Returns the `Release` of a name.

    The fields of a file in `DSA_RELEASES` are read from its model card, and its SHA-256
    is computed.

    Raises: `InputError` if the file in `DSA_RELEASES` is missing or damaged, or
        contains no model card.
    """
    if name in RELEASES:
        return RELEASES[name]
    file = get_release_path(name)
    try:
        with zipfile.ZipFile(file) as archive:
            card = archive.read(CARD).decode("utf-8", "replace")
        with open(file, "rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    except (KeyError, *DAMAGE_ERRORS) as error:  # `KeyError`: no model card
        raise InputError(
            f"{file}: expected a file written by tools/release_file.py: {error}"
        ) from error
    terms = re.search(r"(?m)^- terms: (.*)$", card)
    return Release(
        description=card.partition("\n")[0].removeprefix("# "),
        terms=terms[1] if terms else "-",
        sha256=sha256,
        training="-",
    )


def get_release_folder(name: str, release: Release) -> Path:
    """Returns the path in the cache folder to which a release is unpacked."""
    return get_cache_folder() / "releases" / f"{name}-{release.sha256[:16]}"


def fetch_release(name: str) -> Path:
    """Returns the run folder of a release, and unpacks the release if necessary.

    Raises: `InputError` if the zip file is missing, is damaged or contains no complete
        run, or if the cache folder is not writable.
    """
    release = find_release(name)
    file = get_release_path(name)
    run = get_release_folder(name, release)
    if run.is_dir():
        return run
    if not file.is_file():
        raise InputError(f"{file} is missing. Reinstall dsa")
    if hashlib.sha256(file.read_bytes()).hexdigest() != release.sha256:
        raise InputError(f"{file} is damaged. The SHA-256 must be {release.sha256}")
    try:
        with create_folder(run) as temporary:
            unpack(file, temporary)
            check_download(temporary, str(file))
    except OSError as error:
        if not run.is_dir():  # another process may have unpacked the release
            raise InputError(
                f"{error.filename or run}: {error.strerror or error}. Set DSA_CACHE "
                "to another cache folder"
            ) from error
    return run
