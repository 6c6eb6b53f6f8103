"""Chooses the example texts of the page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel

EXAMPLES = (
    ("A lady stands outside of a Mexican market.", "A woman is shopping."),
    ("A man is sleeping on a bench.", "Nobody is awake."),
    ("A big dog chases a cat.", "An animal follows a cat."),
    ("A man plays a guitar.", "A person makes music."),
    ("What is the capital of France?", "Paris is the capital of France."),
    ("The film is funny and well made.", "I like this film."),
)
EXAMPLE_LENGTHS = (8, 5)  # words of a generated premise and hypothesis


def choose_examples(models: "Sequence[TrainedModel]") -> list[tuple[str, ...]]:
    """Chooses the example texts of the page.

    These are the `EXAMPLES` without unknown words for any model, followed by the
    `EXAMPLES` without unknown words for the first model. If there are none, for
    instance because the models were trained on another language, one example is
    generated from the most frequent words of the vocabulary.

    Args:
        models: the models, all of the same task.

    Returns: a list of at least one row. A row has one text per input of the task.
    """
    num_inputs = len(models[0].task.inputs)
    examples = []
    for some_models in (models, models[:1]):
        for example in EXAMPLES:
            texts = example[:num_inputs]
            if texts not in examples and not _has_unknown_words(some_models, texts):
                examples.append(texts)
    if examples:
        return examples
    frequent_words = []
    for word in models[0].vocabulary.words:
        if len(frequent_words) == max(EXAMPLE_LENGTHS):
            break
        if word.isalpha() and all(_is_single_token(model, word) for model in models):
            frequent_words.append(word)
    if not frequent_words:
        return [EXAMPLES[0][:num_inputs]]
    texts = []
    for length in EXAMPLE_LENGTHS[:num_inputs]:
        texts.append(" ".join(frequent_words[:length]))
    return [tuple(texts)]


def _has_unknown_words(models, texts):
    """Returns whether a word of the texts is unknown to one of the models."""
    return any(
        model.vocabulary.list_unknown(model.tokenizer(text))
        for model in models
        for text in texts
    )


def _is_single_token(model, word):
    """Returns whether a word is in the vocabulary and is tokenized as one token."""
    tokens = model.tokenizer.add_boundaries([word])
    return word in model.vocabulary and model.tokenizer(word) == tokens
