"""Conversion and checks of arguments of the public API."""

from collections.abc import Iterable, Mapping
from typing import Any

from dsa.errors import InputError
from dsa.experiment.strict_yaml import to_yaml_types
from dsa.experiment.yaml_file import parse_overrides


def convert_overrides(
    overrides: str | Iterable[str] | Mapping[str, Any],
) -> Mapping[str, Any]:
    """Converts overrides to a dictionary `{"section.key": value}`.

    Args:
        overrides: a dictionary, a string `"section.key=value"`, or a list of strings.

    Raises: `InputError` if `overrides` or one of its elements has another type; see
        also `parse_overrides`.
    """
    if isinstance(overrides, str):
        return parse_overrides([overrides])
    expected = "a string 'section.key=value', a list of strings, or a dictionary"
    if not isinstance(overrides, Iterable):
        raise make_type_error("overrides", expected, overrides)
    keys_or_texts = list(overrides)
    if not all(isinstance(item, str) for item in keys_or_texts):
        raise make_type_error("overrides", expected, overrides)
    if isinstance(overrides, Mapping):
        return to_yaml_types(overrides)
    return parse_overrides(keys_or_texts)


def make_type_error(argument: str, expected: str, received: Any) -> InputError:
    """Returns an `InputError` for an argument with a wrong type.

    Args:
        argument: name of the argument.
        expected: noun phrase for the allowed types.
        received: value of the argument.
    """
    return InputError(
        f"'{argument}': expected {expected}. Received: {type(received).__name__}"
    )
