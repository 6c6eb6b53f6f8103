"""What every section of a config shares: strict types, no unknown keys."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
MOST_DIGITS = 300  # Python refuses to read more than 4,300
SHOWN_LETTERS = 40


def parse_number(text: str) -> float:
    """Returns a text as a float, which can be infinite: `1e999` is.

    Raises: `ValueError` for what else `float` takes: digits of other scripts, `1_0`,
        spaces, `nan`.

    Example:
        >>> parse_number("-2.5e-3")
        -0.0025
    """
    if not NUMBER.fullmatch(text):
        raise ValueError(f"no number: {shorten(text)}")
    return float(text)


def parse_whole_number(text: str) -> int:
    """Returns a text as an int, see `parse_number`.

    Raises: `ValueError`, also for more than 300 digits.

    Example:
        >>> parse_whole_number("13")
        13
    """
    if not WHOLE_NUMBER.fullmatch(text) or len(text) > MOST_DIGITS:
        raise ValueError(f"no whole number: {shorten(text)}")
    return int(text)


def shorten(text: str) -> str:
    """Returns the first letters of a text in quotation marks, for an error."""
    return repr(text if len(text) <= SHOWN_LETTERS else f"{text[:SHOWN_LETTERS]}...")


MOST = 10**9  # fits into 32 bits
MOST_UNITS = 2**16  # a square matrix has 16 GiB
MOST_ROWS = 10**6


class Section(BaseModel):
    """A part of an experiment's config. Values are what they look like: no text for
    numbers, no numbers for switches; an unknown key is an error."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, validate_default=True
    )


def _number(value):
    """PyYAML reads `1e-3` as text (YAML 1.1 wants `1.0e-3`): take it as a number."""
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
Units = Annotated[int, Field(gt=0, le=MOST_UNITS)]  # features of a layer
Rows = Annotated[int, Field(gt=0, le=MOST_ROWS)]  # of a batch


def setting(default: Any, description: str) -> Any:
    """Declares a setting with its default and what it means, which
    `docs/configuration.md` is made from."""
    return Field(default, description=description)


def check_heads(config: Any) -> None:
    """Checks a section with `heads` and `units`, in its validator.

    Raises: `ValueError` if the units cannot be split evenly.
    """
    if config.units % config.heads:
        raise ValueError(
            "'heads' must divide 'units'. "
            f"Received: heads={config.heads}, units={config.units}"
        )
