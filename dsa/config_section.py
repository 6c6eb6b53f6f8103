"""Base class, types and parsers of the sections of a config."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
MAX_DIGITS = 300  # `int` raises an error for more than 4,300 digits
SHOWN_CHARACTERS = 40  # maximum length of a text in an error message


def parse_number(text: str) -> float:
    """Parses a decimal number; `1e999` is infinite.

    Raises: `ValueError` for other texts, including some that `float` accepts: digits of
        other scripts, `1_0`, spaces and `nan`.

    Example:
        >>> parse_number("-2.5e-3")
        -0.0025
    """
    if not NUMBER.fullmatch(text):
        raise ValueError(f"expected a number. Received: {shorten(text)}")
    return float(text)


def parse_whole_number(text: str) -> int:
    """Parses an integer in decimal digits.

    Raises: `ValueError` for other texts, and for more than 300 digits.

    Example:
        >>> parse_whole_number("13")
        13
    """
    if not WHOLE_NUMBER.fullmatch(text) or len(text) > MAX_DIGITS:
        raise ValueError(f"expected an integer. Received: {shorten(text)}")
    return int(text)


def shorten(text: str) -> str:
    """Returns the first characters of a text in quotes, for an error message."""
    if len(text) > SHOWN_CHARACTERS:
        text = f"{text[:SHOWN_CHARACTERS]}..."
    return repr(text)


MAX_COUNT = 10**9  # fits into 32 bits
MAX_UNITS = 2**16  # a square matrix has 16 GiB
MAX_ROWS = 10**6


class Section(BaseModel):
    """Base class of the sections of a config. Types are not converted, and unknown keys
    are errors."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, validate_default=True
    )


def _convert_number(value):
    """Converts text such as `1e-3`, which YAML 1.1 does not parse as a number."""
    if isinstance(value, str):
        try:
            return parse_number(value)
        except ValueError:
            return value
    return value


Number = Annotated[float, BeforeValidator(_convert_number), Field(allow_inf_nan=False)]
PositiveNumber = Annotated[Number, Field(gt=0)]
NonNegativeNumber = Annotated[Number, Field(ge=0)]
Share = Annotated[Number, Field(ge=0, lt=1)]
Count = Annotated[int, Field(gt=0, le=MAX_COUNT)]
NonNegativeCount = Annotated[int, Field(ge=0, le=MAX_COUNT)]
Units = Annotated[int, Field(gt=0, le=MAX_UNITS)]  # number of features of a layer
Rows = Annotated[int, Field(gt=0, le=MAX_ROWS)]  # number of rows of a batch


def setting(default: Any, description: str) -> Any:
    """Returns the pydantic field of a setting.

    Args:
        default: the default value.
        description: description of the setting for `docs/configuration.md`.
    """
    return Field(default, description=description)


def check_heads(config: Any) -> None:
    """Validates a section with `heads` and `units`.

    Raises: `ValueError` if `heads` does not divide `units`.
    """
    if config.units % config.heads:
        raise ValueError(
            "'heads' must divide 'units'. "
            f"Received: heads={config.heads}, units={config.units}"
        )
