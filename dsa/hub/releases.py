"""Releases: trained runs as one file each, their terms, and how one is fetched."""

import dataclasses
import logging
import os
import secrets
import shutil
from pathlib import Path

import pooch
import requests

from dsa.data.download.archives import unpack
from dsa.errors import InputError
from dsa.system.folders import cache_folder

VARIABLE = "DSA_RELEASES"  # a folder or an address that has the files


@dataclasses.dataclass(frozen=True)
class Release:
    """A trained run as one file, a zip that `tools/release_file.py` has written.

    Args:
        name: that `dsa.load` takes.
        what: the run in words.
        terms: of its use, and those of the data that it was trained on.
        file: the file's name.
        sha256: of the file.
        bundled: whether the file is part of this package. No server has the others yet.
        training: the command that trains such a run.
    """

    name: str
    what: str
    terms: str
    file: str
    sha256: str
    bundled: bool = False
    training: str = ""


RELEASES = {
    release.name: release
    for release in (
        Release(
            "mini",
            "DSA on the bundled corpus, which has about a hundred words; seed 13",
            "Apache-2.0; the corpus too",
            file="mini.zip",
            sha256="53606e085fcaf0c01d494d9311eabf57a87662b551e72c581c0aea444c5a8ead",
            bundled=True,
            training="dsa train configs/mini/dsa.yaml",
        ),
        Release(
            "snli_40k",
            "DSA on 40,000 pairs of SNLI, 7 %, with 50-d GloVe vectors; seed 13",
            "Apache-2.0; SNLI: CC BY-SA 4.0, GloVe: PDDL",
            file="snli_40k.zip",
            sha256="d79df4816dec2842557fe8d46d9ba0f6b913bf7ee921272a74de2a1b5080b36c",
            training="dsa train results/snli/dsa_40k/config.yaml",
        ),
    )
}


def fetch_release(name: str) -> Path:
    """The run folder of a release. It is fetched and unpacked once.

    Args:
        name: a key of `RELEASES`.

    Returns: its path in the cache folder.

    Raises: `InputError` for a release that no place is named for, a place that does
        not have it, and a file with another SHA-256.
    """
    release, folder = RELEASES[name], cache_folder() / "releases"
    run = folder / f"{name}-{release.sha256[:16]}"
    if not run.is_dir():
        archive = _fetch_file(release, folder)
        temporary = run.with_name(f"tmp.{secrets.token_hex(4)}.{run.name}")
        try:
            unpack(archive, temporary)
            temporary.rename(run)
        except OSError:
            if not run.is_dir():  # else another process was first
                raise
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return run


def _fetch_file(release: Release, folder: Path) -> Path:
    """The release's file with the right SHA-256; a download is kept in `folder`.

    Raises: see `fetch_release`.
    """
    place = str(Path(__file__).parent if release.bundled else os.getenv(VARIABLE, ""))
    if not place:
        raise InputError(
            f"'{release.name}' ({release.what}): no server has its file, "
            f"{release.file}, yet. {VARIABLE} must name the folder or the address that "
            f"has it. To train such a run: {release.training}"
        )
    url = f"{place.rstrip('/')}/{release.file}"
    pooch.get_logger().setLevel(logging.WARNING)  # it tells how to call pooch
    try:
        if "://" in place:
            known_hash = f"sha256:{release.sha256}"
            return Path(pooch.retrieve(url, known_hash, release.file, folder))
        if pooch.file_hash(url) == release.sha256:
            return Path(url)
    except requests.RequestException as error:
        raise InputError(f"{url} could not be downloaded: {error}") from error
    except FileNotFoundError as error:
        raise InputError(f"{url}: there is no such file") from error
    except ValueError:  # pooch's, for another hash or kind of address
        pass
    raise InputError(
        f"{url}: not the release '{release.name}': its sha256 must be {release.sha256}"
    )
