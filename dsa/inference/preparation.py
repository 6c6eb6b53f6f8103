"""Checks and tokenizes rows for a trained model."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dsa.data.corpora.example import Example, check_text
from dsa.data.prepared.corpus import PreparedCorpus, from_examples
from dsa.errors import InputError
from dsa.inference.python_inputs import Row, Rows, join_texts, make_examples, read_rows

if TYPE_CHECKING:
    from dsa.data.prepared.tokenizer import Tokenizer
    from dsa.inference.trained_model import TrainedModel


def read_examples(
    trained: "TrainedModel", rows: Rows, columns: Mapping[str, str] | None
) -> list[Example]:
    """Converts the rows of `TrainedModel.predict` to `Example`s, and checks the texts.

    Args:
        trained: the model.
        rows, columns: see `TrainedModel.predict`.

    Returns: a list of `Example`s with one text per input of the task.

    Raises: `InputError`, see `TrainedModel.predict`.
    """
    inputs = trained.task.inputs
    examples = make_examples(read_rows(rows, inputs, trained.columns, columns))
    for example in examples:
        trained.check_inputs(example.texts)
        for name, text in zip(inputs, example.texts, strict=True):
            check_nonempty_text(text, f"the {name} of row {example.row}")
    return examples


def read_single_row(
    trained: "TrainedModel", row: Row, others: Sequence[str]
) -> tuple[str, ...]:
    """Converts the row of `TrainedModel.explain` to texts, and checks the texts.

    Args:
        trained: the model.
        row, others: see `TrainedModel.explain`.

    Returns: a tuple of texts, one per input of the task.

    Raises: `InputError` if the number of rows is not 1; see also
        `TrainedModel.predict`.
    """
    rows = join_texts(row, others)
    all_texts = read_rows(rows, trained.task.inputs, trained.columns)
    if len(all_texts) != 1:
        raise InputError(f"`explain` requires one row. Received: {len(all_texts)} rows")
    (texts,) = all_texts
    trained.check_inputs(texts)
    for name, text in zip(trained.task.inputs, texts, strict=True):
        check_nonempty_text(text, f"the {name}")
    return texts


def check_nonempty_text(text: str, name: str) -> None:
    """Raises `InputError` if a text is empty or has invalid characters.

    Args:
        text: the text.
        name: name of the text in the message, such as "the premise".
    """
    if not text.split():
        raise InputError(f"{name} is empty")
    check_text(text, name)


def prepare_examples(
    trained: "TrainedModel", examples: Sequence[Example], source: Any
) -> PreparedCorpus:
    """Tokenizes examples and applies the `View` of the run, such as `shuffled_words`.

    A run on parses tokenizes the raw text of examples without parses.

    Args:
        trained: the model.
        examples: `Example`s with one text per input of the task, or with a single text.
        source: name of the rows in error messages.

    Returns: the `PreparedCorpus` of the examples.

    Raises: `InputError` if a text has too many tokens.
    """
    rows = [
        example
        if example.parses is not None
        else example._replace(parses=(None,) * len(example.texts))
        for example in examples
    ]
    prepared = from_examples(rows, trained.tokenizer, trained.task, source)
    view = trained.experiment.view
    if prepared.sentence_indices.shape[1] == len(trained.task.inputs):
        return view.apply(prepared)
    # single sentences for a model of pairs
    sentences = view.reorder(prepared.words, prepared.sentences)
    return dataclasses.replace(prepared, sentences=sentences)


class RawTextTokenizer:
    """Tokenizer that ignores parses.

    Args:
        tokenizer: the `Tokenizer` of a run.
    """

    def __init__(self, tokenizer: "Tokenizer") -> None:
        self.tokenizer = tokenizer

    @property
    def settings(self) -> list[Any]:
        """Settings that determine the tokens of a text."""
        return ["raw", *self.tokenizer.settings]

    def __call__(self, text: str, parse: Any = None) -> list[str]:
        return self.tokenizer(text)

    def pair_with_parses(
        self, example: Example, path: Any
    ) -> Iterator[tuple[str, None]]:
        """Yields the texts of a row, each with `None` instead of a parse."""
        return ((text, None) for text in example.texts)
