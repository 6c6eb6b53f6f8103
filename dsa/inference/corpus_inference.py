"""Computes logits and sentence vectors of whole corpora.

A sentence encoder encodes each distinct sentence once. A pair model computes the logits
of every pair.

Axes: N rows, S features of a sentence vector.
"""

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np

from dsa.backends.compilation import (
    CompiledCall,
    compiles_each_shape,
    without_retracing_warnings,
)
from dsa.backends.feed import feed
from dsa.data.batching.shapes import (
    choose_shapes,
    find_smallest_shape,
    make_batches_by_length,
    split_by_memory,
)
from dsa.data.prepared.sentences import Sentences
from dsa.data.rows.model_rows import ModelRows
from dsa.explanation import TokenMap
from dsa.inference.rounding import round_up_to_power_of_two
from dsa.inference.small_batches import (
    MIN_PADDED_LENGTH,
    is_small_batch,
    make_padded_positions,
)
from dsa.models.family import Family
from dsa.system.terminal import show_progress
from dsa.tasks.task import SENTENCE

SENTENCES_PER_BATCH = 256  # for the encoder
ROWS_PER_BATCH = 2048  # for the classifier of sentence vectors
PAIRS_PER_BATCH = 128  # for pair models
MAX_SHAPES = 7  # padded lengths, if the backend compiles a program for each shape
BATCHES_PER_PART = 16  # `predict` keeps the outputs of all batches of a part
ROWS_PER_CHUNK = 50_000  # limits the memory of the sentence vectors


def build_inference(family: Family, model: Any, quick_start: bool = False) -> Any:
    """Returns the `EncoderInference` or the `PairInference` of a network.

    Args:
        family: the family of the model.
        model: the Keras model.
        quick_start: see `CompiledCall`.
    """
    if family.encodes:
        return EncoderInference(model, quick_start)
    return PairInference(model, quick_start)


class _Inference:
    """Base class that compiles the explanations of a model on first use.

    Args:
        model: the Keras model.
    """

    def __init__(self, model: Any) -> None:
        self._network = model

    @functools.cached_property
    def _explanation(self):
        """The `CompiledExplanation` of rows."""
        from dsa.inference.explaining import CompiledExplanation

        return CompiledExplanation(self._network, self._network.explain)

    def explain(self, rows: ModelRows) -> tuple[np.ndarray, list[TokenMap]]:
        """Returns the logits and the `TokenMap`s of a single row.

        Args:
            rows: `ModelRows` with one row.

        Returns: the logits `(outputs,)`, and the `TokenMap`s.
        """
        lengths = rows.lengths[0].tolist()
        batch = rows.pad(np.array([0]), [_pad_length(length) for length in lengths])
        named_lengths = dict(zip(rows.inputs, lengths, strict=True))
        return self._explanation.explain_row(batch, named_lengths)


class EncoderInference(_Inference):
    """Computes sentence vectors and logits of a `SentenceModel`, without dropout.

    Args:
        model: the `SentenceModel`.
        quick_start: see `CompiledCall`.
    """

    def __init__(self, model: Any, quick_start: bool = False) -> None:
        super().__init__(model)
        self.units = model.vector_units
        self.outputs = model.logits.units
        self._encode = CompiledCall(
            model, lambda ids: model.encode(ids, False), quick_start
        )
        self._classify = CompiledCall(
            model, lambda vectors: model.classify(*vectors, training=False), quick_start
        )

    @functools.cached_property
    def _sentence_explanation(self):
        """The `CompiledExplanation` of single sentences."""
        from dsa.inference.explaining import CompiledExplanation

        def explain(ids):
            maps = []
            return self._network.encode(ids, training=False, maps=maps), maps

        return CompiledExplanation(self._network, explain)

    def vectors(
        self, sentences: Sentences, batch_size: int | None = None
    ) -> np.ndarray:
        """Returns the vectors of sentences.

        Args:
            sentences: `Sentences` of vocabulary ids.
            batch_size: number of sentences per batch; `None` for 256.

        Returns: float32 `(len(sentences), S)`.
        """
        vectors = np.empty((len(sentences), self.units), np.float32)
        if not len(sentences):
            return vectors
        size = batch_size or SENTENCES_PER_BATCH
        if compiles_each_shape() and is_small_batch(sentences.lengths, size):
            vectors[:] = self._encode_small(sentences)  # bfloat16 becomes float32
            return vectors
        shapes = MAX_SHAPES if compiles_each_shape() else None
        batches = list(make_batches_by_length(sentences, size, shapes))
        parts = range(0, len(batches), BATCHES_PER_PART)
        for start in show_progress(parts, "encoding", len(parts)):
            order, ids = zip(*batches[start : start + BATCHES_PER_PART], strict=True)

            def inputs(ids=ids):
                for batch_ids in ids:
                    yield (batch_ids,)

            vectors[np.concatenate(order)] = predict_batches(
                self._encode, inputs, len(ids)
            )
        return vectors

    def _encode_small(self, sentences):
        """Encodes sentences in one batch, padded to a shape that is likely reused."""
        longest = sentences.lengths.max()
        padded_length = round_up_to_power_of_two(longest, MIN_PADDED_LENGTH)
        ids = sentences.pad(make_padded_positions(len(sentences)), padded_length)
        return self._encode.predict_on_batch(ids)[: len(sentences)]

    def logits(self, rows: ModelRows, batch_size: int | None = None) -> np.ndarray:
        """Returns the logits of `ModelRows`, float32 `(N, outputs)`.

        Args:
            rows: the rows.
            batch_size: see `vectors`.
        """
        sentences = rows.sentences
        sentence_indices = rows.sentence_indices
        chunks = [np.empty((0, self.outputs), np.float32)]
        for start in range(0, len(sentence_indices), ROWS_PER_CHUNK):
            chunk = sentence_indices[start : start + ROWS_PER_CHUNK]
            distinct, positions = np.unique(chunk, return_inverse=True)
            vectors = self.vectors(sentences.select(distinct), batch_size)
            chunks.append(self._classify_rows(vectors, positions.reshape(chunk.shape)))
        return np.concatenate(chunks)

    def explain_sentence(self, sentences: Sentences) -> list[TokenMap]:
        """Returns the `TokenMap`s of a single sentence."""
        (length,) = sentences.lengths.tolist()
        ids = sentences.pad(np.array([0]), _pad_length(length))
        _, maps = self._sentence_explanation.explain_row(ids, {SENTENCE: length})
        return maps

    def _classify_rows(self, vectors, indices):
        """Returns the logits `(N, outputs)` of N rows of T sentences.

        Args:
            vectors: sentence vectors.
            indices: int array `(N, T)`, indices into `vectors`.
        """
        num_rows = len(indices)
        num_batches = math.ceil(num_rows / ROWS_PER_BATCH)
        # equal batches, padded with the first row
        batch_size = math.ceil(num_rows / num_batches)
        if num_batches == 1 and compiles_each_shape():
            batch_size = round_up_to_power_of_two(batch_size)
        rows = np.zeros(num_batches * batch_size, np.int64)
        rows[:num_rows] = np.arange(num_rows)

        def batches():
            for batch in rows.reshape(num_batches, batch_size):
                yield (tuple(vectors[column] for column in indices[batch].T),)

        return predict_batches(self._classify, batches, num_batches)[:num_rows]


class PairInference(_Inference):
    """Computes logits of a pair model, without dropout.

    Args:
        model: Keras model that maps a dictionary to logits. The dictionary contains
            token ids `(B, L)` for each input, and `features` `(B, F)` if the model uses
            pair features.
        quick_start: see `CompiledCall`.
        options: call arguments of the model, such as `features_only=True`, which
            returns features instead of logits.
    """

    def __init__(self, model: Any, quick_start: bool = False, **options: Any) -> None:
        super().__init__(model)
        self._logits = CompiledCall(
            model, lambda batch: model(batch, training=False, **options), quick_start
        )

    def logits(self, rows: ModelRows, batch_size: int | None = None) -> np.ndarray:
        """Returns the logits of `ModelRows`, float32 `(N, outputs)`.

        Args:
            rows: the rows.
            batch_size: maximum number of pairs per batch; `None` for 128.
        """
        if not len(rows):
            return np.empty((0, self._count_outputs(rows)), np.float32)
        lengths = rows.lengths
        batch_size = batch_size or PAIRS_PER_BATCH
        if compiles_each_shape() and is_small_batch(lengths, batch_size):
            return self._compute_small(rows)
        order = np.lexsort(lengths.T[::-1])
        batch_size = min(batch_size, len(order))
        # equal batches, padded with the shortest pair; batches of long pairs are split
        num_padding = -len(order) % batch_size
        order = np.concatenate([np.repeat(order[:1], num_padding), order])
        batches = []
        for batch in order.reshape(-1, batch_size):
            num_weights = lengths[batch, :2].max(axis=0).prod()  # of a padded pair
            batches += split_by_memory(batch, num_weights)
        longest = np.array([lengths[batch].max(axis=0) for batch in batches])
        padded_shapes = longest
        if compiles_each_shape():
            shapes = choose_shapes(longest, MAX_SHAPES)
            padded_shapes = [find_smallest_shape(shapes, shape) for shape in longest]

        def padded_batches():
            for batch, shape in zip(batches, padded_shapes, strict=True):
                yield (rows.pad(batch, shape),)

        count = len(batches)
        ordered = predict_batches(self._logits, padded_batches, count, "reading pairs")
        logits = np.empty((len(rows), ordered.shape[-1]), np.float32)
        logits[np.concatenate(batches)] = ordered
        return logits

    def _count_outputs(self, rows):
        """Returns the number of logits, inferred from a symbolic call of the model."""
        batch = {name: keras.KerasTensor((None, None), "int32") for name in rows.inputs}
        if rows.features is not None:
            batch["features"] = keras.KerasTensor(rows.features.shape)
        spec: Any = self._logits.compute_output_spec(batch)
        return spec.shape[-1]

    def _compute_small(self, rows):
        """Computes logits in one batch, padded to a shape that is likely reused."""
        longest = [
            round_up_to_power_of_two(length, MIN_PADDED_LENGTH)
            for length in rows.lengths.max(axis=0)
        ]
        batch = rows.pad(make_padded_positions(len(rows)), np.array(longest))
        return self._logits.predict_on_batch(batch)[: len(rows)]


def _pad_length(length):
    """Returns the padded length of a single sentence.

    The length is rounded up if the backend compiles a program for each shape, so that
    few programs are compiled.
    """
    if compiles_each_shape():
        return round_up_to_power_of_two(length, MIN_PADDED_LENGTH)
    return length


def predict_batches(
    model: CompiledCall,
    batches: Callable[[], Iterator[tuple[Any]]],
    count: int,
    description: str | None = None,
) -> Any:
    """Returns the outputs of a compiled call for several batches, `(N, ...)`.

    A single batch is passed directly to the compiled call, because starting the input
    pipeline takes fifty times as long as computing one pair.

    Args:
        model: the `CompiledCall`.
        batches: generator function that yields `(batch,)` tuples.
        count: number of batches.
        description: text of the progress bar; `None` to show no progress bar.
    """

    def batches_with_progress():
        if description is None:
            return batches()
        return show_progress(batches(), description, count)

    with without_retracing_warnings():
        if count == 1:
            ((batch,),) = batches_with_progress()
            return model.predict_on_batch(batch)
        return model.predict(feed(batches_with_progress), steps=count, verbose=0)
