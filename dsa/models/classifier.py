"""Settings and builder of the classifier that sentence encoders share."""

from dsa.schema import Count, Section, Share
from dsa.seeds import derived_seed


class ClassifierConfig(Section):
    """`model.classifier`: the hidden layer between two sentence vectors and labels."""

    units: Count = 300
    dropout: Share = 0.1
    input_dropout: Share = 0.0


def build_pair_classifier(config, embedding, encoder, labels, layer_norm, seed, dtype):
    """A `SentencePairClassifier` with its weights, over the given encoder."""
    import keras

    from dsa.layers.pair_classifier import SentencePairClassifier

    model = SentencePairClassifier(
        embedding,
        encoder,
        labels=labels,
        units=config.units,
        dropout=config.dropout,
        input_dropout=config.input_dropout,
        layer_norm=layer_norm,
        seed=derived_seed(seed, "classifier"),
        dtype=dtype,
        name="pair",
    )
    ids = keras.Input((None,), dtype="int32")
    model({"premise": ids, "hypothesis": ids})  # a symbolic call makes the weights
    return model
