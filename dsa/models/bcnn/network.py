"""BCNN and ABCNN: two sentences, convolved by the same weights and compared after each
block.

B pairs, S tokens, D features of a word, U filters, F features of a pair.
"""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from dsa.explanation import MapKind, TokenMap, describe_maps
from dsa.layers.masks import token_mask
from dsa.layers.pooling import mean_pool
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.bcnn.attention import SIMILARITIES, match_scores, pool_attention
from dsa.models.bcnn.block import ConvolutionBlock
from dsa.models.bcnn.convolution import mask_columns
from dsa.models.classifiers.refitted_model import RefittedModel


@keras.saving.register_keras_serializable(package="dsa")
class Diversity(keras.regularizers.Regularizer):
    """`l2 sum(W^2) + diversity |W W^T - I|^2`, with a row of W for each output of a
    layer.

    Args:
        l2, diversity: the two factors.

    Reference: not in the paper; the authors' code for SICK, with 0.01.

    Example:
        >>> kernel = ops.array([[1.0, 1.0], [0.0, 0.0]])  # two equal filters
        >>> float(Diversity(diversity=0.5)(kernel))
        1.0
    """

    def __init__(self, l2: float = 0.0, diversity: float = 0.0):
        self.l2 = l2
        self.diversity = diversity

    def __call__(self, x):  # pyright: ignore[reportIncompatibleMethodOverride]
        rows = ops.transpose(ops.reshape(x, (-1, x.shape[-1])))
        products = ops.matmul(rows, ops.transpose(rows)) - ops.eye(x.shape[-1])
        different = self.diversity * ops.sum(ops.square(products))
        return different + self.l2 * ops.sum(ops.square(x))

    def get_config(self):
        return {"l2": self.l2, "diversity": self.diversity}


def add_diversity(model, l2, diversity):
    """Give the filters and the last layer of a `BCNN` this loss instead of `l2`."""
    kernels = [block.convolution.convolution.kernel for block in model.all_blocks]
    for kernel in (*kernels, model.logits.kernel):
        kernel.regularizer = Diversity(l2, diversity)


@keras.saving.register_keras_serializable(package="dsa")
class BCNN(RefittedModel):
    """A pair as the similarities of its sentences, block by block.

        u_i^(1) = mean of the word vectors
        u_i^(k), X_i^(k) = block_k(X_0^(k-1), X_1^(k-1)),  k = 2, 3
        features = [sim(u_0^(1), u_1^(1)); sim(u_0^(2), u_1^(2)); ...; extra features]
        logits = W features + b

    Every block is a `ConvolutionBlock`. Both sentences share all weights, so exchanging
    them changes no similarity.

    Args:
        embedding: layer, ids `(B, S)` to vectors `(B, S, D)`.
        copies: for each copy of the pair, one or two, the names of its two inputs.
        blocks: the `ConvolutionBlock`s, with weights.
        outputs: number of logits.
        other_blocks: those of the second copy; `None` where it has the same.
        similarity: names of the similarities, of "cosine" and "euclid".
        input_pool: "mean" of the word vectors, or their "sum".
        pooled_attention: p, cells a side of the grids of every block's attention matrix
            that become features; 0 for none.
        features: number of further features of the pair in `inputs`.
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
        self.embedding = embedding
        self.copies = copies
        self.blocks = blocks
        self.other_blocks = other_blocks
        self.similarity = similarity
        self.input_pool = input_pool
        self.pooled_attention = pooled_attention
        self.features = features

    @property
    def feature_count(self):
        """F: similarities, further features and cells of the grids."""
        compared = len(self.copies) * (len(self.blocks) + 1)
        features_per_comparison = len(self.similarity) + self.pooled_attention**2
        return compared * features_per_comparison + self.features

    @property
    def all_blocks(self):
        """The blocks of every copy."""
        return [*self.blocks, *(self.other_blocks or [])]

    def classifier_inputs(self, inputs, training=None, maps=None):
        """The features of pairs, `(B, F)`: similarities by copy, block and kind; the
        extra features; the grids of the attention matrices."""
        similarities, grids = [], []
        for names, blocks in zip(
            self.copies, (self.blocks, self.other_blocks or self.blocks), strict=False
        ):
            tokens, masks = self._embed([inputs[name] for name in names])
            new_maps = self._compare(tokens, masks, blocks, similarities, grids)
            if maps is not None:
                new_maps = self._match_words(tokens, masks, blocks[0]) + new_maps
                maps += describe_maps(new_maps, sentence=names[0], over=names[1])
        features = [ops.stack(similarities, axis=1)]
        if self.features:
            features.append(ops.cast(inputs["features"], "float32"))
        return ops.concatenate([*features, *grids], axis=1)

    def _compare(self, tokens, masks, blocks, similarities, grids):
        """Read one copy of the pair; adds to the lists of similarities `(B,)` and of
        grids `(B, p * p)`. Returns the `TokenMap`s."""
        # block b1: the word vectors
        self._add_similarities(self._pool_words(tokens, masks), similarities)
        if self.pooled_attention:
            scores = match_scores(*tokens, *masks)
            grids.append(pool_attention(scores, *masks, cells=self.pooled_attention))
        maps = []
        for block in blocks:
            output = block(tokens, masks, show_scores=self.pooled_attention > 0)
            self._add_similarities(output.vectors, similarities)
            maps += output.maps
            if self.pooled_attention:
                column_masks = [mask_columns(mask, block.width) for mask in masks]
                cells = self.pooled_attention
                grids.append(pool_attention(output.scores, *column_masks, cells=cells))
            tokens = output.tokens
        return maps

    def _embed(self, pair):
        """The word vectors of both sentences, `(B, S, D)`, 0 at padding; the masks."""
        masks = [token_mask(ids) for ids in pair]
        tokens = [
            ops.where(mask[..., None], self.embedding(ids), 0.0)
            for ids, mask in zip(pair, masks, strict=True)
        ]
        return tokens, masks

    def _match_words(self, tokens, masks, block):
        """A list with the match of the word vectors: ABCNN-2's attention does not use
        it, but the paper draws it (figure 4, top). Empty for other networks: the first
        `block` of ABCNN-1 and -3 shows it, and BCNN has no attention."""
        if block.max_tokens is not None or not block.attends_pooling:
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

    def _pool_words(self, tokens, masks):
        if self.input_pool == "sum":
            return [ops.sum(x, axis=1) for x in tokens]
        return [mean_pool(x, mask) for x, mask in zip(tokens, masks, strict=True)]

    def _add_similarities(self, vectors, similarities):
        similarities += [SIMILARITIES[name](*vectors) for name in self.similarity]
