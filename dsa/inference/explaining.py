"""Explanations of one row: attention maps and the prediction."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.backends.compilation import CompiledCall
from dsa.data.prepared.sentences import Sentences
from dsa.explanation import Explanation, TokenMap
from dsa.inference.python_inputs import make_examples
from dsa.tasks.task import SENTENCE

if TYPE_CHECKING:
    from dsa.inference.trained_model import TrainedModel


def explain_texts(trained: "TrainedModel", texts: tuple[str, ...]) -> Explanation:
    """Returns the `Explanation` of one row of texts, with its prediction."""
    prepared = trained.prepare(make_examples([texts]), "text")
    model = trained.with_words(prepared.words)
    model.log_unknown(prepared.words)
    rows = model.reader.convert(prepared, model.vocabulary)
    logits, maps = model.inference.explain(rows)
    return Explanation.build(
        maps,
        trained.reader.list_first_row_words(prepared),
        trained.task.answer(logits),
        logits,
        model.vocabulary.list_unknown(prepared.words),
    )


def explain_tokens(trained: "TrainedModel", tokens: Sequence[str]) -> Explanation:
    """Returns the `Explanation` of a tokenized sentence, without a prediction."""
    words = list(dict.fromkeys(tokens))
    sentence = Sentences.from_lists([[words.index(token) for token in tokens]])
    sentence = trained.experiment.view.reorder(words, sentence)
    tokens = [words[position] for position in sentence.ids]
    model = trained.with_words(tokens)
    model.log_unknown(tokens)
    ids = Sentences.from_lists([model.vocabulary.ids(tokens).tolist()])
    maps = model.inference.explain_sentence(ids)
    unknown = model.vocabulary.list_unknown(tokens)
    return Explanation.build(maps, {SENTENCE: tokens}, unknown=unknown)


class CompiledExplanation:
    """Compiled function that returns an output and `TokenMap`s.

    A compiled call can return only arrays. The descriptions of the maps are therefore
    stored when the function is traced. They are the same for rows of all lengths.

    Args:
        model: the layer whose weights the function uses.
        explain: function that maps a batch to an output, such as logits, and a list of
            `TokenMap`s.
    """

    def __init__(self, model: Any, explain: Callable[[Any], Any]):
        self._descriptions = []

        def compute(batch):
            output, maps = explain(batch)
            self._descriptions = [
                dataclasses.replace(token_map, values=None) for token_map in maps
            ]
            return [output, *(token_map.values for token_map in maps)]

        self._call = CompiledCall(model, compute, quick_start=True)

    def explain_row(
        self, batch: Any, lengths: dict[str, int]
    ) -> tuple[np.ndarray, list[TokenMap]]:
        """Computes a batch with a single row.

        Args:
            batch: the batch; its sentences can be padded.
            lengths: number of tokens by sentence name.

        Returns: the output and the `TokenMap`s, as NumPy arrays without the batch axis.
        """
        output, *values = self._call.predict_on_batch(batch)
        maps = [
            _remove_padding(dataclasses.replace(description, values=array), lengths)
            for description, array in zip(self._descriptions, values, strict=True)
        ]
        return output[0], maps


def _remove_padding(token_map, lengths):
    """Returns the `TokenMap` of the only row of a batch, without padding.

    Args:
        token_map: the map, with `values` `(1, ...)`.
        lengths: number of tokens by sentence name.
    """
    first_sentence = next(iter(lengths))
    sentence = token_map.sentence or first_sentence
    overlap = token_map.window - 1  # additional windows at the ends of the sentence
    sizes = {
        "token": lengths[sentence] + overlap,
        "looked_at": lengths[token_map.over or sentence] + overlap,
    }
    values = np.asarray(token_map.values)[0]
    if values.dtype.kind not in "biu":  # NumPy computes means of bfloat16 in bfloat16
        values = values.astype(np.float32)
    axes = token_map.kind.axes
    if values.ndim == len(axes):
        values = values[tuple(slice(sizes.get(axis)) for axis in axes)]
    return dataclasses.replace(token_map, values=values)
