"""The decomposable attention model: attend, compare, aggregate."""

from typing import Any

import keras
from keras import ops

from dsa.backends.compilation import BaseModel
from dsa.explanation import TokenMap
from dsa.layers.attention_maps import call_layer
from dsa.layers.masks import Tensor, token_mask
from dsa.layers.soft_alignment import SoftAlignment
from dsa.layers.word_embedding import WordEmbedding
from dsa.models.decomposable.feed_forward import FeedForward, make_initializer
from dsa.models.decomposable.intra_attention import IntraAttention
from dsa.seeds import derived_seed
from dsa.tasks.task import PAIR


class DecomposableAttention(BaseModel):
    """The decomposable attention model, a classifier of sentence pairs.

        a_i = W x_i / |x_i|                            input
        beta_i = sum_j softmax_j(F(a_i) . F(b_j)) b_j  attend, and alpha_j likewise
        v_1 = sum_i G([a_i; beta_i]), v_2 likewise     compare, aggregate
        logits = H([v_1; v_2]) W_l + b_l

    a contains the projected premise words, b the projected hypothesis words. With
    intra-sentence attention, a and b are the outputs of `IntraAttention`.

    Args:
        embedding: layer that maps token ids `(B, L)` to word vectors `(B, L, D)`.
        outputs: number of logits.
        units: integer, number of features of a and of every hidden layer.
        intra_attention: whether to apply intra-sentence attention.
        normalize: whether to L2-normalize x.
        dropout: dropout rate of the inputs of all `FeedForward` layers.
        initial_deviation: standard deviation of the normal initializer of all matrices;
            `None` for Glorot uniform initialization.
        seed: integer from which the seeds of the dropout layers are derived; `None`
            for random seeds.

    Call arguments:
        inputs: dictionary of int tensors `premise` `(B, P)` and `hypothesis` `(B, Q)`,
            token ids, 0 is padding.
        maps: list to which `TokenMap`s are appended, used by `explain`.

    Returns: logits, float32 tensor `(B, outputs)`.

    Reference: Parikh et al. 2016, section 3.

    Example:
        >>> model = DecomposableAttention(WordEmbedding(9, 8), units=6)
        >>> ids = ops.array([[3, 4, 5], [2, 1, 0]])
        >>> tuple(model({"premise": ids, "hypothesis": ids[:, :2]}).shape)
        (2, 3)
    """

    sentences = PAIR

    def __init__(  # noqa: PLR0913 (settings of a layer)
        self,
        embedding: WordEmbedding,
        outputs: int = 3,
        *,
        units: int = 200,
        intra_attention: bool = False,
        normalize: bool = True,
        dropout: float = 0.2,
        initial_deviation: float | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        policy = self.dtype_policy
        self.embedding = embedding
        self.units = units
        self.normalize = normalize
        # W
        self.projection = keras.layers.Dense(
            units,
            use_bias=False,
            kernel_initializer=make_initializer(initial_deviation),
            dtype=policy,
            name="projection",
        )
        # F_intra, section 3.4
        self.intra: Any = None
        self.intra_keys: Any = None
        if intra_attention:
            self.intra_keys = FeedForward(
                units,
                dropout=dropout,
                initial_deviation=initial_deviation,
                seed=derived_seed(seed, "intra_keys"),
                dtype=policy,
                name="intra_keys",
            )
            self.intra = IntraAttention(dtype=policy, name="intra_attention")
        # F, section 3.1
        self.keys = FeedForward(
            units,
            dropout=dropout,
            initial_deviation=initial_deviation,
            seed=derived_seed(seed, "keys"),
            dtype=policy,
            name="keys",
        )
        self.alignment = SoftAlignment(dtype=policy, name="alignment")
        # G, section 3.2
        self.comparison = FeedForward(
            units,
            dropout=dropout,
            initial_deviation=initial_deviation,
            seed=derived_seed(seed, "comparison"),
            dtype=policy,
            name="comparison",
        )
        # H and the logits, section 3.3
        self.aggregation = FeedForward(
            units,
            dropout=dropout,
            initial_deviation=initial_deviation,
            seed=derived_seed(seed, "aggregation"),
            dtype=policy,
            name="aggregation",
        )
        self.logits = keras.layers.Dense(
            outputs,
            kernel_initializer=make_initializer(initial_deviation),
            dtype="float32",
            name="logits",
        )

    def build(self, input_shape=None):
        """Creates all weights from the shapes of the layers, without a call."""
        self.embedding.build((None, None))
        word_units = self.embedding.projection or self.embedding.units
        self.projection.build((None, None, word_units))
        words_shape = (None, None, self.units)
        if self.intra is not None:
            self.intra_keys.build(words_shape)
            self.intra.build(words_shape)
            words_shape = (None, None, 2 * self.units)
        self.keys.build(words_shape)
        self.alignment.build(words_shape)
        self.comparison.build((None, None, 2 * words_shape[-1]))
        self.aggregation.build((None, 2 * self.units))
        self.logits.build((None, self.units))

    def call(
        self,
        inputs: dict[str, Tensor],
        training: bool | None = None,
        maps: list[TokenMap] | None = None,
    ):
        # (B, P) and (B, Q)
        premise = inputs["premise"]
        hypothesis = inputs["hypothesis"]
        premise_mask = token_mask(premise)
        hypothesis_mask = token_mask(hypothesis)
        # a (B, P, U) and b (B, Q, U); 2 U features with intra-sentence attention
        a = self._encode_words("premise", premise, premise_mask, training, maps)
        b = self._encode_words(
            "hypothesis", hypothesis, hypothesis_mask, training, maps
        )

        # Section 3.1, attend: beta has the shape of a, alpha the shape of b
        keys = self.keys(a, training=training), self.keys(b, training=training)
        beta, alpha = call_layer(
            self.alignment, maps, a, b, premise_mask, hypothesis_mask, keys=keys
        )

        # Section 3.2, compare: (B, P, U) and (B, Q, U)
        premise_compared = self.comparison(
            ops.concatenate([a, beta], axis=-1), training=training
        )
        hypothesis_compared = self.comparison(
            ops.concatenate([b, alpha], axis=-1), training=training
        )

        # Section 3.3, aggregate: (B, U) each
        v_1 = ops.sum(ops.where(premise_mask[:, :, None], premise_compared, 0), axis=1)
        v_2 = ops.sum(
            ops.where(hypothesis_mask[:, :, None], hypothesis_compared, 0), axis=1
        )
        # (B, U)
        pair = self.aggregation(ops.concatenate([v_1, v_2], axis=-1), training=training)
        # (B, outputs)
        return self.logits(pair)

    def explain(self, inputs: dict[str, Tensor]) -> tuple[Tensor, list[TokenMap]]:
        """Returns the logits and the attention maps of a batch.

        The maps are the `alignment` of each sentence over the other sentence and, with
        intra-sentence attention, the `intra_attention` of each sentence. Dropout is
        inactive.
        """
        maps = []
        return self.call(inputs, training=False, maps=maps), maps

    def _encode_words(self, sentence, ids, mask, training, maps):
        """Projects the words of a sentence and applies intra-sentence attention.

        Args:
            sentence: "premise" or "hypothesis".
            ids: int tensor `(B, L)`, token ids.
            mask: bool tensor `(B, L)`, True = real token.
            training: whether dropout is active.
            maps: list to which `TokenMap`s are appended; `None` to skip them.

        Returns: tensor `(B, L, U)`, or `(B, L, 2 U)` with intra-sentence attention.
        """
        # (B, L, D)
        words = self.embedding(ids)
        if self.normalize:
            squared_norms = ops.sum(ops.square(words), axis=-1, keepdims=True)
            words = words * ops.rsqrt(ops.maximum(squared_norms, 1e-12))
        # (B, L, U)
        words = self.projection(words)
        if self.intra is None:
            return words
        # (B, L, U)
        keys = self.intra_keys(words, training=training)
        # (B, L, 2 U)
        return call_layer(
            self.intra, maps, words, keys, mask=mask, map_fields={"sentence": sentence}
        )
