"""Settings of the self-attentive sentence embedding (Lin et al. 2017,
arXiv:1703.03130), as an encoder and as a pair model. Does not import Keras.

The defaults are the paper's settings for SNLI, except for the classifier.
"""

from typing import TYPE_CHECKING, Any, Literal

from dsa.config_section import (
    NonNegativeNumber,
    Share,
    Units,
    setting,
)
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig, ModelParts
from dsa.seeds import derived_seed

if TYPE_CHECKING:
    from dsa.models.self_attentive.encoder import (
        GatedPairClassifier,
        SelfAttentiveEncoder,
    )

PenaltyForm = Literal["published", "released"]


class SelfAttentiveConfig(ModelConfig):
    """Settings of `self_attentive`: several attention-weighted sums of the states of a
    Bi-LSTM (hops), concatenated."""

    name: Literal["self_attentive"]
    units: Units = setting(300, "Units of the LSTM in each direction.")
    attention_units: Units = setting(150, "Hidden units of the attention (d_a).")
    hops: Units = setting(30, "Number of weighted sums (r).")
    penalty: NonNegativeNumber = setting(
        0.3,
        "Coefficient of the penalty for hops that attend to the same tokens, which is "
        "added to the loss for each sentence.",
    )
    penalty_form: PenaltyForm = setting(
        "published",
        "`published`: squared distance of A A^T from the identity, summed over pairs "
        "of hops (section 2.2). `released`: squared distance of A^T A from the "
        "identity, averaged over pairs of tokens, as in the authors' code; about a "
        "thousand times smaller.",
    )
    dropout: Share = setting(0.0, "Dropout rate of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER

    def check_experiment(self, tokenizer: Any, embedding: Any, training: Any) -> None:
        """Raises `ValueError` if a penalty is combined with `premises_once`, which
        encodes a premise of several pairs only once."""
        if self.penalty and training.premises_once:
            raise ValueError(
                "'model.penalty' counts every sentence of a batch, so it cannot be "
                "combined with 'training.premises_once'"
            )


class GatedSelfAttentiveConfig(SelfAttentiveConfig):
    """Settings of `self_attentive_gated`: compares the two sentences hop by hop, by
    products of linear maps (the paper's gated encoder)."""

    name: Literal["self_attentive_gated"]  # pyright: ignore[reportIncompatibleVariableOverride]
    relation_units: Units = setting(600, "Features of the comparison of two hops.")
    classifier: ClassifierConfig = setting(
        ClassifierConfig(units=4000),
        "Settings of the classifier over the products; `difference` has no effect.",
    )


def build_encoder(
    config: SelfAttentiveConfig, parts: ModelParts
) -> "SelfAttentiveEncoder":
    """Builds the `SelfAttentiveEncoder` of a `SelfAttentiveConfig`."""
    from dsa.layers.bilstm import BiLSTM
    from dsa.models.self_attentive.encoder import (
        SelfAttentiveEncoder,
        StructuredAttention,
    )

    return SelfAttentiveEncoder(
        pooling=StructuredAttention(
            config.attention_units,
            config.hops,
            dtype=parts.dtype,
            name="structured_attention",
        ),
        context=BiLSTM(
            config.units,
            config.dropout,
            seed=derived_seed(derived_seed(parts.seed, "encoder"), "context"),
            dtype=parts.dtype,
            name="bilstm",
        ),
        penalty=config.penalty,
        penalty_form=config.penalty_form,
        dtype=parts.dtype,
        name="encoder",
    )


def build_gated_model(
    config: GatedSelfAttentiveConfig, parts: ModelParts
) -> "GatedPairClassifier":
    """Builds the `GatedPairClassifier` of a `GatedSelfAttentiveConfig` and creates its
    weights."""
    from dsa.models.self_attentive.encoder import GatedPairClassifier

    classifier = config.classifier
    model = GatedPairClassifier(
        parts.word_embedding(),
        build_encoder(config, parts),
        parts.task.outputs,
        hops=config.hops,
        relation_units=config.relation_units,
        units=classifier.units,
        layers=classifier.layers,
        dropout=classifier.dropout,
        input_dropout=classifier.input_dropout,
        hidden_dropout=classifier.hidden_dropout,
        layer_norm=False,
        activation=classifier.activation,
        l2=classifier.l2,
        seed=derived_seed(parts.seed, "classifier"),
        dtype=parts.dtype,
        name="classifier",
    )
    model.build()
    return model
