"""A run folder into a repository on a Hugging Face hub."""

import dataclasses
import mmap

from dsa.errors import InputError
from dsa.experiment.run_folder import RunFolder, is_finished
from dsa.hub.connection import LOGIN, import_hub, read_token, say_errors
from dsa.hub.download import list_repository
from dsa.hub.model_card import check_licence, write_model_card
from dsa.hub.repository import MAIN, Repository, check_revision
from dsa.hub.shared_files import (
    CARD,
    RUN_FILES,
    check_paths,
    check_size,
    describe_files,
    read_run,
    sort_listing,
)
from dsa.system.folder_lock import PUBLISHING
from dsa.version import __version__


@dataclasses.dataclass(frozen=True)
class Target:
    """Where a run is published.

    Args:
        name: `user/name` of the repository; it is made if there is none.
        revision: the branch; it is made if there is none.
        private: whether nobody else may read the repository.
        licence: of the model, an identifier of the hub's such as "apache-2.0", for the
            card; `None` for none.
    """

    name: str
    revision: str = MAIN
    private: bool = False
    licence: str | None = None

    @property
    def repository(self):
        """The `Repository`.

        Raises: `InputError` for a name or a branch that is none.
        """
        repository = Repository.parse(self.name)
        if repository.revision:
            raise InputError(f"{self.name}: --revision names the branch")
        check_revision(self.revision)
        return Repository(repository.name, self.revision)


def push(run, target, show, dry_run=False):
    """Publish a run: its model, its evaluations and a card. The run's lock is held, so
    what is uploaded is of one moment.

    Args:
        run: the run folder, its path or a `RunFolder`.
        target: the `Target`.
        show: a function of a text, which says what is uploaded, before it is.
        dry_run: whether nothing else is done.

    Returns: the commit; `None` for a dry run.

    Raises: `InputError` for a run that is not finished or not sound, a licence that is
        none, without a token, and where the repository holds something else;
        `BusyError` while somebody else writes into the run.
    """
    check_licence(target.licence)
    repository = target.repository
    run = run if isinstance(run, RunFolder) else RunFolder(run)
    import_hub()
    run.check_no_links()
    with run.hold(PUBLISHING):
        card = _read_card(run, target)
        paths = {
            name: run.path / name for name in RUN_FILES if (run.path / name).is_file()
        }
        sizes = {name: path.stat().st_size for name, path in paths.items()}
        sizes[CARD] = len(card)
        check_size(sizes, run.path)
        show(f"{run.path} to {repository}:\n{describe_files(sizes)}")
        if dry_run:
            return None
        token = read_token()
        if token is None:
            raise InputError(f"{repository.name}: a token is needed ({LOGIN})")
        for path in paths.values():
            _check_no_token(path, token)
        return _upload({**paths, CARD: card}, repository, target.private)


def _read_card(run, target):
    """The bytes of the card of a sound and finished run."""
    if not is_finished(run):
        raise InputError(f"{run.path}: not finished, it cannot be published")
    read_run(run)
    card = write_model_card(run, target.repository.name, target.licence)
    return card.encode("utf-8")


def _check_no_token(path, token):
    """Raises: `InputError` for a file that holds the user's token."""
    if path.stat().st_size:  # an empty file cannot be mapped
        with (
            open(path, "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            if content.find(token.encode()) >= 0:
                raise InputError(f"{path}: holds your token, it is not published")


def _upload(files, repository, private):
    """Commit files to a branch; returns the commit.

    Args:
        files: `{name: its path, or bytes}`.
        repository: the `Repository`, with the branch.
        private: see `Target`.
    """
    hub = import_hub()
    api = hub.HfApi(library_name="dsa", library_version=__version__)
    name, branch = repository.name, repository.revision
    with say_errors(repository):  # everything is refused before anything is changed
        hub.ModelCard(files[CARD].decode("utf-8")).validate()
        info, is_there = _describe_branch(api, repository)
        if info is None:
            api.create_repo(name, private=private or None, exist_ok=True)
            info, is_there = api.model_info(name, revision=MAIN), branch == MAIN
        if private and not info.private:
            raise InputError(
                f"{name} is there already, and everybody can read it: --private needs "
                "another name, or the repository's own settings"
            )
        present = _list_files_of_run(repository, info.sha)
        if not is_there:
            api.create_branch(name, branch=branch, revision=info.sha, exist_ok=True)
        operations = [
            *(hub.CommitOperationAdd(*file) for file in files.items()),
            *(hub.CommitOperationDelete(old) for old in present if old not in files),
        ]
        commit = api.create_commit(
            name,
            operations,
            commit_message=f"A run of dsa {__version__}",
            revision=branch,
            parent_commit=info.sha,
        )
    return commit.oid


def _describe_branch(api, repository):
    """What the hub says of a branch, or of `main` where there is no such branch yet;
    `None` where there is no repository. And whether the branch is there."""
    errors, name = import_hub().errors, repository.name
    try:
        return api.model_info(name, revision=repository.revision), True
    except errors.RepositoryNotFoundError:
        return None, False
    except errors.RevisionNotFoundError:
        return api.model_info(name, revision=MAIN), False


def _list_files_of_run(repository, commit):
    """The names of a run's files in a commit, which the next one replaces.

    Raises: `InputError` where it holds something else, which is not touched.
    """
    listing = list_repository(repository, commit)
    sizes, strange = sort_listing(listing, repository.name)
    check_paths(strange, repository.name)
    return list(sizes)
