"""Recurrent encoding of both sentences of a pair as one batch."""

import dataclasses
from typing import Any

from keras import ops

from dsa.explanation import TokenMap
from dsa.layers.masks import MaskedLayer, Tensor, tensor_shape


def encode_jointly(  # noqa: PLR0913 (tensors of both sentences)
    layer: MaskedLayer,
    premise: Tensor,
    hypothesis: Tensor,
    premise_mask: Tensor,
    hypothesis_mask: Tensor,
    training: bool | None,
    maps: list[TokenMap] | None,
) -> tuple[Tensor, Tensor]:
    """Encodes both sentences with a shared recurrent layer, as one batch of `2 B` rows.

    A joint batch takes max(P, Q) LSTM steps, two separate calls take P + Q steps.

    Args:
        layer: `BiLSTM` or `BiALSTM`.
        premise, hypothesis: tensors `(B, P, D)` and `(B, Q, D)`.
        premise_mask, hypothesis_mask: bool tensors `(B, P)` and `(B, Q)`, True = real
            token.
        training: whether dropout is active.
        maps: list to which the `TokenMap`s of the layer are appended; `None` to skip
            their computation.

    Returns: tuple of the states of the premise `(B, P, 2 units)` and of the hypothesis
        `(B, Q, 2 units)`.
    """
    batch_size, premise_length = tensor_shape(premise)[:2]
    hypothesis_length = tensor_shape(hypothesis)[1]
    length = _max_length(premise_length, hypothesis_length)
    # (2 B, max(P, Q), D)
    tokens = ops.concatenate(
        [
            ops.pad(premise, [[0, 0], [0, length - premise_length], [0, 0]]),
            ops.pad(hypothesis, [[0, 0], [0, length - hypothesis_length], [0, 0]]),
        ]
    )
    # (2 B, max(P, Q))
    mask = ops.concatenate(
        [
            ops.pad(premise_mask, [[0, 0], [0, length - premise_length]]),
            ops.pad(hypothesis_mask, [[0, 0], [0, length - hypothesis_length]]),
        ]
    )
    # (2 B, max(P, Q), 2 units)
    if maps is None:
        states = layer(tokens, mask, training=training)
    else:
        states, layer_maps = layer(
            tokens, mask, training=training, return_attention=True
        )
        for layer_map in layer_maps:
            values = layer_map.values
            maps += [
                dataclasses.replace(
                    layer_map,
                    values=values[:batch_size, :premise_length],
                    part=layer.name,
                    sentence="premise",
                ),
                dataclasses.replace(
                    layer_map,
                    values=values[batch_size:, :hypothesis_length],
                    part=layer.name,
                    sentence="hypothesis",
                ),
            ]
    return states[:batch_size, :premise_length], states[batch_size:, :hypothesis_length]


def _max_length(first: Any, second: Any) -> Any:
    """Returns the larger of two lengths. Lengths of dynamic shapes are tensors."""
    if ops.is_tensor(first) or ops.is_tensor(second):
        return ops.maximum(first, second)
    return max(first, second)
