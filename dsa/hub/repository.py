"""A repository on a Hugging Face hub: its name, and its errors as one line each.

Only this folder imports huggingface_hub, and `dsa.data.corpora.hub_rows`.
"""

import contextlib
import dataclasses
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsa.config_section import shorten
from dsa.data.corpora.hub_rows import COMMIT, hide_token, quote_error
from dsa.errors import InputError
from dsa.hub.bounds import bound_hub
from dsa.system.extras import importing

PREFIX = re.compile(r"hf:/{1,2}")  # a `Path` has one slash
PART = r"\w(?:[\w.-]*\w)?"
NAME = re.compile(f"{PART}/{PART}", re.ASCII)
REVISION = re.compile(r"\w(?:[\w./-]*\w)?", re.ASCII)
NEVER = ("..", "--", "//")  # in a name or a revision
MOST_LETTERS = 96  # of user and name
MAIN = "main"  # the branch that a repository begins with
LOGIN = "`hf auth login` keeps one, or HF_TOKEN names it"


@dataclasses.dataclass(frozen=True)
class Repository:
    """A repository, and one of its revisions."""

    name: str  # `user/name`
    revision: str | None = None  # a branch, tag or commit; `None` for the branch `main`

    @classmethod
    def parse(cls, text: str | Path) -> "Repository":
        """A repository from `user/name[@revision]`, with or without `hf://`.

        Raises: `InputError`.

        Example:
            >>> Repository.parse("hf://maria/snli@v1")
            Repository(name='maria/snli', revision='v1')
        """
        name, at, revision = PREFIX.sub("", str(text), count=1).partition("@")
        allowed = NAME.fullmatch(name) and len(name) <= MOST_LETTERS
        if not allowed or name.endswith(".git") or any(n in name for n in NEVER):
            raise InputError(
                f"no name of a repository: {shorten(str(text))}. Needed: user/name, or "
                "user/name@revision"
            )
        if at:
            check_revision(revision)
        return cls(name, revision if at else None)

    def __str__(self) -> str:
        return f"{self.name}@{self.revision}" if self.revision else self.name

    @property
    def commit(self) -> str | None:
        """The commit that the revision is; `None` for a branch or a tag, which can be
        another commit tomorrow."""
        is_commit = self.revision and COMMIT.fullmatch(self.revision)
        return self.revision if is_commit else None


def is_address(run: Any) -> bool:
    """Whether the name of a run is the address of a repository, `hf://...`."""
    return bool(PREFIX.match(str(run)))


def check_revision(revision: str) -> None:
    """Raises `InputError` for what is no name of a branch, a tag or a commit."""
    if not REVISION.fullmatch(revision) or any(part in revision for part in NEVER):
        raise InputError(f"no name of a revision: {shorten(revision)}")


def import_hub() -> Any:
    """The package huggingface_hub; raises `InputError` where it is not installed."""
    with importing("hub", "the Hugging Face hub needs the package huggingface_hub"):
        import huggingface_hub
        import huggingface_hub.errors
        import huggingface_hub.hf_api
        import huggingface_hub.utils
    if not (sys.stderr and sys.stderr.isatty()):
        huggingface_hub.utils.disable_progress_bars()
    bound_hub()
    return huggingface_hub


@contextlib.contextmanager
def say_errors(repository: Repository, advice: str = "") -> Iterator[None]:
    """Turns what goes wrong with the hub inside the context into an `InputError` of one
    line without the user's token, with `advice` after an error of the network. No
    traceback shows the error that it came from, which can quote the token."""
    try:
        yield
    except MemoryError:
        raise
    except InputError as error:
        text = str(error)
        if hide_token(text) == text:
            raise
    except Exception as error:  # the package, its HTTP library and a server raise many
        text = _describe(error, repository, advice)
    else:
        return
    raise InputError(hide_token(text)) from None


def _describe(error: BaseException, repository: Repository, advice: str) -> str:
    hub = import_hub()
    errors, place = hub.errors, hub.constants.ENDPOINT
    name, revision = repository.name, repository.revision
    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__:
        error = error.__cause__  # of a download that did not begin
    status = getattr(getattr(error, "response", None), "status_code", None)
    message = getattr(error, "server_message", None)
    quoted = f": {quote_error(message)}" if message else ""
    unknown = (
        f"{name}: no such repository on {place}, or a private one that needs another "
        f"token ({LOGIN})"
    )
    offline = f"{repository}: HF_HUB_OFFLINE allows no network{advice}"
    for kind, text in (  # the first that fits
        (errors.RevisionNotFoundError, f"{name} has no revision '{revision}'"),
        (errors.GatedRepoError, f"{name}: its owner must give you access first"),
        (errors.EntryNotFoundError, f"{name}: a file that the hub lists is not there"),
        (errors.RepositoryNotFoundError, unknown),
        (errors.OfflineModeIsEnabled, offline),
    ):
        if isinstance(error, kind):
            return text
    if status == 404:
        return unknown
    if status in (401, 403):
        quoted = f": your token is missing, wrong or may not do this ({LOGIN}){quoted}"
    if status:
        return f"{name}: the hub answers {status}{quoted}"
    if isinstance(error, errors.HTTPError):  # that of its HTTP library
        return f"{repository}: no answer from {place}: {quote_error(error)}{advice}"
    return f"{repository}: {type(error).__name__}: {quote_error(error)}"
