"""Names of repositories on a Hugging Face hub, and one-line errors of the hub.

Only this package and `dsa.data.corpora.hub_rows` import huggingface_hub.
"""

import contextlib
import dataclasses
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsa.data.corpora.hub_rows import COMMIT
from dsa.errors import InputError
from dsa.hub.bounds import bound_hub
from dsa.parsing import shorten
from dsa.system.extras import hide_token, importing, quote_error

PREFIX = re.compile(r"hf:/{1,2}")  # `Path` removes the second slash
PART = r"\w(?:[\w.-]*\w)?"
NAME = re.compile(f"{PART}/{PART}", re.ASCII)
REVISION = re.compile(r"\w(?:[\w./-]*\w)?", re.ASCII)
FORBIDDEN = ("..", "--", "//")  # invalid parts of a name or a revision
MAX_CHARACTERS = 96  # maximum length of a name
MAIN = "main"  # the default branch
LOGIN = "set it with `hf auth login` or HF_TOKEN"


@dataclasses.dataclass(frozen=True)
class Repository:
    """A repository at a revision.

    Args:
        name: `user/name`.
        revision: branch, tag or commit; `None` for the branch `main`.
    """

    name: str
    revision: str | None = None

    @classmethod
    def parse(cls, text: str | Path) -> "Repository":
        """Parses `user/name[@revision]`, with or without `hf://`.

        Raises: `InputError` for a malformed name or revision.

        Example:
            >>> Repository.parse("hf://maria/snli@v1")
            Repository(name='maria/snli', revision='v1')
        """
        name, at, revision = PREFIX.sub("", str(text), count=1).partition("@")
        has_form = NAME.fullmatch(name) and len(name) <= MAX_CHARACTERS
        is_forbidden = any(part in name for part in FORBIDDEN)
        if not has_form or is_forbidden or name.endswith(".git"):
            raise InputError(
                "the name of a repository must be user/name or user/name@revision. "
                f"Received: {shorten(str(text))}"
            )
        if at:
            check_revision(revision)
        return cls(name, revision if at else None)

    def __str__(self) -> str:
        return f"{self.name}@{self.revision}" if self.revision else self.name

    @property
    def commit(self) -> str | None:
        """The revision if it is a commit; `None` for a branch or a tag, whose commit
        can change."""
        if self.revision and COMMIT.fullmatch(self.revision):
            return self.revision
        return None


def is_address(run: Any) -> bool:
    """Returns whether the name of a run is an address `hf://...`."""
    return bool(PREFIX.match(str(run)))


def check_revision(revision: str) -> None:
    """Raises `InputError` for a malformed name of a branch, a tag or a commit."""
    if not REVISION.fullmatch(revision) or any(part in revision for part in FORBIDDEN):
        raise InputError(
            "a revision must be a branch, a tag or a commit. Received: "
            f"{shorten(revision)}"
        )


def import_hub() -> Any:
    """Imports the package huggingface_hub and sets its time limits (`bound_hub`).

    Raises: `InputError` if the package is not installed.
    """
    with importing("hub", "the Hugging Face hub requires the package huggingface_hub"):
        import huggingface_hub
        import huggingface_hub.errors
        import huggingface_hub.hf_api
        import huggingface_hub.utils
    if not (sys.stderr and sys.stderr.isatty()):
        huggingface_hub.utils.disable_progress_bars()
    bound_hub()
    return huggingface_hub


@contextlib.contextmanager
def hub_errors(repository: Repository, advice: str = "") -> Iterator[None]:
    """Converts errors of the hub inside the context to an `InputError` of one line.

    The token of the user is removed from the message. The original error is not part of
    the traceback, because it can contain the token.

    Args:
        repository: repository for the message.
        advice: text to append to the message of a network error.
    """
    try:
        yield
    except MemoryError:
        raise
    except InputError as error:
        text = str(error)
        if hide_token(text) == text:
            raise
    except Exception as error:  # the package and its HTTP library raise many types
        text = _describe_error(error, repository, advice)
    else:
        return
    raise InputError(hide_token(text)) from None


def _describe_error(error: BaseException, repository: Repository, advice: str) -> str:
    """Returns the message of an error of the hub."""
    hub = import_hub()
    errors, endpoint = hub.errors, hub.constants.ENDPOINT
    name, revision = repository.name, repository.revision
    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__:
        error = error.__cause__
    status = getattr(getattr(error, "response", None), "status_code", None)
    message = getattr(error, "server_message", None)
    quoted = f": {quote_error(message)}" if message else ""
    not_found = (
        f"{name}: no such repository on {endpoint}, or a private repository that needs "
        f"another token ({LOGIN})"
    )
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{name} has no revision '{revision}'"
    if isinstance(error, errors.GatedRepoError):
        return f"{name}: the repository is gated. Request access on {endpoint}"
    if isinstance(error, errors.EntryNotFoundError):
        return f"{name}: a file that the hub lists is missing"
    if isinstance(error, errors.RepositoryNotFoundError) or status == 404:
        return not_found
    if isinstance(error, errors.OfflineModeIsEnabled):
        return f"{repository}: HF_HUB_OFFLINE disables network access{advice}"
    if status in (401, 403):
        return (
            f"{name}: HTTP status {status} of the hub: your token is missing, wrong or "
            f"lacks the permission ({LOGIN}){quoted}"
        )
    if status:
        return f"{name}: HTTP status {status} of the hub{quoted}"
    if isinstance(error, errors.HTTPError):  # an error of the HTTP library
        return f"{repository}: no answer from {endpoint}: {quote_error(error)}{advice}"
    return f"{repository}: {type(error).__name__}: {quote_error(error)}"
