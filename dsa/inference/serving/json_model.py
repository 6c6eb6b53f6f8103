"""Model wrapper of the HTTP service, with JSON results."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.explanation import MAX_WORDS, to_float32_list
from dsa.inference.loading import load
from dsa.inference.onnx_inference import OnnxInference
from dsa.inference.serving.limits import TooLargeError
from dsa.inference.trained_model import TrainedModel
from dsa.runs.run_folder import RunFolder

WARM_UP_TEXTS = ("A man sleeps.", "A big dog chases a cat in the park.")


def load_json_model(
    run: str | Path | RunFolder, runtime: str, batch_rows: int
) -> "JsonModel":
    """Loads a run and compiles it for batches of up to `batch_rows` rows.

    The lookup of unknown words is disabled, because reading a vector file takes
    minutes.

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
    """A trained model whose results are JSON strings.

    Args:
        trained: the `TrainedModel`.
    """

    def __init__(self, trained: TrainedModel):
        self.trained = trained
        self.task = trained.task
        self.has_encoder = trained.experiment.family.encodes
        self.has_attention_maps = "explain" in trained.experiment.family.members

    def __call__(self, kind: str, rows: Sequence[tuple[str, ...]]) -> list[str]:
        """Returns the result of each row as a JSON object.

        Args:
            kind: kind of request: "predict", "encode" or "explain".
            rows: tuples of texts, as returned by `parse_rows`.

        Raises: `InputError` if a text has too many tokens; `ValueError` for another
            kind of request.
        """
        if not rows:
            return []
        if kind == "explain":
            results = [self._explain(row) for row in rows]
        elif kind == "encode":
            results = self._encode([text for (text,) in rows])
        elif kind == "predict":
            results = self._predict(rows)
        else:
            raise ValueError(f"unknown kind of request {kind!r}")
        return [json.dumps(result, allow_nan=False) for result in results]

    def describe(self) -> dict[str, Any]:
        """Returns the model, its task and the task's inputs, for `/health`."""
        return {
            "model": self.trained.experiment.model.name,
            "task": self.task.name,
            "inputs": list(self.task.inputs),
            "answers": self.task.answers,
            "encodes": self.has_encoder,
        }

    def check_kind(self, kind: str) -> None:
        """Raises `InputError` if the model does not support a kind of request.

        "encode" requires a sentence encoder, "explain" a network.
        """
        name = self.trained.experiment.model.name
        if kind == "encode" and not self.has_encoder:
            raise InputError(f"'{name}' has no sentence vectors")
        if kind == "explain" and not self.has_attention_maps:
            raise InputError(f"'{name}' is a linear model, which has no attention maps")

    def warm_up(self, batch_rows: int) -> None:
        """Compiles the model with a few batches of sample texts.

        With onnxruntime, explanations are not computed, because they import Keras. The
        first explanation of a client is then slow.

        Args:
            batch_rows: number of rows of the largest batch.
        """
        num_inputs = len(self.task.inputs)
        uses_onnx = isinstance(self.trained.inference, OnnxInference)
        if self.has_attention_maps and not uses_onnx:
            for _ in range(2):  # the first call is not compiled
                self._explain((WARM_UP_TEXTS[0],) * num_inputs)
        # the first call is not compiled; the last one is the largest batch
        for count in (1, 2, batch_rows):
            texts = [f"{WARM_UP_TEXTS[number % 2]} {number}" for number in range(count)]
            self._predict([(text,) * num_inputs for text in texts])
            if self.has_encoder:
                self._encode(texts)

    def _predict(self, rows):
        """Returns a dictionary for each row: its prediction and its unknown words."""
        results = []
        for row, prediction in zip(rows, self.trained.predict(rows), strict=True):
            unknown = self._list_unknown_words(row)
            results.append({**prediction._asdict(), "unknown": unknown})
        return results

    def _encode(self, texts):
        """Returns a dictionary for each text: its vector and its unknown words."""
        results = []
        for text, vector in zip(texts, self.trained.encode(texts), strict=True):
            unknown = self._list_unknown_words([text])
            results.append({"vector": to_float32_list(vector), "unknown": unknown})
        return results

    def _explain(self, row):
        """Returns the explanation of a row as a dictionary.

        Raises: `TooLargeError` if a text has more than `MAX_WORDS` tokens.
        """
        for name, text in zip(self.task.inputs, row, strict=True):
            count = len(self.trained.tokenizer(text))
            if count > MAX_WORDS:
                raise TooLargeError(
                    f"an explanation accepts at most {MAX_WORDS} tokens per text. "
                    f"Received: {name} with {count:,} tokens"
                )
        return self.trained.explain(*row).to_dict()

    def _list_unknown_words(self, texts):
        """Returns the unknown words of a row, without duplicates."""
        words = []
        for text in texts:
            words += self.trained.tokenizer(text)
        return self.trained.vocabulary.list_unknown(words)
