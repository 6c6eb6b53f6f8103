"""Releases: trained runs that are distributed with the package as zip files."""

import dataclasses
import hashlib
from pathlib import Path

from dsa.data.download.archives import unpack
from dsa.errors import InputError
from dsa.system.atomic_files import new_folder
from dsa.system.folders import cache_folder

FILES = Path(__file__).parent


@dataclasses.dataclass(frozen=True)
class Release:
    """A trained run in `dsa/hub/NAME.zip`, written by `tools/release_file.py`.

    Args:
        description: model, training data and seed.
        terms: licences of the model and the training data.
        sha256: SHA-256 of the zip file.
        training: command that trains the run.
    """

    description: str
    terms: str
    sha256: str
    training: str


RELEASES = {
    "mini": Release(
        "DSA on the bundled corpus, which has about a hundred words; seed 13",
        "Apache-2.0, model and corpus",
        sha256="69d5ce5ddb388d7c7222f45cc905d2f8fda4f0efd68d14aa7bdf15bf14701961",
        training="dsa train configs/mini/dsa.yaml",
    ),
    "snli": Release(
        "DSA of 150 units on 118,369 pairs of SNLI, 22 % (partial), with 50-d GloVe "
        "vectors, in float16; seed 14",
        "Apache-2.0; SNLI: CC BY-SA 4.0, GloVe: PDDL",
        sha256="0459210889850e2f93f8701e6f312c234cfdba7d485db764a2b6f4741a5921c5",
        training="dsa train configs/snli/dsa_150.yaml",
    ),
}


def release_file(name: str) -> Path:
    """Returns the path of the zip file of a release."""
    return FILES / f"{name}.zip"


def release_folder(name: str) -> Path:
    """Returns the path of the unpacked run of a release in the cache folder."""
    return cache_folder() / "releases" / f"{name}-{RELEASES[name].sha256[:16]}"


def fetch_release(name: str) -> Path:
    """Returns the run folder of a release, which is unpacked into the cache folder.

    Raises: `InputError` if the zip file is missing or damaged, or if the cache folder
        is not writable.
    """
    sha256, file, run = RELEASES[name].sha256, release_file(name), release_folder(name)
    if run.is_dir():
        return run
    if not file.is_file():
        raise InputError(f"{file}: missing. Reinstall dsa")
    if hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
        raise InputError(f"{file}: damaged, the SHA-256 must be {sha256}")
    try:
        with new_folder(run) as temporary:
            unpack(file, temporary)
    except OSError as error:
        if not run.is_dir():  # another process may have unpacked the release
            raise InputError(
                f"{error.filename or run}: {error.strerror or error}. Set DSA_CACHE "
                "to another cache folder"
            ) from error
    return run
