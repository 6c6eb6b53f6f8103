"""Export formats and the content of `settings.json`. Does not import Keras."""

from typing import TYPE_CHECKING, Any

from dsa.data.corpora.example import MAX_CHARACTERS, MAX_TOKENS
from dsa.data.rows.row_reader import EMPTY_TOKEN
from dsa.data.words.vocabulary import FIRST_WORD, PADDING, UNKNOWN
from dsa.errors import InputError
from dsa.version import __version__

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel

FORMAT_VERSION = 1  # version of `settings.json`
BYTES_PER_WEIGHT = 4
MAX_BYTES = {  # limit on the size of the weights
    "onnx": 2 * 10**9,  # a file is a single Protocol Buffers message
    "savedmodel": None,
}


def check_format(name: str) -> None:
    """Raises `InputError` for an unknown format of a network."""
    if name not in MAX_BYTES:
        raise InputError(f"unknown format '{name}'. Known: {', '.join(MAX_BYTES)}")


def check_model(trained: "TrainedModel", format: str) -> None:
    """Raises `InputError` if a format does not support a model."""
    experiment = trained.experiment
    path = trained.run.path
    if not experiment.family.has_word_vectors:
        raise InputError(
            f"{path}: '--format {format}' requires a network. Received: linear model "
            f"'{experiment.model.name}'. '--format numpy' exports a model with "
            "'name: features'"
        )
    if experiment.data.view:
        raise InputError(
            f"{path}: exported models do not support 'data.view', with which this run "
            "was trained"
        )
    weights = trained.model.get_weights()
    size = BYTES_PER_WEIGHT * sum(weight.size for weight in weights)
    limit = MAX_BYTES[format]
    if limit is not None and size > limit:
        raise InputError(
            f"{path}: '--format {format}' supports at most {limit / 1e9:.0f} GB of "
            f"weights. Received: {size / 1e9:.1f} GB. Use '--format savedmodel'"
        )


def make_settings(trained: "TrainedModel") -> dict[str, Any]:
    """Returns the content of `settings.json`, without checksums.

    The settings are sufficient to tokenize texts and to interpret logits without this
    package.
    """
    experiment = trained.experiment
    task = trained.task
    scale = getattr(task, "scale", None)  # integers of the scale of relatedness
    if task.ranks:
        answer = "rank"  # the score is the difference of two logits
    elif scale is None:
        answer = "label"
    else:
        answer = "score"  # the score is the expected value on the scale
    return {
        "format": FORMAT_VERSION,
        "dsa": __version__,
        "model": experiment.model.name,
        "task": task.name,
        "answer": answer,
        "names": list(task.names),
        "scale": None if scale is None else [int(score) for score in scale],
        "inputs": list(task.inputs),
        "without_common_words": list(experiment.inputs[len(task.inputs) :]),
        "features": experiment.feature_count,
        "encodes": experiment.family.encodes,
        "tokenizer": experiment.tokenizer.model_dump(),
        "ids": {"padding": PADDING, "unknown": UNKNOWN, "first_word": FIRST_WORD},
        "empty_sentence": EMPTY_TOKEN,
        "most_characters": MAX_CHARACTERS,
        "most_tokens": MAX_TOKENS,
    }
