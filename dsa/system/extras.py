"""Imports and errors of optional packages."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from dsa.errors import InputError
from dsa.version import __version__

LONGEST = 300  # characters quoted from the error of another package


def install_command(extra: str) -> str:
    """Returns the command that installs an extra of this installation: a checkout, or a
    wheel. The package is on no package index.

    Example:
        >>> install_command("hub").endswith("[hub]'")
        True
    """
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "setup.py").is_file():
        return f"pip install -e '{checkout}[{extra}]'"
    return f"pip install 'dsa_nli-{__version__}-py3-none-any.whl[{extra}]'"


@contextlib.contextmanager
def importing(extra: str, reason: str) -> Iterator[None]:
    """Converts a failed import in the context to an `InputError` with a reason, such as
    "Parquet files need pyarrow", and the extra that installs the package."""
    try:
        yield
    except ImportError as error:
        install = f"{install_command(extra)} installs it"
        raise InputError(f"{reason}: {install} ({error})") from error


@contextlib.contextmanager
def naming_errors(source: object) -> Iterator[None]:
    """Converts any error of another package in the context to an `InputError` that
    starts with the source. Packages that read files raise many types of errors."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {quote_error(error)}"
        raise InputError(f"{source}: {reason}") from None


def quote_error(error: object) -> str:
    """Returns the message of an error in one line, without the user's token."""
    text = " ".join(hide_token(str(error)).split())  # before truncating the token
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def hide_token(text: str) -> str:
    """Returns a text with the user's token for the Hugging Face hub masked."""
    hub = sys.modules.get("huggingface_hub")
    token = hub and hub.get_token()
    return text.replace(token, "<token>") if token else text
