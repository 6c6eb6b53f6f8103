"""Answers of a trained run as JSON."""

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
    """Loads a run, see `load`, and compiles it for batches of up to `batch_rows` rows.

    Unknown words are not looked up in a vector file, which would take minutes.
    """
    trained = load(run, runtime=runtime)
    trained.lookup = None
    model = JsonModel(trained)
    model.warm_up(batch_rows)
    return model


class JsonModel:
    """A `TrainedModel` whose answers are JSON objects."""

    def __init__(self, trained: TrainedModel):
        self._trained = trained
        self.task = trained.task
        self.encodes = trained.experiment.family.encodes

    def __call__(self, kind: str, rows: Sequence[tuple[str, ...]]) -> list[str]:
        """Returns one JSON object per row.

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
        """Returns the public facts of the run."""
        return {
            "model": self._trained.experiment.model.name,
            "task": self.task.name,
            "inputs": list(self.task.inputs),
            "answers": self.task.answers,
            "encodes": self.encodes,
        }

    def check_kind(self, kind: str) -> None:
        """Raises `InputError` if the model cannot answer this kind of request."""
        if kind == "encode" and not self.encodes:
            name = self._trained.experiment.model.name
            raise InputError(f"'{name}' is a pair model without sentence vectors")

    def warm_up(self, batch_rows: int) -> None:
        """Computes a few batches so that no client waits for compilation.

        With onnxruntime, Keras is not started: the first explanation starts it.
        """
        explains = not isinstance(self._trained.inference, OnnxInference)
        width = len(self.task.inputs)
        # the first call is not compiled; the last one is the largest batch
        for count in (1, 2, batch_rows):
            texts = [f"{WARM_UP_TEXTS[n % 2]} {n}" for n in range(count)]
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
                    f"the {name} has {count:,} tokens; explanations are limited to "
                    f"{MAX_WORDS}"
                )
        return self._trained.explain(*row).to_dict()

    def _unknown_words(self, texts):
        """Returns the words of a row that the vocabulary lacks, without duplicates."""
        words = [word for text in texts for word in self._trained.tokenizer(text)]
        return self._trained.vocabulary.list_unknown(words)
