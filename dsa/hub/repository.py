"""Names of repositories on a Hugging Face hub, and conversion of hub errors.

Only this package and `dsa.data.corpora.hub_rows` import huggingface_hub.
"""

import contextlib
import dataclasses
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dsa.data.corpora.hub_rows import COMMIT_PATTERN
from dsa.errors import InputError
from dsa.hub.bounds import set_hub_timeouts
from dsa.parsing import shorten
from dsa.system.extras import hide_token, importing, quote_error

ADDRESS_PREFIX = re.compile(r"hf:/{1,2}")  # `Path` removes the second slash
NAME_PART = r"\w(?:[\w.-]*\w)?"
NAME_PATTERN = re.compile(f"{NAME_PART}/{NAME_PART}", re.ASCII)
REVISION_PATTERN = re.compile(r"\w(?:[\w./-]*\w)?", re.ASCII)
FORBIDDEN_SUBSTRINGS = ("..", "--", "//")  # in a name or a revision
MAX_NAME_LENGTH = 96  # maximum length of a name
DEFAULT_BRANCH = "main"  # the default branch
LOGIN_HINT = "set it with `hf auth login` or HF_TOKEN"


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

        Raises: `InputError` if the name or the revision is malformed.

        Example:
            >>> Repository.parse("hf://maria/snli@v1")
            Repository(name='maria/snli', revision='v1')
        """
        address = ADDRESS_PREFIX.sub("", str(text), count=1)
        name, separator, revision = address.partition("@")
        is_valid = (
            NAME_PATTERN.fullmatch(name)
            and len(name) <= MAX_NAME_LENGTH
            and not _has_forbidden_substring(name)
            and not name.endswith(".git")
        )
        if not is_valid:
            raise InputError(
                "the name of a repository must be user/name or user/name@revision. "
                f"Received: {shorten(str(text))}"
            )
        if not separator:
            return cls(name)
        check_revision(revision)
        return cls(name, revision)

    def __str__(self) -> str:
        if self.revision:
            return f"{self.name}@{self.revision}"
        return self.name

    @property
    def commit(self) -> str | None:
        """The revision if it is a commit; `None` for a branch or a tag, which can be
        moved to another commit."""
        if self.revision and COMMIT_PATTERN.fullmatch(self.revision):
            return self.revision
        return None


def is_hub_address(run: Any) -> bool:
    """Returns whether the name of a run starts with `hf://`."""
    return bool(ADDRESS_PREFIX.match(str(run)))


def check_revision(revision: str) -> None:
    """Raises `InputError` if the name of a branch, a tag or a commit is malformed."""
    is_valid = REVISION_PATTERN.fullmatch(revision)
    if not is_valid or _has_forbidden_substring(revision):
        raise InputError(
            "a revision must be a branch, a tag or a commit. Received: "
            f"{shorten(revision)}"
        )


def _has_forbidden_substring(text: str) -> bool:
    return any(substring in text for substring in FORBIDDEN_SUBSTRINGS)


def import_hub() -> Any:
    """Imports the package huggingface_hub and sets its timeouts.

    Raises: `InputError` if the package is not installed.
    """
    with importing("hub", "the Hugging Face hub requires the package huggingface_hub"):
        import huggingface_hub
        import huggingface_hub.errors
        import huggingface_hub.hf_api
        import huggingface_hub.utils
    if not (sys.stderr and sys.stderr.isatty()):
        huggingface_hub.utils.disable_progress_bars()
    set_hub_timeouts()
    return huggingface_hub


@contextlib.contextmanager
def convert_hub_errors(repository: Repository, advice: str = "") -> Iterator[None]:
    """Context manager that converts hub errors to an `InputError` with one line.

    The token of the user is removed from the message. The original error is not part of
    the traceback, because it can contain the token.

    Args:
        repository: the requested repository, for the message.
        advice: text to append to the message of a network error.
    """
    try:
        yield
    except MemoryError:
        raise
    except InputError as error:
        message = str(error)
        if hide_token(message) == message:
            raise
    except Exception as error:  # the package and its HTTP library raise many types
        message = _describe_error(error, repository, advice)
    else:
        return
    raise InputError(hide_token(message)) from None


def _describe_error(error: BaseException, repository: Repository, advice: str) -> str:
    """Returns the message for an error of huggingface_hub or its HTTP library."""
    hub = import_hub()
    errors = hub.errors
    endpoint = hub.constants.ENDPOINT
    name = repository.name
    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__:
        error = error.__cause__
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    server_message = getattr(error, "server_message", None)
    reason = f": {quote_error(server_message)}" if server_message else ""
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{name} has no revision '{repository.revision}'"
    if isinstance(error, errors.GatedRepoError):
        return f"{name}: the repository is gated. Request access on {endpoint}"
    if isinstance(error, errors.EntryNotFoundError):
        return f"{name}: a file that the hub lists is missing"
    if isinstance(error, errors.RepositoryNotFoundError) or status == 404:
        return (
            f"{name}: no such repository on {endpoint}, or a private repository that "
            f"needs another token ({LOGIN_HINT})"
        )
    if isinstance(error, errors.OfflineModeIsEnabled):
        return f"{repository}: HF_HUB_OFFLINE disables network access{advice}"
    if status in (401, 403):
        return (
            f"{name}: HTTP status {status} of the hub: your token is missing, wrong or "
            f"lacks the permission ({LOGIN_HINT}){reason}"
        )
    if status:
        return f"{name}: HTTP status {status} of the hub{reason}"
    if isinstance(error, errors.HTTPError):  # an error of the HTTP library
        return f"{repository}: no answer from {endpoint}: {quote_error(error)}{advice}"
    return f"{repository}: {type(error).__name__}: {quote_error(error)}"
