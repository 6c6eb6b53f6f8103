"""What a model looked at in one row: a compiled call, and an `Explanation` of texts."""

import dataclasses

import numpy as np

from dsa.backends.compilation import CompiledCall
from dsa.data.prepared.sentences import Sentences
from dsa.explanation import Explanation
from dsa.inference.python_inputs import prepare_texts
from dsa.tasks.task import SINGLE


def explain_texts(trained, texts):
    """The `Explanation` of one row of texts, with its answer."""
    prepared = prepare_texts(trained, [texts], "text")
    larger = trained.with_words(prepared.words)
    larger.log_unknown(prepared.words)
    rows = larger.reader.read(prepared, larger.vocabulary)
    logits, maps = larger.inference.explain(rows)
    return Explanation.build(
        maps,
        trained.reader.name_tokens(prepared),
        trained.task.answer(logits),
        logits,
        larger.vocabulary.list_unknown(prepared.words),
    )


def explain_tokens(trained, tokens):
    """The `Explanation` of one sentence, a list of tokens, without an answer."""
    words = list(dict.fromkeys(tokens))
    sentence = Sentences.from_lists([[words.index(token) for token in tokens]])
    sentence = trained.experiment.view.reorder(words, sentence)
    tokens = [words[position] for position in sentence.ids]
    larger = trained.with_words(tokens)
    sentence = Sentences.from_lists([larger.vocabulary.ids(tokens).tolist()])
    maps = larger.inference.explain_sentence(sentence)
    larger.log_unknown(tokens)
    (name,) = SINGLE
    unknown = larger.vocabulary.list_unknown(tokens)
    return Explanation.build(maps, {name: tokens}, unknown=unknown)


class CompiledExplanation:
    """A function of a batch to an output, such as logits, and a list of `TokenMap`s,
    compiled.

    A compiled call gives only arrays. What they are about is kept from the last time
    that the function itself ran, which is the same for rows of all sizes.
    """

    def __init__(self, model, explain):
        self._descriptions = []

        def compute(batch):
            output, maps = explain(batch)
            self._descriptions = [dataclasses.replace(one, values=None) for one in maps]
            return [output, *(one.values for one in maps)]

        self._call = CompiledCall(model, compute, quick_start=True)

    def explain_row(self, batch, lengths):
        """The output and the `TokenMap`s of the only row of a batch, as NumPy arrays
        without the batch axis. Sentences can be padded; `lengths`: their tokens, by
        name."""
        output, *values = self._call.predict_on_batch(batch)
        maps = [
            _take_row(dataclasses.replace(one, values=array), lengths)
            for one, array in zip(self._descriptions, values, strict=True)
        ]
        return output[0], maps


def _take_row(one, lengths):
    """A `TokenMap` of the only row, without what belongs to padding."""
    sentence = one.sentence or next(iter(lengths))
    more = one.window - 1  # windows that hold at least one token
    sizes = {
        "token": lengths[sentence] + more,
        "looked_at": lengths[one.over or sentence] + more,
    }
    values = np.asarray(one.values)[0]
    if values.ndim == len(one.kind.axes):
        values = values[tuple(slice(sizes.get(axis)) for axis in one.kind.axes)]
    return dataclasses.replace(one, values=values)
