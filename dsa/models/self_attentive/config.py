"""Settings of the self-attentive sentence embedding (Lin et al. 2017,
arXiv:1703.03130): an encoder, and its model of sentence pairs. No Keras.

The defaults are those that the paper has for SNLI, except the classifier's.
"""

from typing import Literal

from dsa.config_section import (
    Count,
    NonNegativeNumber,
    Share,
    Units,
    setting,
)
from dsa.models.classifiers.config import CLASSIFIER, ClassifierConfig
from dsa.models.model_config import ModelConfig
from dsa.seeds import derived_seed

PenaltyForm = Literal["published", "released"]


class SelfAttentiveConfig(ModelConfig):
    """`model` for `name: self_attentive`: weighted sums of a Bi-LSTM's states, each
    with its own attention, side by side."""

    name: Literal["self_attentive"]
    units: Units = setting(300, "Units of the LSTM in each direction.")
    attention_units: Units = setting(150, "Hidden units of the attention (d_a).")
    hops: Count = setting(30, "Number of weighted sums (r).")
    penalty: NonNegativeNumber = setting(
        0.3,
        "Coefficient of the penalty for hops that look at the same tokens; it is added "
        "to the loss for each sentence.",
    )
    penalty_form: PenaltyForm = setting(
        "published",
        "`published`: the squared distance of A A^T from the identity, summed over "
        "pairs of hops (section 2.2). `released`, as in the authors' code: that of "
        "A^T A, the mean over pairs of tokens, which is about a thousandth of it.",
    )
    dropout: Share = setting(0.0, "Dropped share of the word vectors.")
    classifier: ClassifierConfig = CLASSIFIER

    def check_experiment(self, experiment):
        """Raises `ValueError` for a penalty of every sentence where premises that
        several pairs share are encoded once."""
        if self.penalty and experiment.training.premises_once:
            raise ValueError(
                "'model.penalty' counts every sentence of a batch: it does not go with "
                "'training.premises_once'"
            )


class GatedSelfAttentiveConfig(SelfAttentiveConfig):
    """`model` for `name: self_attentive_gated`: two sentences' hops are compared by
    products of maps that each hop has for itself (the paper's gated encoder)."""

    name: Literal["self_attentive_gated"]  # pyright: ignore[reportIncompatibleVariableOverride]
    relation_units: Units = setting(
        600, "Features that the two vectors of a hop are compared in."
    )
    classifier: ClassifierConfig = setting(
        ClassifierConfig(units=4000),
        "Settings of the classifier over the products; `difference` is not used.",
    )


def build_encoder(config, parts):
    """The `SelfAttentiveEncoder` of a `SelfAttentiveConfig`."""
    from dsa.layers.bilstm import BiLSTM
    from dsa.models.self_attentive.encoder import (
        SelfAttentiveEncoder,
        StructuredAttention,
    )

    context = BiLSTM(
        config.units,
        config.dropout,
        seed=derived_seed(derived_seed(parts.seed, "encoder"), "context"),
        dtype=parts.dtype,
        name="bilstm",
    )
    pooling = StructuredAttention(
        config.attention_units,
        config.hops,
        dtype=parts.dtype,
        name="structured_attention",
    )
    return SelfAttentiveEncoder(
        pooling,
        context,
        config.penalty,
        config.penalty_form,
        dtype=parts.dtype,
        name="encoder",
    )


def build_gated_model(config, parts):
    """The `GatedPairClassifier` of a `GatedSelfAttentiveConfig`, with its weights."""
    from dsa.models.self_attentive.encoder import GatedPairClassifier

    model = GatedPairClassifier(
        parts.word_embedding(),
        build_encoder(config, parts),
        parts.task.outputs,
        hops=config.hops,
        relation_units=config.relation_units,
        **config.classifier.model_dump(exclude={"difference"}),
        layer_norm=False,
        seed=derived_seed(parts.seed, "classifier"),
        dtype=parts.dtype,
        name="classifier",
    )
    model.build()
    return model
