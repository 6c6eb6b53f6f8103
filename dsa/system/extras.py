"""Packages that only an extra of this distribution installs."""

import contextlib
from collections.abc import Iterator

from dsa.errors import InputError


@contextlib.contextmanager
def importing(extra: str, what: str) -> Iterator[None]:
    """Inside the context a failed import is an `InputError` that says what, such as
    "Parquet files need pyarrow", and which extra installs it."""
    try:
        yield
    except ImportError as error:
        install = f"pip install 'dsa-nli[{extra}]' installs it"
        raise InputError(f"{what}: {install} ({error})") from error
