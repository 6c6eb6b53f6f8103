"""A run folder into a repository on a Hugging Face hub."""

import mmap
from collections.abc import Callable, Mapping
from pathlib import Path

from dsa.errors import InputError
from dsa.hub.fetching import list_repository
from dsa.hub.model_card import check_licence, write_model_card
from dsa.hub.repository import (
    LOGIN,
    MAIN,
    Repository,
    check_revision,
    import_hub,
    say_errors,
)
from dsa.hub.shared_files import CARD, RUN_FILES, check_listing, check_sizes, read_run
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.system.folder_lock import PUBLISHING
from dsa.version import __version__


def push(
    run: RunFolder,
    name: str,
    branch: str = MAIN,
    private: bool = False,
    licence: str | None = None,
    dry_run: bool = False,
    show: Callable[[str], object] = print,
) -> Repository | None:
    """Publishes a run: its model, its evaluations and a card. The run's lock is held,
    so all files that are uploaded belong together.

    Args:
        run: the `RunFolder`.
        name: `user/name` of the repository; it is made if there is none.
        branch: its branch; it is made if there is none.
        private: whether only its owner may read the repository.
        licence: of the model, an identifier of the hub's such as "apache-2.0", for the
            card; `None` for none.
        dry_run: whether nothing is uploaded.
        show: a function of a text; gets the files and sizes before they are uploaded.

    Returns: the `Repository` with the new commit; `None` for a dry run.

    Raises: `InputError` for a name, a branch or a licence that is none, a run that is
        not finished or not sound, without a token, and where the repository holds
        something else; `BusyError` while another process writes into the run.
    """
    check_licence(licence)
    repository = Repository.parse(name)
    if repository.revision:
        raise InputError(f"{name}: --revision names the branch")
    check_revision(branch)
    repository, hub = Repository(repository.name, branch), import_hub()
    run.check_folder()
    with run.hold(PUBLISHING):
        if not is_finished(run):
            raise InputError(f"{run.path}: not finished, it cannot be published")
        read_run(run)
        card = write_model_card(run, repository.name, licence)
        paths = {file: run.path / file for file in RUN_FILES}
        paths = {file: path for file, path in paths.items() if path.is_file()}
        sizes = {file: path.stat().st_size for file, path in paths.items()}
        sizes[CARD] = len(card.encode("utf-8"))
        check_sizes(sizes, run.path)
        shown = sizes | {"bytes": sum(sizes.values())}
        lines = [f"\n  {size:>13,}  {file}" for file, size in shown.items()]
        show(f"{run.path} to {repository}:{''.join(lines)}")
        if dry_run:
            return None
        token = hub.get_token()
        if token is None:
            raise InputError(f"{repository.name}: a token is needed ({LOGIN})")
        for path in paths.values():
            _check_no_token(path, token)
        return _upload(paths, card, repository, private)


def _check_no_token(path: Path, token: str) -> None:
    """Raises `InputError` for a file that holds the user's token."""
    if path.stat().st_size:  # an empty file cannot be mapped
        with (
            open(path, "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            if content.find(token.encode()) >= 0:
                raise InputError(f"{path}: holds your token, it is not published")


def _upload(
    paths: Mapping[str, Path], card: str, repository: Repository, private: bool
) -> Repository:
    """Commits files and their card to the branch of a repository, and removes what an
    earlier run has left there; returns the commit."""
    hub = import_hub()
    api = hub.HfApi(library_name="dsa", library_version=__version__)
    name, branch = repository.name, repository.revision
    with say_errors(repository):  # everything is checked before anything is changed
        hub.ModelCard(card).validate()
        is_there = api.revision_exists(name, branch)
        if not is_there and not api.revision_exists(name, MAIN):
            api.create_repo(name, private=private or None, exist_ok=True)
            is_there = branch == MAIN
        info = api.model_info(name, revision=branch if is_there else MAIN)
        if private and not info.private:
            raise InputError(
                f"{name} is there already, and everybody can read it: --private needs "
                "another name, or the repository's own settings"
            )
        listing = list_repository(repository, info.sha)
        earlier = {*check_listing(listing, name, needed=())} - {*paths, CARD}
        if not is_there:
            api.create_branch(name, branch=branch, revision=info.sha, exist_ok=True)
        files = {**paths, CARD: card.encode("utf-8")}
        changes = [hub.CommitOperationAdd(*file) for file in files.items()]
        changes += [hub.CommitOperationDelete(file) for file in earlier]
        commit = api.create_commit(
            name,
            changes,
            commit_message=f"A run of dsa {__version__}",
            revision=branch,
            parent_commit=info.sha,
        )
    return Repository(name, commit.oid)
