"""Imports of optional packages."""

import contextlib
from collections.abc import Iterator

from dsa.errors import InputError


@contextlib.contextmanager
def importing(extra: str, what: str) -> Iterator[None]:
    """Converts a failed import in the context to an `InputError` with a reason, such as
    "Parquet files need pyarrow", and the extra that installs the package."""
    try:
        yield
    except ImportError as error:
        install = f"pip install 'dsa-nli[{extra}]' installs it"
        raise InputError(f"{what}: {install} ({error})") from error
