"""Sentence encoders that look at tokens in context, then pool them."""

from typing import Any

import keras

from dsa.explanation import call_layer
from dsa.layers.masks import Mask, MaskedLayer, Tensor


def infer_output_shape(layer: keras.layers.Layer, input_shape) -> tuple:
    """The shape of a layer's output, from that of word vectors `(B, L, D)`.

    A layer that has `compute_output_shape` is not called. Another one is called with a
    symbolic tensor, which takes as long as a first call.
    """
    words = keras.KerasTensor(input_shape, layer.compute_dtype)
    return layer.compute_output_spec(words).shape


@keras.saving.register_keras_serializable(package="dsa")
class PooledEncoder(MaskedLayer):
    """`pooling(context(x))`: word vectors to one vector a sentence.

    Args:
        pooling: layer, `(B, L, D)` and mask to `(B, D)`.
        context: layer, `(B, L, D_in)` and mask to `(B, L, D)`; `None` to pool the word
            vectors themselves. With `return_attention` both return a pair of the tensor
            and a list of `TokenMap`s.

    Call arguments, beside those of `MaskedLayer`:
        x: tensor `(B, L, D_in)`, word vectors.

    Returns: tensor `(B, D)`. `TokenMap`s: those of the context and of the pooling.

    Reference: Shen et al. 2018, section 5.1: DiSAN and its five baselines.

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

    def call(self, x: Tensor, mask: Mask = None, training=None, return_attention=False):
        maps = [] if return_attention else None
        options = {"mask": mask, "training": training}
        if self.context is not None:
            x = call_layer(self.context, maps, x, **options)  # (B, L, D)
        vector = call_layer(self.pooling, maps, x, **options)  # (B, D)
        return (vector, maps) if return_attention else vector

    def compute_output_shape(self, input_shape):
        if self.context is not None:
            input_shape = infer_output_shape(self.context, input_shape)
        return infer_output_shape(self.pooling, input_shape)

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "pooling": serialize(self.pooling),
            "context": None if self.context is None else serialize(self.context),
        }

    @classmethod
    def from_config(cls, config):
        for name in ("pooling", "context"):
            config[name] = keras.saving.deserialize_keras_object(config[name])
        return cls(**config)


def build_once(layer: keras.layers.Layer, input_shape) -> None:
    """Build a layer, unless it comes out of a saved config."""
    if not layer.built:
        layer.build(input_shape)
