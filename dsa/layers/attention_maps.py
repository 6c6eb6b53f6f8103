"""Functions for layers that return `TokenMap`s."""

import dataclasses
from typing import Any

from dsa.explanation import MapKind, TokenMap


def replace_map_fields(maps: list[TokenMap], **fields: Any) -> list[TokenMap]:
    """Returns copies of the maps with new field values, such as `direction`."""
    return [dataclasses.replace(token_map, **fields) for token_map in maps]


def make_gate_map(values: Any) -> TokenMap:
    """Returns the `TokenMap` of a fusion gate with values `(B, L, D)`."""
    return TokenMap(
        "gate",
        MapKind.TOKEN_BY_FEATURE,
        values,
        note="1: the word, 0: its context",
    )


def call_layer(
    layer: Any,
    maps: list[TokenMap] | None,
    *inputs: Any,
    map_fields: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Calls a layer, appends its `TokenMap`s to a list, and returns the output.

    Args:
        layer: a layer with the call argument `return_attention`.
        maps: list to which the maps are appended; `None` to skip their computation.
        inputs: positional call arguments of the layer.
        map_fields: fields to set in the maps, such as `{"direction": "forward"}`.
        options: keyword call arguments of the layer.
    """
    if maps is None:
        return layer(*inputs, **options)
    output, new_maps = layer(*inputs, return_attention=True, **options)
    if map_fields is not None:
        new_maps = replace_map_fields(new_maps, **map_fields)
    maps += new_maps
    return output
