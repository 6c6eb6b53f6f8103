"""Convolution block of BCNN and ABCNN.

B pairs, P and Q tokens of the first and second sentence, L tokens of a sentence,
D features of the input, U filters, w tokens in a filter.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_choice
from dsa.layers.masks import Tensor
from dsa.models.bcnn.attention import (
    attention_weights,
    match_scores,
    pool_all,
    pool_windows,
    sum_attention,
    uniform_weights,
)
from dsa.models.bcnn.convolution import (
    AttentionFeatureMap,
    WideConvolution,
    mask_columns,
)

ALL_AP = ("attended", "plain")
SCALES = ("mean", "sum", "none")
Pair = Sequence[Tensor]  # one tensor for each sentence


class BlockOutput(NamedTuple):
    """Output of a `ConvolutionBlock`.

    Attributes:
        vectors: two tensors of sentence vectors `(B, U)`, pooled by all-ap.
        tokens: two tensors `(B, P, U)` and `(B, Q, U)`, pooled by w-ap. They are the
            input of the next block.
        scores: match scores of the columns, `(B, P + w - 1, Q + w - 1)`; `None` if
            they were not computed.
        maps: list with a `TokenMap` for each attention matrix of the block.
    """

    vectors: Pair
    tokens: Pair
    scores: Tensor | None
    maps: list[TokenMap]


@keras.saving.register_keras_serializable(package="dsa")
class ConvolutionBlock(keras.layers.Layer):
    """Wide convolution and average pooling of two sentences with shared weights.

    The block of BCNN has no attention. ABCNN-1 applies attention to the input of the
    block, ABCNN-2 to its pooling, ABCNN-3 to both.

    Args:
        filters: number U of filters.
        width: width w of the filters in tokens, and of the windows of w-ap in columns.
        max_tokens: largest sentence length in tokens, which enables attention on the
            input; `None` disables attention on the input.
        attends_pooling: whether to weight the pooling by attention.
        all_ap: "attended" to weight all-ap by attention as well, "plain" for the mean.
        scale: scale of the attention weights, see `attention_weights`.
        initializer: see `WideConvolution`.
        l2: coefficient of the weight decay, which adds `l2 * sum(W^2)` of each matrix
            to the loss.

    Call arguments:
        tokens: two tensors `(B, P, D)` and `(B, Q, D)`, exactly 0 at padding.
        masks: two bool tensors `(B, P)` and `(B, Q)`, True at real tokens.
        return_scores: whether to compute `BlockOutput.scores` even without attention on
            the pooling.

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
        check_choice("all_ap", all_ap, ALL_AP)
        check_choice("scale", scale, SCALES)
        self.filters = filters
        self.width = width
        self.max_tokens = max_tokens
        self.attends_pooling = attends_pooling
        self.all_ap = all_ap
        self.scale = scale
        self.initializer = initializer
        self.l2 = l2

    def build(self, input_shape):
        """Creates the weights for sentences `(B, L, D)`."""
        num_features = input_shape[-1]
        channels = 1
        self.feature_map: Any = None
        if self.max_tokens is not None:
            channels = 2
            self.feature_map = AttentionFeatureMap(
                self.max_tokens,
                num_features,
                l2=self.l2,
                dtype=self.dtype_policy,
                name="feature_map",
            )
            self.feature_map.build()
        self.convolution = WideConvolution(
            self.filters,
            self.width,
            channels=channels,
            initializer=self.initializer,
            l2=self.l2,
            dtype=self.dtype_policy,
            name="convolution",
        )
        self.convolution.build((None, None, channels * num_features))

    def call(
        self, tokens: Pair, masks: Pair, return_scores: bool = False
    ) -> BlockOutput:
        first, second = tokens
        first_mask, second_mask = masks
        maps = []
        if self.feature_map is not None:
            # ABCNN-1: (B, P, 2 D) and (B, Q, 2 D)
            first, second, input_attention = self._add_feature_maps(
                first, second, first_mask, second_mask
            )
            maps.append(input_attention)

        # (B, P + w - 1, U) and (B, Q + w - 1, U)
        first_columns = self.convolution(first, first_mask)
        second_columns = self.convolution(second, second_mask)
        # (B, P + w - 1) and (B, Q + w - 1)
        first_column_mask = mask_columns(first_mask, self.width)
        second_column_mask = mask_columns(second_mask, self.width)

        # ABCNN-2: (B, P + w - 1, Q + w - 1), the match scores of the columns
        scores = None
        if self.attends_pooling or return_scores:
            scores = match_scores(
                first_columns, second_columns, first_column_mask, second_column_mask
            )
        if self.attends_pooling:
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
            first_attention, second_attention = sum_attention(scores)
        else:
            first_attention = None
            second_attention = None

        # sentence vectors (B, U); tokens (B, P, U) and (B, Q, U)
        first_vector, first_tokens = self._pool(
            first_columns, first_attention, first_mask, first_column_mask
        )
        second_vector, second_tokens = self._pool(
            second_columns, second_attention, second_mask, second_column_mask
        )
        return BlockOutput(
            vectors=(first_vector, second_vector),
            tokens=(first_tokens, second_tokens),
            scores=scores,
            maps=maps,
        )

    def _add_feature_maps(
        self, first: Tensor, second: Tensor, first_mask: Tensor, second_mask: Tensor
    ) -> tuple[Tensor, Tensor, TokenMap]:
        """Concatenates the tokens of both sentences with attention feature maps.

        Args:
            first, second: tensors `(B, P, D)` and `(B, Q, D)`.
            first_mask, second_mask: bool tensors `(B, P)` and `(B, Q)`, True at real
                tokens.

        Returns: tuple of the tokens of both sentences, `(B, P, 2 D)` and `(B, Q, 2 D)`,
            and the `TokenMap` of the attention matrix.
        """
        # (B, P, Q)
        scores = match_scores(first, second, first_mask, second_mask)
        # (B, P, D) and (B, Q, D)
        first_map, second_map = self.feature_map(scores)
        first = ops.concatenate([first, ops.cast(first_map, first.dtype)], axis=-1)
        second = ops.concatenate([second, ops.cast(second_map, second.dtype)], axis=-1)
        input_attention = TokenMap(
            "input_attention",
            MapKind.TOKEN_OVER_TOKEN,
            scores,
            part=self.name,
            note="1 / (1 + distance) of the block's input, token by token",
        )
        return first, second, input_attention

    def _pool(
        self,
        columns: Tensor,
        attention: Tensor | None,
        mask: Tensor,
        column_mask: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Pools the columns of a sentence.

        Args:
            columns: tensor `(B, L + w - 1, U)`.
            attention: tensor `(B, L + w - 1)`, see `sum_attention`; `None` for average
                pooling.
            mask, column_mask: bool tensors `(B, L)` and `(B, L + w - 1)`, True at real
                tokens and columns.

        Returns: tuple of the sentence vector `(B, U)` (all-ap) and the tokens
            `(B, L, U)` (w-ap).
        """
        all_weights, window_weights = uniform_weights(column_mask, self.width)
        if attention is not None:
            attended_weights, window_weights = attention_weights(
                attention, column_mask, self.width, self.scale
            )
            if self.all_ap == "attended":
                all_weights = attended_weights
        return (
            pool_all(columns, all_weights),
            pool_windows(columns, window_weights, mask, self.width),
        )
