"""Trained run with JSON answers, for the HTTP service."""

import contextlib
import json
from collections.abc import Sequence
from typing import Any

from dsa.errors import InputError
from dsa.explanation import MAX_WORDS, to_float32_list
from dsa.inference.loading import load
from dsa.inference.onnx_inference import OnnxInference
from dsa.inference.trained_model import TrainedModel

WARM_UP_TEXTS = ("A man sleeps.", "A big dog chases a cat in the park.")


def load_json_model(run: Any, runtime: str, batch_rows: int) -> "JsonModel":
    """Loads a run and compiles it for batches of up to `batch_rows` rows.

    Unknown words are not looked up in a vector file, which would take minutes.

    Args:
        run, runtime: see `load`.
        batch_rows: maximum number of rows per batch.
    """
    trained = load(run, runtime=runtime)
    trained.lookup = None
    model = JsonModel(trained)
    model.warm_up(batch_rows)
    return model


class JsonModel:
    """A trained model that returns JSON objects.

    Args:
        trained: the `TrainedModel`.
    """

    def __init__(self, trained: TrainedModel):
        self._trained = trained
        self.task = trained.task
        self.encodes = trained.experiment.family.encodes

    def __call__(self, kind: str, rows: Sequence[tuple[str, ...]]) -> list[str]:
        """Returns the answers as JSON, one object per row.

        Args:
            kind: "predict", "encode" or "explain".
            rows: tuples of texts, as returned by `parse_rows`.
        """
        if not rows:
            return []
        if kind == "explain":
            answers = [self._explain(row) for row in rows]
        elif kind == "encode":
            answers = self._encode([text for (text,) in rows])
        else:
            answers = self._predict(rows)
        return [json.dumps(answer, allow_nan=False) for answer in answers]

    def describe(self) -> dict[str, Any]:
        """Returns a description of the run for clients."""
        return {
            "model": self._trained.experiment.model.name,
            "task": self.task.name,
            "inputs": list(self.task.inputs),
            "answers": self.task.answers,
            "encodes": self.encodes,
        }

    def check_kind(self, kind: str) -> None:
        """Raises `InputError` for "encode" if the model has no sentence encoder."""
        if kind == "encode" and not self.encodes:
            name = self._trained.experiment.model.name
            raise InputError(f"'{name}' is a pair model without sentence vectors")

    def warm_up(self, batch_rows: int) -> None:
        """Computes a few batches, so that clients do not wait for compilation.

        With onnxruntime, Keras is imported by the first explanation of a client.
        """
        explains = not isinstance(self._trained.inference, OnnxInference)
        width = len(self.task.inputs)
        # the first call is not compiled; the last one is the largest batch
        for count in (1, 2, batch_rows):
            texts = [f"{WARM_UP_TEXTS[number % 2]} {number}" for number in range(count)]
            if explains:
                with contextlib.suppress(InputError):  # a model without attention maps
                    self._explain(WARM_UP_TEXTS[:1] * width)
            self._predict([(text,) * width for text in texts])
            if self.encodes:
                self._encode(texts)

    def _predict(self, rows):
        return [
            {**answer._asdict(), "unknown": self._unknown_words(row)}
            for row, answer in zip(rows, self._trained.predict(rows), strict=True)
        ]

    def _encode(self, texts):
        return [
            {"vector": to_float32_list(vector), "unknown": self._unknown_words([text])}
            for text, vector in zip(texts, self._trained.encode(texts), strict=True)
        ]

    def _explain(self, row):
        for name, text in zip(self.task.inputs, row, strict=True):
            count = len(self._trained.tokenizer(text))
            if count > MAX_WORDS:
                raise InputError(
                    f"explanations are limited to {MAX_WORDS} tokens. Received: a "
                    f"{name} of {count:,} tokens"
                )
        return self._trained.explain(*row).to_dict()

    def _unknown_words(self, texts):
        """Returns the unknown words of a row, without duplicates."""
        words = []
        for text in texts:
            words += self._trained.tokenizer(text)
        return self._trained.vocabulary.list_unknown(words)
