"""The classifiers that can be put on a sentence encoder; a task names its own."""

from dsa.seeds import derived_seed


def pair_classifier(embedding, encoder, settings, **arguments):
    """A `SentencePairClassifier`."""
    from dsa.models.classifiers.pair_classifier import SentencePairClassifier

    return SentencePairClassifier(embedding, encoder, **settings, **arguments)


def sentence_classifier(embedding, encoder, settings, **arguments):
    """A `SentenceClassifier`; there is no `difference` of one sentence."""
    from dsa.models.classifiers.sentence_classifier import SentenceClassifier

    settings.pop("difference")
    return SentenceClassifier(embedding, encoder, **settings, **arguments)


def relatedness_regressor(embedding, encoder, settings, **arguments):
    """A `RelatednessRegressor`; its difference is always the absolute one."""
    from dsa.models.classifiers.relatedness_regressor import RelatednessRegressor

    settings.pop("difference")
    return RelatednessRegressor(embedding, encoder, **settings, **arguments)


HEADS = {  # by a task's `head`
    "pair_classifier": pair_classifier,
    "sentence_classifier": sentence_classifier,
    "relatedness_regressor": relatedness_regressor,
}


def put_on_encoder(config, parts, embedding, encoder):
    """The model of a task with its weights, over an encoder.

    Args:
        config: the model's config, with a `classifier` and `layer_norm`.
        parts: the `ModelParts`.
        embedding: the `WordEmbedding`.
        encoder: layer, vectors `(B, L, D)` and mask `(B, L)` to `(B, S)`.
    """
    model = HEADS[parts.task.head](
        embedding,
        encoder,
        config.classifier.model_dump(),
        outputs=parts.task.outputs,
        layer_norm=getattr(config, "layer_norm", False),
        seed=derived_seed(parts.seed, "classifier"),
        dtype=parts.dtype,
        name="classifier",
    )
    model.build()
    return model
