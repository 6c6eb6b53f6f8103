"""From a run's name to its folder; runs of repositories are downloaded."""

import difflib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from dsa.errors import InputError
from dsa.hub.releases import RELEASES, fetch_release
from dsa.hub.repository import (
    COMMIT,
    MAIN,
    Repository,
    import_hub,
    is_address,
    say_errors,
)
from dsa.hub.shared_files import check_download, check_listing
from dsa.runs.run_folder import RunFolder
from dsa.system import network_bounds
from dsa.system.atomic_files import new_folder
from dsa.system.folders import cache_folder
from dsa.version import __version__

REPOSITORIES = "hub"  # below the cache folder
TEMPORARY = ".cache"  # of the package, in a folder that it downloads into


def find_run_folder(run: str | Path | RunFolder) -> RunFolder:
    """The `RunFolder` of a run's name, see `find_run`. A `RunFolder` keeps what it is
    known as."""
    path = find_run(run)
    if isinstance(run, RunFolder):
        return RunFolder(path, run.known_as)
    return RunFolder(path, None if path == Path(run) else str(run))


def find_run(run: str | Path | RunFolder) -> Path:
    """The path of a run folder, or of the run that a release's name, a key of
    `RELEASES`, or an address `hf://user/name[@revision]` stands for. A folder of this
    name comes first.

    Raises: `InputError` as `fetch_release` and `fetch_repository`, and for a name that
        is none of these.
    """
    if not isinstance(run, (str, os.PathLike)):
        raise InputError(
            "a run is named by a text or a path, such as 'mini' or a folder. Received: "
            f"a {type(run).__name__}"
        )
    path = Path(run)
    if is_address(run) and not path.exists():
        return fetch_repository(run)
    if path.exists() or path.name != str(run):
        return path
    if str(run) in RELEASES:
        return fetch_release(str(run))
    near = difflib.get_close_matches(str(run), RELEASES, n=1)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    raise InputError(
        f"{run}: no such run folder, and no release of this name. {hint}Releases: "
        f"{', '.join(RELEASES)}"
    )


def fetch_repository(address: str | Path | RunFolder) -> Path:
    """The path of the run folder of `hf://user/name[@revision]` in the cache folder;
    each commit has one. A commit that is there already needs no network.

    Raises: `InputError` for a name that is none, an unknown repository or revision, one
        that must not be read, without network, and for a repository that is no sound
        run.
    """
    repository = Repository.parse(str(address))
    commits = cache_folder() / REPOSITORIES / repository.name.replace("/", "--")
    commit = repository.commit
    if not (commit and (commits / commit).is_dir()):
        commit = _find_commit(repository, _name_known(repository, commits))
        if not (commits / commit).is_dir():
            commits.mkdir(parents=True, exist_ok=True)
            try:
                _download(repository, commit, commits / commit)
            except OSError:
                if not (commits / commit).is_dir():  # else another process was first
                    raise
    return commits / commit


def pull(name: str, folder: str | Path) -> str:
    """Downloads the run of `user/name[@revision]` into a new folder.

    Returns: the commit that was downloaded.

    Raises: `InputError` as `fetch_repository`, and for a folder that is there already.
    """
    repository, folder = Repository.parse(name), Path(folder)
    if os.path.lexists(folder):
        raise InputError(f"{folder} is there already and is not overwritten")
    if not folder.absolute().parent.is_dir():
        raise InputError(f"{folder}: no such folder: {folder.parent}")
    commit = _find_commit(repository)
    _download(repository, commit, folder)
    return commit


def list_repository(
    repository: Repository, commit: str
) -> Iterator[tuple[str, int | None]]:
    """Yields the path and the size of each file of a commit. A folder, or what is no
    file at all, is a path that ends with a slash."""
    hub = import_hub()
    for entry in hub.HfApi().list_repo_tree(
        repository.name, recursive=True, revision=commit
    ):
        is_file = isinstance(entry, hub.hf_api.RepoFile)
        yield (entry.path, entry.size) if is_file else (f"{entry.path}/", None)


def _find_commit(repository: Repository, advice: str = "") -> str:
    """The commit that the revision of a `Repository` is now; `advice` is what an error
    without network says."""
    hub = import_hub()
    with say_errors(repository, advice):
        info = hub.HfApi().model_info(
            repository.name, revision=repository.revision or MAIN
        )
    commit = str(info.sha)
    if not COMMIT.fullmatch(commit) or repository.commit not in (None, commit):
        raise InputError(f"{repository}: the hub names no commit, but {commit[:50]!r}")
    return commit


def _download(repository: Repository, commit: str, folder: Path) -> None:
    """Downloads a commit into a new folder, which is there only when all of it has been
    checked; raises `OSError` where another process has made it meanwhile."""
    with say_errors(repository):
        sizes = check_listing(list_repository(repository, commit), repository.name)
    parent, needed = folder.absolute().parent, sum(sizes.values())
    free = shutil.disk_usage(parent).free
    if needed > free:
        raise InputError(
            f"{parent}: {needed:,} bytes are needed, and {free:,} are free"
        )
    with new_folder(folder) as temporary:
        temporary.mkdir()
        with say_errors(repository):
            import_hub().snapshot_download(
                repository.name,
                revision=commit,
                local_dir=temporary,  # real files: the package's own cache has links
                cache_dir=temporary / TEMPORARY,
                allow_patterns=list(sizes),
                etag_timeout=network_bounds.CONNECT_SECONDS,
                library_name="dsa",
                library_version=__version__,
            )
        shutil.rmtree(temporary / TEMPORARY, ignore_errors=True)
        check_download(temporary, sizes, str(repository))


def _name_known(repository: Repository, commits: Path) -> str:
    """Which commit needs no network, in words; nothing where there is none."""
    known = [path for path in commits.glob("*") if COMMIT.fullmatch(path.name)]
    if not known:
        return ""
    newest = max(known, key=lambda path: path.stat().st_mtime).name
    return f". Without network: hf://{repository.name}@{newest}"
