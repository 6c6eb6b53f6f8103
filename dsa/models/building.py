"""Builds the model of an experiment."""

from typing import Any

from dsa.models.model_config import ModelParts


def build_model(experiment: Any, vocabulary_size: int, frozen_rows: int = 0) -> Any:
    """Builds the untrained model of an experiment, with its weights.

    Args:
        experiment: an `Experiment`.
        vocabulary_size: rows of the embedding table, including padding and unknown.
        frozen_rows: frozen rows at the end of the table, see `WordEmbedding`.

    Returns: a Keras model that maps a batch dictionary to logits, with an embedding
        table of zeros; for a linear family, a model that has not been fitted.

    Raises: `TypeError` if a pair model does not define a required member.
    """
    config, family = experiment.model, experiment.family
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
        return build_sentence_model(
            config, parts, embedding, family.build(config, parts)
        )
    model = family.build(config, parts)
    for member in family.members:
        if not hasattr(model, member):
            raise TypeError(
                f"The model '{family.name}' needs the member `{member}`, see "
                "docs/extending.md."
            )
    return model
