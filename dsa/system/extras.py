"""Error messages about optional packages."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from dsa.errors import InputError
from dsa.version import __version__

MAX_QUOTED = 300  # maximum number of quoted characters of an error message


def format_install_command(extra: str) -> str:
    """Returns the command that installs an extra from this checkout or the wheel.

    The package is not published on a package index.

    Example:
        >>> format_install_command("hub").endswith("[hub]'")
        True
    """
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "setup.py").is_file():
        return f"pip install -e '{checkout}[{extra}]'"
    return f"pip install 'dsa_nli-{__version__}-py3-none-any.whl[{extra}]'"


@contextlib.contextmanager
def importing(extra: str, reason: str) -> Iterator[None]:
    """Converts an `ImportError` in the context to an `InputError` with the command that
    installs the package.

    Args:
        extra: the extra of `dsa` that contains the package.
        reason: start of the message, such as "Parquet files need pyarrow".
    """
    try:
        yield
    except ImportError as error:
        install = format_install_command(extra)
        raise InputError(f"{reason} ({error}). To install it: {install}") from error


@contextlib.contextmanager
def naming_errors(source: object) -> Iterator[None]:
    """Converts any error in the context to an `InputError` that starts with the source.

    Packages that read files raise many types of errors.

    Args:
        source: the file or address that is being read.
    """
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {quote_error(error)}"
        raise InputError(f"{source}: {reason}") from None


def quote_error(error: object) -> str:
    """Returns the message of an error as one line of at most 300 characters.

    The user's token is masked.
    """
    # the token is masked first: a truncated token would not be recognized
    text = " ".join(hide_token(str(error)).split())
    if len(text) > MAX_QUOTED:
        return f"{text[:MAX_QUOTED]}..."
    return text


def hide_token(text: str) -> str:
    """Masks the user's token for the Hugging Face hub in a text."""
    hub = sys.modules.get("huggingface_hub")
    token = None if hub is None else hub.get_token()
    if not token:
        return text
    return text.replace(token, "<token>")
