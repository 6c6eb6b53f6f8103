"""Sentence encoders that pool contextual token vectors."""

from typing import Any

import keras

from dsa.layers.attention_maps import call_layer
from dsa.layers.masks import Mask, MaskedLayer, Tensor


def infer_output_shape(layer: keras.layers.Layer, input_shape) -> tuple:
    """Returns the output shape of a layer for an input of shape `(B, L, D)`.

    Keras calls a layer without `compute_output_shape` with a symbolic tensor. This call
    is as slow as the first call of the layer.
    """
    tokens = keras.KerasTensor(input_shape, layer.compute_dtype)
    return layer.compute_output_spec(tokens).shape


@keras.saving.register_keras_serializable(package="dsa")
class PooledEncoder(MaskedLayer):
    """Sentence encoder with a context layer and a pooling layer: `pooling(context(x))`.

    Args:
        pooling: layer that maps token vectors `(B, L, D)` and a mask to sentence
            vectors `(B, D)`.
        context: layer that maps word vectors `(B, L, D_in)` and a mask to token vectors
            `(B, L, D)`; `None` to pool the word vectors. Both layers must have the call
            argument `return_attention`, see `MaskedLayer`.

    Call arguments (in addition to the arguments of `MaskedLayer`):
        x: tensor of word vectors `(B, L, D_in)`.

    Returns: tensor `(B, D)`. With `return_attention=True`, also a list of the
        `TokenMap`s of both layers.

    Reference: Shen et al. 2018, section 5.1, DiSAN and its five baselines.

    Example:
        >>> from dsa.layers.bilstm import BiLSTM
        >>> from dsa.layers.pooling import MaxPooling
        >>> x = keras.random.normal((2, 5, 8))  # 2 sentences of 5 tokens
        >>> tuple(PooledEncoder(MaxPooling(), context=BiLSTM(3))(x).shape)
        (2, 6)
    """

    def __init__(
        self,
        pooling: keras.layers.Layer,
        context: keras.layers.Layer | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.pooling = pooling
        self.context = context

    def build(self, input_shape):
        if self.context is not None:
            build_once(self.context, input_shape)
            input_shape = infer_output_shape(self.context, input_shape)
        build_once(self.pooling, input_shape)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        training: bool | None = None,
        return_attention: bool = False,
    ):
        maps = [] if return_attention else None
        if self.context is not None:
            # (B, L, D)
            x = call_layer(self.context, maps, x, mask=mask, training=training)
        # (B, D)
        vector = call_layer(self.pooling, maps, x, mask=mask, training=training)
        return (vector, maps) if return_attention else vector

    def compute_output_shape(self, input_shape):
        if self.context is not None:
            input_shape = infer_output_shape(self.context, input_shape)
        return infer_output_shape(self.pooling, input_shape)

    def get_config(self):
        return {
            **super().get_config(),
            "pooling": keras.saving.serialize_keras_object(self.pooling),
            "context": keras.saving.serialize_keras_object(self.context),
        }

    @classmethod
    def from_config(cls, config):
        for name in ("pooling", "context"):
            config[name] = keras.saving.deserialize_keras_object(config[name])
        return cls(**config)


def build_once(layer: keras.layers.Layer, input_shape) -> None:
    """Builds a layer if it has not been built."""
    if not layer.built:
        layer.build(input_shape)
