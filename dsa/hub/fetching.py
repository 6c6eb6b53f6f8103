"""From the name of a release, or an address, to a run folder in the cache folder."""

import logging
import os
import secrets
import shutil
from pathlib import Path

import pooch
import requests

from dsa.data.download.archives import unpack
from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder
from dsa.hub.download import fetch_repository
from dsa.hub.registry import RELEASES, VARIABLE
from dsa.hub.repository import is_address
from dsa.system.folders import cache_folder


def find_run_folder(run: "str | Path | RunFolder", trust: bool = False) -> RunFolder:
    """The `RunFolder` of a run's name, see `find_run`. A `RunFolder` keeps its own
    `trust`."""
    trust = run.trust if isinstance(run, RunFolder) else trust
    return RunFolder(find_run(run), trust)


def find_run(run):
    """The path of a run folder, or of the run that a release's name or an address
    stands for.

    Args:
        run: a path, a key of `RELEASES`, or `hf://user/name[@revision]`. A folder of
            this name comes first.

    Raises: `InputError` as `fetch_release` and `fetch_repository`, and for a name that
        is none of these.
    """
    if is_address(run) and not Path(run).exists():
        return fetch_repository(run)
    if Path(run).exists() or Path(run).name != str(run):
        return Path(run)
    if str(run) in RELEASES:
        return fetch_release(str(run))
    raise InputError(
        f"{run}: no such run folder, and no release of this name. Releases: "
        f"{', '.join(RELEASES)}"
    )


def fetch_release(name):
    """The run folder of a release. It is fetched and unpacked once.

    Args:
        name: a key of `RELEASES`.

    Returns: its path in the cache folder.

    Raises: `InputError` for a release that no place is named for, a place that does
        not have it, and a file with another SHA-256.
    """
    release = RELEASES[name]
    folder = cache_folder() / "releases"
    run = folder / f"{name}-{release.sha256[:16]}"
    if not run.is_dir():
        archive = _fetch_file(release, folder)
        _unpack_once(archive, run)
    return run


def _fetch_file(release, folder):
    """The release's file with the right SHA-256, in the cache folder."""
    place = Path(__file__).parent if release.bundled else os.environ.get(VARIABLE)
    if not place:
        raise InputError(
            f"'{release.name}' ({release.what}): no server has its file, "
            f"{release.file}, yet. {VARIABLE} must name the folder or the address that "
            f"has it. To train such a run: {release.training}"
        )
    pooch.get_logger().setLevel(logging.WARNING)  # it tells how to call pooch
    is_address = "://" in str(place)
    url = f"{str(place).rstrip('/')}/{release.file}"
    try:
        path = pooch.retrieve(
            url if is_address else Path(url).absolute().as_uri(),
            f"sha256:{release.sha256}",
            release.file,
            folder,
            downloader=None if is_address else _copy(url),
        )
    except requests.RequestException as error:
        raise InputError(f"{url} could not be downloaded: {error}") from error
    except FileNotFoundError as error:
        raise InputError(f"{url}: there is no such file") from error
    except ValueError as error:  # pooch's, for another hash or kind of address
        raise InputError(
            f"{url}: not the release '{release.name}': its sha256 must be "
            f"{release.sha256}"
        ) from error
    return Path(path)


def _copy(source):
    """A downloader of pooch's for a file of this machine."""

    def copy(url, output_file, pooch):
        shutil.copyfile(source, output_file)

    return copy


def _unpack_once(archive, run):
    """Unpack an archive into a folder that several processes may want at once."""
    temporary = run.with_name(f"tmp.{secrets.token_hex(4)}.{run.name}")
    try:
        unpack(archive, temporary)
        temporary.rename(run)
    except OSError:
        if not run.is_dir():  # else another process was first
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
