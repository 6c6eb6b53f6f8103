"""What a model looked at in one row, by a compiled call."""

import dataclasses

import numpy as np

from dsa.backends.compilation import CompiledCall


class CompiledExplanation:
    """A model's `explain`, compiled.

    A compiled call gives only arrays. What they are about is kept from the last time
    that the function itself ran, which is the same for rows of all sizes.

    Args:
        model: the Keras model.
        explain: a function of a batch to an output, such as logits, and a list of
            `TokenMap`s.
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
        without the batch axis.

        Args:
            batch: arrays with one row; sentences can be padded.
            lengths: `{sentence name: tokens}`.
        """
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
