"""What an export says of a model, and which models a format holds. No Keras."""

from typing import TYPE_CHECKING, Any

from dsa.data.corpora.example import MAX_CHARACTERS, MAX_TOKENS
from dsa.data.rows.row_reader import EMPTY
from dsa.data.words.vocabulary import FIRST_WORD, PADDING, UNKNOWN
from dsa.errors import InputError
from dsa.version import __version__

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel

FORMAT = 1
BYTES = 4  # of a weight
MOST_BYTES = {  # of the weights
    "onnx": 2 * 10**9,  # a file is one message of Protocol Buffers
    "savedmodel": None,  # no limit
}


def check_format(name: str) -> None:
    """Raises `InputError`, with the known formats, for another one."""
    if name not in MOST_BYTES:
        raise InputError(f"unknown format '{name}'. Known: {', '.join(MOST_BYTES)}")


def check_model(trained: "TrainedModel", format: str) -> None:
    """Raises `InputError` for a model that a format cannot hold."""
    experiment, path = trained.experiment, trained.run.path
    if not experiment.family.has_word_vectors:
        raise InputError(
            f"{path}: '{experiment.model.name}' is a linear model over features of "
            f"texts, no network: '{format}' cannot hold it"
        )
    if experiment.data.view:
        raise InputError(
            f"{path}: was trained with 'data.view'; exported models read whole rows"
        )
    size = sum(BYTES * weight.size for weight in trained.model.get_weights())
    if (most := MOST_BYTES[format]) is not None and size > most:
        raise InputError(
            f"{path}: the weights have {size / 1e9:.1f} GB, '{format}' holds at most "
            f"{most / 1e9:.0f} GB. '--format savedmodel' has no limit"
        )


def describe_model(trained: "TrainedModel") -> dict[str, Any]:
    """Returns the content of `settings.json` but for the checksums: what a program
    needs besides the model to read texts as this package does."""
    experiment, task = trained.experiment, trained.task
    scale = getattr(task, "scale", None)  # the numbers that a score's logits are of
    return {
        "format": FORMAT,
        "dsa": __version__,
        "model": experiment.model.name,
        "task": task.name,
        # a label, an expected score, or the difference of two logits, to rank by
        "answer": "rank" if task.ranks else "label" if scale is None else "score",
        "names": list(task.names),
        "scale": None if scale is None else [int(number) for number in scale],
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
