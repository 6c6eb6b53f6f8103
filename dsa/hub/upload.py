"""Upload of a run folder to a repository on a Hugging Face hub."""

import mmap
from collections.abc import Callable, Mapping
from pathlib import Path

from dsa.errors import InputError
from dsa.hub.model_card import check_licence, format_model_card
from dsa.hub.repository import (
    DEFAULT_BRANCH,
    LOGIN_HINT,
    Repository,
    check_revision,
    convert_hub_errors,
    import_hub,
)
from dsa.hub.shared_files import CARD, RUN_FILES, check_repository_files, check_run
from dsa.runs.run_folder import RunFolder, is_finished
from dsa.system.folder_lock import PUBLISHING
from dsa.version import __version__


def push(
    run: RunFolder,
    name: str,
    branch: str = DEFAULT_BRANCH,
    private: bool = False,
    licence: str | None = None,
    dry_run: bool = False,
    show: Callable[[str], object] = print,
) -> Repository | None:
    """Uploads the model and the evaluations of a run, with a model card.

    The run is locked during the upload, so that all files are consistent.

    Args:
        run: the run.
        name: `user/name` of the repository. A missing repository is created.
        branch: branch of the repository. A missing branch is created.
        private: whether the repository must be private.
        licence: licence of the model for the card, an identifier of the hub such as
            "apache-2.0"; `None` for a card without a licence.
        dry_run: whether to list the files without uploading them.
        show: function that prints the list of files and sizes.

    Returns: the repository with the new commit as revision; `None` for a dry run.

    Raises: `InputError` if the name, the branch or the licence is malformed, the run is
        unfinished or damaged, the token is missing, a file contains the token, or the
        repository contains other files than a run; `BusyError` if another process
        writes to the run.
    """
    check_licence(licence)
    repository = Repository.parse(name)
    if repository.revision:
        raise InputError(
            f"{name}: expected a name without '@'. Set the branch with --revision"
        )
    check_revision(branch)
    repository = Repository(repository.name, branch)
    hub = import_hub()
    run.check_folder()
    with run.hold(PUBLISHING):
        if not is_finished(run):
            raise InputError(
                f"{run.path}: only finished runs can be published. Finish the training"
            )
        check_run(run)
        card = format_model_card(run, repository.name, licence)
        paths = {}
        for file in RUN_FILES:
            if (run.path / file).is_file():
                paths[file] = run.path / file
        show(f"{run.path} to {repository}:\n{_format_sizes(paths, card)}")
        if dry_run:
            return None
        token = hub.get_token()
        if token is None:
            raise InputError(
                f"{repository.name}: the upload requires a token; {LOGIN_HINT}"
            )
        for path in paths.values():
            _check_no_token(path, token)
        return _upload(paths, card, repository, private)


def _format_sizes(paths: Mapping[str, Path], card: str) -> str:
    """Returns the size of each file and the total size in bytes, one per line."""
    sizes = {file: path.stat().st_size for file, path in paths.items()}
    sizes[CARD] = len(card.encode("utf-8"))
    lines = [f"  {size:>13,}  {file}" for file, size in sizes.items()]
    lines.append(f"  {sum(sizes.values()):>13,}  bytes")
    return "\n".join(lines)


def _check_no_token(path: Path, token: str) -> None:
    """Raises `InputError` if a file contains the token of the user."""
    if path.stat().st_size:  # an empty file cannot be mapped
        with (
            open(path, "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            if content.find(token.encode()) >= 0:
                raise InputError(
                    f"{path} contains your token, so the run is not published. Remove "
                    "the token from the file"
                )


def _upload(
    paths: Mapping[str, Path], card: str, repository: Repository, private: bool
) -> Repository:
    """Commits files and a model card to the branch of a repository, and deletes the
    other files of an earlier run.

    Args:
        paths: `{name in the repository: path of the local file}`.
        card: text of the model card.
        repository: the repository with the branch as revision.
        private: whether the repository must be private.

    Returns: the repository with the new commit as revision.
    """
    hub = import_hub()
    api = hub.HfApi(library_name="dsa", library_version=__version__)
    name = repository.name
    branch = repository.revision
    with convert_hub_errors(repository):
        hub.ModelCard(card).validate()
        has_branch = api.revision_exists(name, branch)
        if not has_branch and not api.revision_exists(name, DEFAULT_BRANCH):
            api.create_repo(name, private=private or None, exist_ok=True)
            has_branch = branch == DEFAULT_BRANCH
        info = api.model_info(name, revision=branch if has_branch else DEFAULT_BRANCH)
        if private and not info.private:
            raise InputError(
                f"{name} is a public repository. For --private, choose another name, "
                "or make the repository private on the hub"
            )
        existing = api.list_repo_files(name, revision=info.sha)
        check_repository_files(existing, name)
        if not has_branch:
            api.create_branch(name, branch=branch, revision=info.sha, exist_ok=True)
        changes = [hub.CommitOperationAdd(file, path) for file, path in paths.items()]
        changes.append(hub.CommitOperationAdd(CARD, card.encode("utf-8")))
        obsolete = set(existing).intersection(RUN_FILES).difference(paths)
        changes += [hub.CommitOperationDelete(file) for file in sorted(obsolete)]
        commit = api.create_commit(
            name,
            changes,
            commit_message=f"A run of dsa {__version__}",
            revision=branch,
            parent_commit=info.sha,
        )
    return Repository(name, commit.oid)
