"""Base class of the sections of a config, and types of their values."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from dsa.parsing import parse_number

MAX_COUNT = 10**9  # fits into 32 bits
MAX_UNITS = 2**16  # a square float32 matrix has 16 GiB
MAX_ROWS = 10**6


class Section(BaseModel):
    """Base class of the sections of a config. Rejects unknown keys and does not convert
    types."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, validate_default=True
    )


def _convert_number(value: Any) -> Any:
    """Converts a string such as "1e-3" to a number, because YAML 1.1 parses `1e-3` as a
    string. Returns other values unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return parse_number(value)
    except ValueError:
        return value  # pydantic reports the wrong type


Number = Annotated[float, BeforeValidator(_convert_number), Field(allow_inf_nan=False)]
PositiveNumber = Annotated[Number, Field(gt=0)]
NonNegativeNumber = Annotated[Number, Field(ge=0)]
Share = Annotated[Number, Field(ge=0, lt=1)]
Count = Annotated[int, Field(gt=0, le=MAX_COUNT)]
NonNegativeCount = Annotated[int, Field(ge=0, le=MAX_COUNT)]
Units = Annotated[int, Field(gt=0, le=MAX_UNITS)]  # number of features of a layer
Rows = Annotated[int, Field(gt=0, le=MAX_ROWS)]  # number of rows of a batch


def setting(default: Any, description: str) -> Any:
    """Defines a setting of a section as a pydantic field.

    Args:
        default: default value.
        description: description of the setting, shown in `docs/configuration.md`.
    """
    return Field(default, description=description)


def check_heads(config: Any) -> None:
    """Raises `ValueError` unless `units` is divisible by `heads` in `model`."""
    if config.units % config.heads:
        raise ValueError(
            "'model.units' must be divisible by 'model.heads'. "
            f"Received: model.units={config.units}, model.heads={config.heads}"
        )
