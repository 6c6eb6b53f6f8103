"""What the functions of the library are given; what is wrong names its argument."""

from collections.abc import Iterable, Mapping
from typing import Any

from dsa.errors import InputError
from dsa.experiment.yaml_file import parse_overrides


def read_overrides(
    overrides: str | Iterable[str] | Mapping[str, Any],
) -> Mapping[str, Any]:
    """Returns `overrides` as `{"section.key": value}`; a text by itself is one setting.

    Raises: `InputError` for another type, and as `parse_overrides`.
    """
    if isinstance(overrides, str):
        overrides = [overrides]
    texts = list(overrides) if isinstance(overrides, Iterable) else [overrides]
    if not all(isinstance(text, str) for text in texts):
        what = "a text 'section.key=value', a list of such, or a dictionary"
        raise refuse("overrides", what, overrides)
    return overrides if isinstance(overrides, Mapping) else parse_overrides(texts)


def refuse(argument: str, needed: str, received: Any) -> InputError:
    """Returns the error for an argument of a wrong type.

    Args:
        argument: its name.
        needed: what it must be, in words.
        received: what it is.
    """
    return InputError(
        f"'{argument}': {needed} is needed. Received: a {type(received).__name__}"
    )
