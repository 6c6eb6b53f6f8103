"""The texts that the page shows at first: words that the runs know."""

EXAMPLES = (
    ("A lady stands outside of a Mexican market.", "A woman is shopping."),
    ("A man is sleeping on a bench.", "Nobody is awake."),
    ("A big dog chases a cat.", "An animal follows a cat."),
    ("A man plays a guitar.", "A person makes music."),
    ("What is the capital of France?", "Paris is the capital of France."),
    ("The film is funny and well made.", "I like this film."),
)
WORDS = (8, 5)  # of texts that are made of a vocabulary's words


def choose_example(models):
    """The first of `EXAMPLES` whose words all runs know. Where there is none, such as
    for another language, texts of the runs' most frequent words.

    Args:
        models: `TrainedModel`s of one task.

    Returns: a text for each of the task's inputs.
    """
    count = len(models[0].task.inputs)
    for example in EXAMPLES:
        if all(_knows(model, text) for model in models for text in example[:count]):
            return example[:count]
    words = _list_common_words(models)
    if not words:
        return EXAMPLES[0][:count]
    return tuple(" ".join(words[:length]) for length in WORDS[:count])


def _knows(model, text):
    return not model.vocabulary.find_unknown(model.tokenizer(text))


def _list_common_words(models):
    """The first words of a vocabulary that all runs know and read as one token."""
    words = (
        word
        for word in models[0].vocabulary.words
        if word.isalpha()
        and all(
            model.tokenizer(word) == model.tokenizer.add_boundaries([word])
            and word in model.vocabulary
            for model in models
        )
    )
    return [word for word, _ in zip(words, range(WORDS[0]), strict=False)]
