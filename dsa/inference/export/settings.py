"""What a program needs besides the model to read texts as this package does."""

from dsa.data.corpora.example import MAX_CHARACTERS, MAX_TOKENS
from dsa.data.rows.row_reader import EMPTY
from dsa.data.words.vocabulary import FIRST_WORD, PADDING, UNKNOWN
from dsa.version import __version__

FORMAT = 1


def describe_run(trained):
    """The content of `settings.json`, a dictionary."""
    experiment, task = trained.experiment, trained.task
    return {
        "format": FORMAT,
        "dsa": __version__,
        "model": experiment.model.name,
        "task": task.name,
        "answer": _name_answer(task),
        "names": list(task.names),
        "scale": _list_scale(task),
        "inputs": list(task.inputs),
        "without_common_words": list(experiment.inputs[len(task.inputs) :]),
        "features": experiment.feature_count,
        "encodes": experiment.family.encodes,
        "tokenizer": experiment.tokenizer.model_dump(),
        "ids": {"padding": PADDING, "unknown": UNKNOWN, "first_word": FIRST_WORD},
        "empty_sentence": EMPTY,
        "most_characters": MAX_CHARACTERS,
        "most_tokens": MAX_TOKENS,
    }


def _name_answer(task):
    """What is made of the logits: a label, an expected score, or the difference of two
    logits, by which answers are ranked."""
    if task.ranks:
        return "rank"
    return "label" if _list_scale(task) is None else "score"


def _list_scale(task):
    """The numbers that the logits of a score are of; `None` for labels."""
    scale = getattr(task, "scale", None)
    return None if scale is None else [int(number) for number in scale]
