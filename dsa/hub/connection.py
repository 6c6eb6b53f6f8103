"""The package huggingface_hub, and its errors as one line each, without any token.
Only this folder imports it."""

import contextlib
import sys

from dsa.errors import InputError

HIDDEN = "<token>"
LONGEST = 300  # letters of a server's own words
LOGIN = "`hf auth login` keeps one, or HF_TOKEN names it"


def import_hub():
    """The package huggingface_hub.

    Raises: `InputError` where it is not installed.
    """
    try:
        import huggingface_hub
        import huggingface_hub.errors
        import huggingface_hub.hf_api
        import huggingface_hub.utils
    except ImportError as error:
        raise InputError(
            "the Hugging Face hub needs the package huggingface_hub: "
            f"pip install '.[hub]' installs it ({error})"
        ) from error
    if not (sys.stderr and sys.stderr.isatty()):
        huggingface_hub.utils.disable_progress_bars()
    return huggingface_hub


def read_token():
    """The user's token, `None` without one. It is shown nowhere."""
    return import_hub().get_token()


@contextlib.contextmanager
def say_errors(repository, advice=""):
    """Turn what goes wrong with the hub inside the context into an `InputError` of one
    line. No traceback shows the error that it came from, which can quote a token.

    Args:
        repository: the `Repository` that is asked for.
        advice: what is said after an error of the network.
    """
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


def hide_token(text):
    """A text without the user's token, such as one that a server has sent back."""
    token = read_token()
    return text.replace(token, HIDDEN) if token else text


def _describe(error, repository, advice):
    hub = import_hub()
    errors = hub.errors
    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__:
        error = error.__cause__  # of a download that did not begin
    name, status = repository.name, _read_status(error)
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{name} has no revision '{repository.revision}'"
    if isinstance(error, errors.GatedRepoError):
        return f"{name}: its owner must give you access first"
    if isinstance(error, errors.EntryNotFoundError):
        return f"{name}: a file that the hub lists is not there"
    if isinstance(error, errors.RepositoryNotFoundError) or status == 404:
        return (
            f"{name}: no such repository on {hub.constants.ENDPOINT}, or a private one "
            f"that needs another token ({LOGIN})"
        )
    if status in (401, 403):
        return (
            f"{name}: the hub answers {status}: your token is missing, wrong or has "
            f"not the right to do this ({LOGIN}){_quote_server(error)}"
        )
    if status:
        return f"{name}: the hub answers {status}{_quote_server(error)}"
    if isinstance(error, errors.OfflineModeIsEnabled):
        return f"{repository}: HF_HUB_OFFLINE allows no network{advice}"
    if isinstance(error, errors.HTTPError):  # that of its HTTP library
        return (
            f"{repository}: no answer from {hub.constants.ENDPOINT}: "
            f"{_shorten(error)}{advice}"
        )
    return f"{repository}: {type(error).__name__}: {_shorten(error)}"


def _read_status(error):
    return getattr(getattr(error, "response", None), "status_code", None)


def _quote_server(error):
    message = getattr(error, "server_message", None)
    return f": {_shorten(message)}" if message else ""


def _shorten(error):
    """The words of an error in one line; no token is hidden once it is cut."""
    text = " ".join(hide_token(str(error)).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
