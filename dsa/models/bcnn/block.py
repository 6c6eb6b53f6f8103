"""One convolution block of BCNN or ABCNN.

B pairs, P and Q tokens of the two sentences, D features of the input, U filters.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.composed_layer import ComposedLayer
from dsa.layers.masks import Tensor
from dsa.models.bcnn.attention import (
    match_scores,
    pool_all,
    pool_windows,
    sum_attention,
    weigh_by_attention,
    weigh_evenly,
)
from dsa.models.bcnn.convolution import (
    AttentionFeatureMap,
    WideConvolution,
    mask_columns,
)

Pair = Sequence[Tensor]  # one of each sentence


class BlockOutput(NamedTuple):
    """What a block gives of a pair.

    Attributes:
        vectors: two sentence vectors `(B, U)`, all-ap.
        tokens: two tensors `(B, P, U)` and `(B, Q, U)`, w-ap: the next block's input.
        scores: the match of the convolutions' columns, `(B, P + w - 1, Q + w - 1)`;
            `None` unless they were computed.
        maps: a list of `TokenMap`s: every attention matrix that the block used.
    """

    vectors: Pair
    tokens: Pair
    scores: Tensor | None
    maps: list[TokenMap]


@keras.saving.register_keras_serializable(package="dsa")
class ConvolutionBlock(ComposedLayer):
    """Wide convolution and average pooling of two sentences, which share all weights.

    Without attention it is a block of BCNN; with attention on the input of ABCNN-1; on
    the pooling of ABCNN-2; with both of ABCNN-3.

    Args:
        filters: U.
        width: w, of the filters and of the windows of w-ap.
        max_tokens: the longest sentence, for attention on the input; `None` for none.
        attends_pooling: whether attention weights the pooling.
        all_ap: "attended" weights all-ap too, "plain" does not.
        scale: of the attention, see `weigh_by_attention`.
        initializer: see `WideConvolution`.
        l2: the loss has `l2 * sum(W^2)` more, of each matrix.

    Call arguments:
        tokens: two tensors `(B, P, D)` and `(B, Q, D)`, exactly 0 at padding.
        masks: two bool tensors `(B, P)` and `(B, Q)`, True for real tokens.
        show_scores: whether `BlockOutput.scores` is needed.

    Returns: a `BlockOutput`.

    Reference: Yin et al. 2016, sections 3 and 4, figures 2 and 3.
    """

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        filters: int,
        width: int,
        max_tokens: int | None = None,
        attends_pooling: bool = False,
        all_ap: str = "attended",
        scale: str = "mean",
        initializer: str = "authors",
        l2: float = 0.0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.filters = filters
        self.width = width
        self.max_tokens = max_tokens
        self.attends_pooling = attends_pooling
        self.all_ap = all_ap
        self.scale = scale
        self.initializer = initializer
        self.l2 = l2

    def build(self, input_shape):
        """Make the weights, for sentences `(B, S, D)`."""
        features, channels = input_shape[-1], 1
        self.feature_map: Any = None
        if self.max_tokens is not None:
            channels = 2
            options = self.max_tokens, features, self.l2
            form = AttentionFeatureMap
            self.feature_map = self.build_part(form, "feature_map", None, *options)
        shape = (None, None, channels * features)
        options = self.filters, self.width, channels, self.initializer, self.l2
        form = WideConvolution
        self.convolution = self.build_part(form, "convolution", shape, *options)

    def call(self, tokens: Pair, masks: Pair, show_scores=False) -> BlockOutput:
        maps = []
        if self.feature_map is not None:
            tokens = self._add_feature_maps(tokens, masks, maps)
        # (B, P + w - 1, U) and (B, Q + w - 1, U)
        columns = [
            self.convolution(x, mask) for x, mask in zip(tokens, masks, strict=True)
        ]
        column_masks = [mask_columns(mask, self.width) for mask in masks]
        scores = None
        if self.attends_pooling or show_scores:
            scores = match_scores(*columns, *column_masks)
        vectors, windows = [], []
        weights = self._weigh(scores, column_masks, maps)
        for x, mask, (for_all, for_windows) in zip(
            columns, masks, weights, strict=True
        ):
            vectors.append(pool_all(x, for_all))
            windows.append(pool_windows(x, for_windows, mask, self.width))
        return BlockOutput(vectors, windows, scores, maps)

    def _add_feature_maps(self, tokens, masks, maps):
        """Each sentence with its attention feature map: `(B, S, 2 D)`."""
        scores = match_scores(*tokens, *masks)
        maps.append(
            TokenMap(
                "input_attention",
                MapKind.TOKEN_OVER_TOKEN,
                scores,
                part=self.name,
                note="1 / (1 + distance) of the block's input, token by token",
            )
        )
        return [
            ops.concatenate([x, ops.cast(features, x.dtype)], axis=-1)
            for x, features in zip(tokens, self.feature_map(scores), strict=True)
        ]

    def _weigh(self, scores, column_masks, maps):
        """For each sentence the weights of all-ap and of w-ap."""
        even = [weigh_evenly(mask, self.width) for mask in column_masks]
        if not self.attends_pooling:
            return even
        maps.append(
            TokenMap(
                "pooling_attention",
                MapKind.TOKEN_OVER_TOKEN,
                scores,
                part=self.name,
                window=self.width,
                note="1 / (1 + distance) of the convolution's columns",
            )
        )
        attended = [
            weigh_by_attention(attention, mask, self.width, self.scale)
            for attention, mask in zip(sum_attention(scores), column_masks, strict=True)
        ]
        if self.all_ap == "attended":
            return attended
        return [
            (plain[0], weighted[1])
            for plain, weighted in zip(even, attended, strict=True)
        ]
