"""BCNN and ABCNN, convolutional networks that compare two sentences after each block.

B pairs, L tokens of a sentence, P and Q tokens of the first and second sentence,
D features of a word, F features of a pair, p x p cells in a grid, w tokens in a filter.
"""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap
from dsa.layers.argument_checks import check_choice
from dsa.layers.attention_maps import replace_map_fields
from dsa.layers.masks import Tensor, clear_padding, token_mask
from dsa.layers.pooling import mean_pool
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.bcnn.attention import SIMILARITIES, match_scores, pool_attention
from dsa.models.bcnn.block import ConvolutionBlock, Pair
from dsa.models.bcnn.convolution import mask_columns
from dsa.models.classifiers.refitted_model import RefittedModel

INPUT_POOLS = ("mean", "sum")


@keras.saving.register_keras_serializable(package="dsa")
class Diversity(keras.regularizers.Regularizer):
    """Regularizer with weight decay and a penalty for similar filters.

        loss = l2 sum(W^2) + diversity |W W^T - I|^2

    W has a row for each filter (output) of the layer.

    Args:
        l2: coefficient of the weight decay.
        diversity: coefficient of the diversity penalty.

    Reference: the authors' code for SICK, with the coefficient 0.01. The penalty is not
    in the paper.

    Example:
        >>> kernel = ops.array([[1.0, 1.0], [0.0, 0.0]])  # two equal filters
        >>> float(Diversity(diversity=0.5)(kernel))
        1.0
    """

    def __init__(self, l2: float = 0.0, diversity: float = 0.0):
        self.l2 = l2
        self.diversity = diversity

    def __call__(self, x):  # pyright: ignore[reportIncompatibleMethodOverride]
        W = ops.transpose(ops.reshape(x, (-1, x.shape[-1])))
        products = ops.matmul(W, ops.transpose(W)) - ops.eye(x.shape[-1])
        diversity = self.diversity * ops.sum(ops.square(products))
        return diversity + self.l2 * ops.sum(ops.square(x))

    def get_config(self):
        return {"l2": self.l2, "diversity": self.diversity}


def set_diversity_regularizer(model: "BCNN", l2: float, diversity: float) -> None:
    """Sets `Diversity` as the regularizer of the filters and of the last layer.

    Args:
        model: a built `BCNN`.
        l2, diversity: see `Diversity`.
    """
    for block in model.all_blocks:
        block.convolution.convolution.kernel.regularizer = Diversity(l2, diversity)
    model.logits.kernel.regularizer = Diversity(l2, diversity)


class BCNN(RefittedModel):
    """BCNN or ABCNN: classifier of sentence pairs by the similarities after each block.

        u_i^(1) = mean of the word vectors
        u_i^(k), X_i^(k) = block_k(X_0^(k-1), X_1^(k-1)),  k = 2, 3
        features = [sim(u_0^(1), u_1^(1)); sim(u_0^(2), u_1^(2)); ...; extra features]
        logits = W features + b

    Each block is a `ConvolutionBlock`. Both sentences share all weights, so the
    similarities are symmetric.

    Args:
        embedding: layer that maps token ids `(B, S)` to word vectors `(B, S, D)`.
        copies: names of the two inputs of each copy of the pair. The first copy is the
            whole pair, an optional second copy is the pair without common words.
        blocks: list of built `ConvolutionBlock`s.
        outputs: number of logits.
        other_blocks: list of the blocks of the second copy; `None` to share `blocks`.
        similarity: names of the similarities, "cosine" and "euclid".
        input_pool: pooling of the word vectors, "mean" or "sum".
        pooled_attention: number p of rows and columns of the grids to which attention
            matrices are pooled as features, see `pool_attention`; 0 disables these
            features.
        features: number of additional features of the pair in `inputs`.
        classifier, l2: see `RefittedModel`.

    Call arguments: see `RefittedModel`.

    Reference: Yin et al. 2016, sections 3 to 5.

    Example:
        >>> block = ConvolutionBlock(filters=5, width=3, name="b2")
        >>> block.build((None, None, 8))
        >>> model = BCNN(WordEmbedding(9, 8), [("a", "b")], [block], outputs=2)
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> model.build()
        >>> tuple(model({"a": ids, "b": ids[:, :2]}, training=True).shape)
        (2, 2)
    """

    def __init__(  # noqa: PLR0913 (settings of a model)
        self,
        embedding: WordEmbedding,
        copies: Sequence[Sequence[str]],
        blocks: list[ConvolutionBlock],
        outputs: int,
        *,
        other_blocks: list[ConvolutionBlock] | None = None,
        similarity: Sequence[str] = ("cosine",),
        input_pool: str = "mean",
        pooled_attention: int = 0,
        features: int = 0,
        classifier: str = "network",
        l2: float = 0.0,
        **kwargs: Any,
    ):
        super().__init__(outputs, classifier, l2, **kwargs)
        for name in similarity:
            check_choice("similarity", name, SIMILARITIES)
        check_choice("input_pool", input_pool, INPUT_POOLS)
        self.embedding = embedding
        self.copies = copies
        self.blocks = blocks
        self.other_blocks = other_blocks
        self.similarity = similarity
        self.input_pool = input_pool
        self.pooled_attention = pooled_attention
        self.features = features

    @property
    def feature_count(self) -> int:
        """F: number of similarities, additional features and cells of all grids."""
        num_comparisons = len(self.copies) * (len(self.blocks) + 1)
        features_per_comparison = len(self.similarity) + self.pooled_attention**2
        return num_comparisons * features_per_comparison + self.features

    @property
    def all_blocks(self) -> list[ConvolutionBlock]:
        """List of the blocks of all copies."""
        if self.other_blocks is None:
            return list(self.blocks)
        return [*self.blocks, *self.other_blocks]

    def classifier_inputs(
        self,
        inputs: dict[str, Tensor],
        training: bool | None = None,
        maps: list[TokenMap] | None = None,
    ) -> Tensor:
        """Returns the features of each pair, `(B, F)`.

        The first features are the similarities, ordered by copy, block and name. The
        additional features and the grids of the attention matrices follow.
        """
        similarities = []
        grids = []
        for copy_index, (first_name, second_name) in enumerate(self.copies):
            blocks = self.blocks
            if copy_index == 1 and self.other_blocks is not None:
                blocks = self.other_blocks
            copy_maps = self._compare(
                inputs[first_name],
                inputs[second_name],
                blocks,
                similarities,
                grids,
                return_maps=maps is not None,
            )
            if maps is not None:
                maps += replace_map_fields(
                    copy_maps, sentence=first_name, over=second_name
                )
        features = [ops.stack(similarities, axis=1)]
        if self.features:
            features.append(ops.cast(inputs["features"], "float32"))
        return ops.concatenate([*features, *grids], axis=1)

    def _compare(
        self,
        first: Tensor,
        second: Tensor,
        blocks: list[ConvolutionBlock],
        similarities: list[Tensor],
        grids: list[Tensor],
        return_maps: bool,
    ) -> list[TokenMap]:
        """Compares the sentences of one copy of the pair after each block.

        Args:
            first, second: int tensors of token ids `(B, P)` and `(B, Q)`.
            blocks: `ConvolutionBlock`s of this copy.
            similarities: list to which the similarities `(B,)` are appended.
            grids: list to which the grids `(B, p * p)` are appended.
            return_maps: whether to compute the maps that only `explain` uses.

        Returns: list of `TokenMap`s.
        """
        # (B, P) and (B, Q)
        masks = (token_mask(first), token_mask(second))
        # b1: word vectors, (B, P, D) and (B, Q, D), 0 at padding
        tokens = (
            clear_padding(self.embedding(first), masks[0]),
            clear_padding(self.embedding(second), masks[1]),
        )
        # (B, D) for each sentence
        if self.input_pool == "sum":
            vectors = [ops.sum(x, axis=1) for x in tokens]
        else:
            vectors = [
                mean_pool(x, mask) for x, mask in zip(tokens, masks, strict=True)
            ]
        similarities += [SIMILARITIES[name](*vectors) for name in self.similarity]
        maps = self._match_words(tokens, masks, blocks[0]) if return_maps else []
        if self.pooled_attention:
            # (B, P, Q), then (B, p * p)
            scores = match_scores(*tokens, *masks)
            grids.append(pool_attention(scores, *masks, cells=self.pooled_attention))

        # blocks b2 and b3
        for block in blocks:
            output = block(tokens, masks, return_scores=self.pooled_attention > 0)
            similarities += [
                SIMILARITIES[name](*output.vectors) for name in self.similarity
            ]
            maps += output.maps
            if self.pooled_attention:
                # (B, P + w - 1) and (B, Q + w - 1)
                column_masks = [mask_columns(mask, block.width) for mask in masks]
                # (B, p * p)
                grids.append(
                    pool_attention(
                        output.scores, *column_masks, cells=self.pooled_attention
                    )
                )
            tokens = output.tokens
        return maps

    def _match_words(
        self, tokens: Pair, masks: Pair, first_block: ConvolutionBlock
    ) -> list[TokenMap]:
        """Returns a list with the match scores of the word vectors for ABCNN-2.

        ABCNN-2 does not use these scores, but the paper displays them (figure 4, top).
        The list is empty for the other models: the first block of ABCNN-1 and ABCNN-3
        returns the scores, and BCNN has no attention.
        """
        if first_block.max_tokens is not None or not first_block.attends_pooling:
            return []
        return [
            TokenMap(
                "match",
                MapKind.TOKEN_OVER_TOKEN,
                match_scores(*tokens, *masks),
                part="b1",
                note="1 / (1 + distance) of the word vectors",
            )
        ]
