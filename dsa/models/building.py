"""Builds the model of an experiment."""

from typing import Any

from dsa.models.model_config import ModelParts
from dsa.seeds import derived_seed


def build_model(experiment: Any, vocabulary_size: int, frozen_rows: int = 0) -> Any:
    """Builds the untrained model of an experiment and creates its weights.

    Args:
        experiment: an `Experiment`.
        vocabulary_size: number of rows of the embedding table, including the rows for
            padding and unknown words.
        frozen_rows: number of frozen rows at the end of the table, see `WordEmbedding`.

    Returns: a Keras model that maps a batch dictionary to logits and whose embedding
        table is zero, or an unfitted `LinearClassifier` for a linear family.

    Raises: `TypeError` if a pair model does not define a required attribute.
    """
    config = experiment.model
    family = experiment.family
    parts = ModelParts(
        task=experiment.task,
        embedding=experiment.embedding,
        vocabulary_size=vocabulary_size,
        seed=experiment.seed,
        dtype=experiment.training.precision,
        frozen_rows=frozen_rows,
        copies=experiment.copies,
        features=experiment.feature_count,
        max_tokens=experiment.tokenizer.max_tokens,
    )
    if family.encodes:
        embedding = parts.word_embedding()
        encoder = family.build(config, parts)
        return _build_sentence_model(config, parts, embedding, encoder)
    model = family.build(config, parts)
    for member in family.members:
        if not hasattr(model, member):
            raise TypeError(
                f"The model '{family.name}' must define the attribute `{member}`, see "
                "docs/extending.md."
            )
    return model


def _build_sentence_model(config, parts, embedding, encoder):
    """Builds the classifier of a task over an encoder and creates its weights.

    Args:
        config: the `ModelConfig` of an encoder.
        parts: the `ModelParts`.
        embedding: a `WordEmbedding`.
        encoder: layer that maps word vectors `(B, L, D)` and a mask `(B, L)` to
            sentence vectors `(B, S)`.

    Returns: a `SentenceModel`.
    """
    from dsa.models.classifiers.sentence_classifiers import SENTENCE_MODELS

    classifier = config.classifier
    model_class = SENTENCE_MODELS[parts.task.head]
    model = model_class(
        embedding,
        encoder,
        outputs=parts.task.outputs,
        units=classifier.units,
        layers=classifier.layers,
        dropout=classifier.dropout,
        input_dropout=classifier.input_dropout,
        hidden_dropout=classifier.hidden_dropout,
        layer_norm=getattr(config, "layer_norm", False),
        difference=classifier.difference,
        activation=classifier.activation,
        l2=classifier.l2,
        seed=derived_seed(parts.seed, "classifier"),
        dtype=parts.dtype,
        name="classifier",
    )
    model.build()
    return model
