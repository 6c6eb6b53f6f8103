"""Builds the model of an experiment."""

from typing import Any

from dsa.models.model_config import ModelParts


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
        from dsa.models.classifiers.config import build_sentence_model

        embedding = parts.word_embedding()
        encoder = family.build(config, parts)
        return build_sentence_model(config, parts, embedding, encoder)
    model = family.build(config, parts)
    for member in family.members:
        if not hasattr(model, member):
            raise TypeError(
                f"The model '{family.name}' must define the attribute `{member}`, see "
                "docs/extending.md."
            )
    return model
