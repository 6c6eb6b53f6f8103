"""Base of all sections of a config: strict types, no unknown keys."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
MAX_DIGITS = 300  # Python refuses to read more than 4,300
SHOWN_LETTERS = 40


def parse_number(text: str) -> float:
    """Parses a decimal number; `1e999` is infinite.

    Raises: `ValueError` for other texts, also if `float` accepts them: digits of other
        scripts, `1_0`, spaces, `nan`.

    Example:
        >>> parse_number("-2.5e-3")
        -0.0025
    """
    if not NUMBER.fullmatch(text):
        raise ValueError(f"no number: {shorten(text)}")
    return float(text)


def parse_whole_number(text: str) -> int:
    """Parses a whole number, see `parse_number`.

    Raises: `ValueError` for other texts, and for more than 300 digits.

    Example:
        >>> parse_whole_number("13")
        13
    """
    if not WHOLE_NUMBER.fullmatch(text) or len(text) > MAX_DIGITS:
        raise ValueError(f"no whole number: {shorten(text)}")
    return int(text)


def shorten(text: str) -> str:
    """Returns the quoted first characters of a text, for an error."""
    return repr(text if len(text) <= SHOWN_LETTERS else f"{text[:SHOWN_LETTERS]}...")


MOST = 10**9  # fits into 32 bits
MAX_UNITS = 2**16  # a square matrix has 16 GiB
MAX_ROWS = 10**6


class Section(BaseModel):
    """A section of a config. Types are not converted, and unknown keys are errors."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, validate_default=True
    )


def _number(value):
    """Converts text such as `1e-3`, which YAML 1.1 does not read as a number."""
    if isinstance(value, str):
        try:
            return parse_number(value)
        except ValueError:
            return value
    return value


Number = Annotated[float, BeforeValidator(_number), Field(allow_inf_nan=False)]
PositiveNumber = Annotated[Number, Field(gt=0)]
NonNegativeNumber = Annotated[Number, Field(ge=0)]
Share = Annotated[Number, Field(ge=0, lt=1)]
Count = Annotated[int, Field(gt=0, le=MOST)]
NonNegativeCount = Annotated[int, Field(ge=0, le=MOST)]
Units = Annotated[int, Field(gt=0, le=MAX_UNITS)]  # features of a layer
Rows = Annotated[int, Field(gt=0, le=MAX_ROWS)]  # of a batch


def setting(default: Any, description: str) -> Any:
    """Declares a setting with its default and its description in
    `docs/configuration.md`."""
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
