"""Finds a run by its name: a folder, a release or a repository on a hub."""

import difflib
import os
import shutil
from pathlib import Path

from dsa.errors import InputError
from dsa.hub.releases import RELEASES, fetch_release, list_release_names
from dsa.hub.repository import (
    COMMIT_PATTERN,
    DEFAULT_BRANCH,
    Repository,
    convert_hub_errors,
    import_hub,
    is_hub_address,
)
from dsa.hub.shared_files import CARD, RUN_FILES, check_download
from dsa.runs.run_folder import RunFolder
from dsa.runs.studies import StudyRun, find_study_run
from dsa.system import network_bounds
from dsa.system.atomic_files import create_folder
from dsa.system.folders import get_cache_folder
from dsa.version import __version__

REPOSITORY_FOLDER = "hub"  # folder of downloaded runs, in the cache folder
HUB_FOLDER = ".cache"  # temporary folder of huggingface_hub, in a download


def find_run_folder(run: str | Path | RunFolder) -> RunFolder:
    """Returns the `RunFolder` of a run, see `find_run`.

    A `RunFolder` keeps its attribute `known_as`. For the path of a run inside a study,
    the result is a `StudyRun`.
    """
    if isinstance(run, StudyRun):
        return run
    path = find_run(run)
    if not path.exists():
        study_run = find_study_run(path)
        if study_run:
            return study_run
    if isinstance(run, RunFolder):
        return RunFolder(path, run.known_as)
    if path == Path(run):
        return RunFolder(path)
    return RunFolder(path, known_as=str(run))


def find_run(run: str | Path | RunFolder) -> Path:
    """Returns the path of a run folder, and downloads or unpacks the run if necessary.

    Args:
        run: path of a run folder; name of a release, see `list_release_names`; or
            address of a repository, `hf://user/name[@revision]`. A folder takes
            precedence over a release or a repository with the same name.

    Raises: `InputError` if `run` is neither a name nor a path, or if the name is
        unknown; see also `fetch_release` and `fetch_repository`.
    """
    if not isinstance(run, (str, os.PathLike)):
        raise InputError(
            "a run is a name or a path, such as 'mini' or a folder. Received: "
            f"{type(run).__name__}"
        )
    path = Path(run)
    if is_hub_address(run) and not path.exists():
        return fetch_repository(run)
    if path.exists() or path.name != str(run):
        return path
    if str(run) in RELEASES:
        return fetch_release(str(run))
    names = list_release_names()
    if str(run) in names:
        return fetch_release(str(run))
    similar = difflib.get_close_matches(str(run), names, n=1)
    hint = f"Did you mean '{similar[0]}'? " if similar else ""
    raise InputError(
        f"{run}: no such run folder, and no release of this name. {hint}Releases: "
        f"{', '.join(names)}"
    )


def fetch_repository(address: str | Path | RunFolder) -> Path:
    """Returns the cached run folder of `hf://user/name[@revision]`, and downloads the
    run if necessary.

    The cache folder contains one folder per commit. A revision that is a cached commit
    requires no network access.

    Raises: `InputError` if the name is malformed, the repository or the revision does
        not exist, the token lacks the permission, the network fails, or the repository
        contains no complete run.
    """
    repository = Repository.parse(str(address))
    commits = (
        get_cache_folder() / REPOSITORY_FOLDER / repository.name.replace("/", "--")
    )
    if repository.commit and (commits / repository.commit).is_dir():
        return commits / repository.commit
    advice = _suggest_cached_commit(repository, commits)
    commit = _resolve_commit(repository, advice)
    if not (commits / commit).is_dir():
        commits.mkdir(parents=True, exist_ok=True)
        try:
            _download(repository, commit, commits / commit)
        except OSError:
            # another process may have downloaded the commit in the meantime
            if not (commits / commit).is_dir():
                raise
    return commits / commit


def pull(name: str, folder: str | Path) -> str:
    """Downloads the run of a repository into a new folder.

    Args:
        name: `user/name[@revision]` of the repository.
        folder: path of the new folder.

    Returns: hash of the downloaded commit.

    Raises: `InputError` if the folder exists or its parent does not exist; see also
        `fetch_repository`.
    """
    repository = Repository.parse(name)
    folder = Path(folder)
    if os.path.lexists(folder):
        raise InputError(
            f"{folder} already exists and is not overwritten. Choose another folder"
        )
    if not folder.absolute().parent.is_dir():
        raise InputError(f"{folder}: the folder {folder.parent} does not exist")
    commit = _resolve_commit(repository)
    _download(repository, commit, folder)
    return commit


def _resolve_commit(repository: Repository, advice: str = "") -> str:
    """Returns the hash of the current commit of a revision.

    Args:
        repository: the repository and the revision.
        advice: text to append to the message of a network error.

    Raises: `InputError` if the request fails, or if the response contains no valid
        commit.
    """
    hub = import_hub()
    with convert_hub_errors(repository, advice):
        info = hub.HfApi().model_info(
            repository.name, revision=repository.revision or DEFAULT_BRANCH
        )
    commit = str(info.sha)
    if not COMMIT_PATTERN.fullmatch(commit) or repository.commit not in (None, commit):
        raise InputError(
            f"{repository}: the hub returned no valid commit: {commit[:50]!r}"
        )
    return commit


def _download(repository: Repository, commit: str, folder: Path) -> None:
    """Downloads the files of a run into a new folder, which is created after all files
    have been checked. Other files of the repository are ignored.

    Raises: `InputError` if the download fails or is not a complete run; `OSError` if
        the folder exists.
    """
    with create_folder(folder) as temporary:
        temporary.mkdir()
        with convert_hub_errors(repository):
            import_hub().snapshot_download(
                repository.name,
                revision=commit,
                local_dir=temporary,  # writes regular files, not links to a cache
                cache_dir=temporary / HUB_FOLDER,
                allow_patterns=[*RUN_FILES, CARD],
                etag_timeout=network_bounds.CONNECT_TIMEOUT,
                library_name="dsa",
                library_version=__version__,
            )
        shutil.rmtree(temporary / HUB_FOLDER, ignore_errors=True)
        check_download(temporary, str(repository))


def _suggest_cached_commit(repository: Repository, commits: Path) -> str:
    """Returns a suggestion for network errors, the address of the newest cached commit;
    "" if no commit is cached."""
    cached = [path for path in commits.glob("*") if COMMIT_PATTERN.fullmatch(path.name)]
    if not cached:
        return ""
    newest = max(cached, key=lambda path: path.stat().st_mtime).name
    return f". Without network: hf://{repository.name}@{newest}"
