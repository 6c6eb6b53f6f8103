"""The answers of a trained run to rows of texts, as JSON."""

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.corpora.example import check_length
from dsa.data.prepared.sentences import Sentences
from dsa.data.prepared.tokenizer import tokenize_all
from dsa.errors import InputError
from dsa.explanation import MOST_WORDS, Explanation, TokenMap
from dsa.inference.loading import load
from dsa.inference.python_inputs import prepare_texts
from dsa.inference.serving.bounds import Bounds
from dsa.inference.trained_model import TrainedModel
from dsa.runs.run_folder import RunFolder

FIRST_TEXTS = ("A man sleeps.", "A big dog chases a cat in the park.")


def load_answers(
    run: "str | Path | RunFolder",
    runtime: str = "keras",
    batch_rows: int = Bounds.batch_rows,
) -> "ModelAnswers":
    """Loads the `ModelAnswers` of a run folder, with `runtime` as of `load`, and warms
    them up for batches of up to `batch_rows` rows.

    Words that the run does not know are not looked up in a file of vectors, which would
    take minutes and memory; the answers name them.

    Raises: `InputError` as `load`.
    """
    trained = load(run, runtime=runtime)
    trained.lookup = None
    answers = ModelAnswers(trained)
    answers.warm_up(batch_rows)
    return answers


class ModelAnswers:
    """Answers of a `TrainedModel` without a file of vectors, each as a JSON object."""

    def __init__(self, trained: TrainedModel):
        self._trained = trained
        self.task = trained.task
        self.encodes = trained.experiment.family.encodes

    def __call__(self, kind: str, rows: Sequence[tuple[str, ...]]) -> list[str]:
        """Answers rows of texts that were checked: a JSON text for each.

        Raises: `InputError` for a text of too many tokens.
        """
        if not rows:
            return []
        if kind == "explain":
            return list(map(self._explain, rows))
        return self._encode(rows) if kind == "encode" else self._predict(rows)

    def describe(self) -> dict[str, Any]:
        """Returns the facts of the run that clients may know."""
        return {
            "model": self._trained.experiment.model.name,
            "task": self.task.name,
            "inputs": list(self.task.inputs),
            "answers": self.task.answers,
            "encodes": self.encodes,
        }

    def check_kind(self, kind: str) -> None:
        """Raises `InputError` if this model has no answers of a kind."""
        if kind == "encode" and not self.encodes:
            name = self._trained.experiment.model.name
            raise InputError(f"'{name}' reads pairs, and has no vector of a sentence")

    def warm_up(self, batch_rows: int) -> None:
        """Answers a few rows, so that no client waits for programs to be compiled."""
        width = len(self.task.inputs)
        # the first call of each is not compiled; the last is the largest batch
        for count in (1, len(FIRST_TEXTS), batch_rows):
            more = (f"{FIRST_TEXTS[-1]} {number}" for number in range(2, count))
            texts = [*FIRST_TEXTS[:count], *more]  # each one is another sentence
            with contextlib.suppress(InputError):  # some models have no maps
                self._explain(FIRST_TEXTS[:1] * width)
            self._predict([(text,) * width for text in texts])
            if self.encodes:
                self._encode([(text,) for text in texts])

    def _predict(self, rows):
        trained = self._trained
        prepared = prepare_texts(trained, rows, "request")
        unknown = _find_unknown(prepared.words, prepared.sentences, trained.vocabulary)
        read = trained.reader.read(prepared, trained.vocabulary)
        answers, all_logits = [], trained.inference.logits(read)
        for logits, texts in zip(all_logits, prepared.texts, strict=True):
            words = dict.fromkeys(word for text in texts for word in unknown[text])
            answer = self.task.answer(logits)._asdict()
            answers.append(_write({**answer, "unknown": list(words)}))
        return answers

    def _encode(self, rows):
        trained = self._trained
        words, sentences = tokenize_all(trained.tokenizer, [text for (text,) in rows])
        longest = int(sentences.lengths.argmax())
        check_length(int(sentences.lengths[longest]), f"the text of row {longest + 1}")
        sentences = trained.experiment.view.reorder(words, sentences)
        unknown = _find_unknown(words, sentences, trained.vocabulary)
        ids = Sentences(trained.vocabulary.ids(words)[sentences.ids], sentences.offsets)
        # models that encode have it, see `check_kind`
        vectors = trained.inference.vectors(ids)  # pyright: ignore[reportAttributeAccessIssue]
        return [
            f'{{"vector": {_write_numbers(vector)}, "unknown": {_write(words)}}}'
            for vector, words in zip(vectors, unknown, strict=True)
        ]

    def _explain(self, texts):
        for name, text in zip(self.task.inputs, texts, strict=True):
            count = len(self._trained.tokenizer(text))
            if count > MOST_WORDS:
                raise InputError(
                    f"the {name} has {count:,} tokens; what a model looks at is "
                    f"answered for at most {MOST_WORDS}"
                )
        return _write_explanation(self._trained.explain(*texts))


def _write_explanation(look: Explanation) -> str:
    """Writes an `Explanation` as JSON: its answer, `tokens`, `unknown` and `maps` by
    name. A map of token over token has its `average` and, if it has heads, `by_head`;
    every other one has `by_token`, a number for each token."""
    answer = look.answer._asdict() if look.answer else {}
    facts = {**answer, "unknown": look.unknown, "tokens": look.tokens}
    maps = ", ".join(f"{json.dumps(name)}: {_write_map(look[name])}" for name in look)
    return f'{_write(facts)[:-1]}, "maps": {{{maps}}}}}'


def _write_map(shown: TokenMap) -> str:
    facts = {
        "what": shown.title,
        "sentence": shown.sentence,
        "over": shown.over or shown.sentence if shown.is_over_tokens else None,
        "tokens": shown.tokens,
        "looked_at": shown.looked_at,
    }
    if shown.is_over_tokens:
        arrays = {"average": shown.average()}
        if shown.by_head():
            arrays["by_head"] = np.stack(shown.by_head())
    else:
        arrays = {"by_token": shown.by_token()}
    values = (f'"{name}": {_write_numbers(array)}' for name, array in arrays.items())
    return f"{_write(facts)[:-1]}, {', '.join(values)}}}"


def _find_unknown(words, sentences, vocabulary):
    """The words of each sentence that a vocabulary lacks, as a list of lists.
    `sentences` are positions in the distinct `words`; -1 is no word."""
    lacks = np.array([word not in vocabulary for word in words] + [False])
    if not lacks.any():
        return [[] for _ in range(len(sentences))]
    bounds = zip(sentences.offsets[:-1], sentences.offsets[1:], strict=True)
    ids_by_sentence = (sentences.ids[start:end] for start, end in bounds)
    return [
        [words[position] for position in dict.fromkeys(ids[lacks[ids]].tolist())]
        for ids in ids_by_sentence
    ]


def _write(value):
    """JSON; NaN and infinity are errors."""
    return json.dumps(value, allow_nan=False)


def _write_numbers(array):
    """A float32 array as JSON, with all its digits."""
    if not np.isfinite(array).all():
        raise ValueError("the model's answer holds what is no finite number")
    if array.ndim > 1:
        return f"[{', '.join(map(_write_numbers, array))}]"
    return f"[{', '.join(f'{number:.9g}' for number in array.tolist())}]"
