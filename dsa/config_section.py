"""Base class and types of the sections of a config."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from dsa.parsing import parse_number

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
