"""Checks of arguments of the public API."""

from collections.abc import Iterable, Mapping
from typing import Any

from dsa.errors import InputError
from dsa.experiment.strict_yaml import to_yaml_types
from dsa.experiment.yaml_file import parse_overrides


def read_overrides(
    overrides: str | Iterable[str] | Mapping[str, Any],
) -> Mapping[str, Any]:
    """Converts overrides to a dictionary `{"section.key": value}`.

    Args:
        overrides: a dictionary, a string `"section.key=value"`, or a list of strings.

    Raises: `InputError` for another type, and in the cases of `parse_overrides`.
    """
    if isinstance(overrides, str):
        overrides = [overrides]
    texts = list(overrides) if isinstance(overrides, Iterable) else [overrides]
    if not all(isinstance(text, str) for text in texts):
        expected = "a string 'section.key=value', a list of strings, or a dictionary"
        raise wrong_type_error("overrides", expected, overrides)
    if isinstance(overrides, Mapping):
        return to_yaml_types(overrides)
    return parse_overrides(texts)


def wrong_type_error(argument: str, expected: str, received: Any) -> InputError:
    """Returns the error for an argument of a wrong type.

    Args:
        argument: name of the argument.
        expected: description of the allowed types.
        received: value of the argument.
    """
    return InputError(
        f"'{argument}': expected {expected}. Received: a {type(received).__name__}"
    )
