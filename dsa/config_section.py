"""What every section of a config shares: strict types, no unknown keys."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from dsa.console.plain_numbers import parse_number

MOST = 10**9  # fits into 32 bits
MOST_UNITS = 10**6


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
Rows = Annotated[int, Field(gt=0, le=MOST_UNITS)]  # of a batch


def setting(default, description):
    """A setting of a section with its default and what it means, from which
    `docs/configuration.md` is made."""
    return Field(default, description=description)


def refuse_uneven_heads(config):
    """For a validator of a section with `heads` and `units`.

    Raises: `ValueError` if the units cannot be split evenly.
    """
    if config.units % config.heads:
        raise ValueError(
            "'heads' must divide 'units'. "
            f"Received: heads={config.heads}, units={config.units}"
        )


def count_bilstm_weights(inputs, units):
    """Weights of a Bi-LSTM's matrices: two directions with four gates each.

    Args:
        inputs: features of a token.
        units: of the LSTM in each direction.
    """
    return 2 * 4 * units * (inputs + units)
