"""What a trained run answers to rows of texts, as JSON."""

import contextlib
import json

import numpy as np

from dsa.analysis.word_labels import MOST_WORDS
from dsa.data.corpora.example import Example, check_length
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.sentences import Sentences
from dsa.data.prepared.tokenizer import tokenize_all
from dsa.errors import InputError
from dsa.inference.loading import load
from dsa.inference.raw_text import RawTextTokenizer

FIRST_TEXTS = ("A man sleeps.", "A big dog chases a cat in the park.")


def load_answers(run):
    """The `ModelAnswers` of a run folder, or of a release's name, ready to answer.

    Words that the run does not know are not looked up in a file of vectors, which would
    take minutes, and memory for each: they are named in the answers.

    Raises: `InputError` as `dsa.load`.
    """
    trained = load(run)
    trained.lookup = None
    answers = ModelAnswers(trained)
    answers.warm_up()
    return answers


class ModelAnswers:
    """Answers of a `TrainedModel`, each as a JSON object.

    Args:
        trained: the `TrainedModel`, without a file of vectors: see `load_answers`.

    Attributes:
        task: its task.
        encodes: whether it has a vector of a sentence.
    """

    def __init__(self, trained):
        self._trained = trained
        self.task = trained.task
        self.encodes = trained.experiment.family.encodes
        self._answers = {
            "predict": self._predict,
            "encode": self._encode,
            "explain": self._explain,
        }

    def __call__(self, kind, rows):
        """Answers of a kind to rows, tuples of texts that were checked: a list of JSON
        texts.

        Raises: `InputError` for a text of too many tokens.
        """
        return self._answers[kind](rows) if rows else []

    def describe(self):
        """What clients may know of the run: a dictionary."""
        return {
            "model": self._trained.experiment.model.name,
            "task": self.task.name,
            "inputs": list(self.task.inputs),
            "answers": self.task.answers,
            "encodes": self.encodes,
        }

    def check_kind(self, kind):
        """Raises an error if this model has no answers of a kind.

        Raises: `InputError`.
        """
        if kind == "encode" and not self.encodes:
            name = self._trained.experiment.model.name
            raise InputError(f"'{name}' reads pairs, and has no vector of a sentence")

    def warm_up(self):
        """Answer a few rows, so that no client waits for programs to be compiled."""
        width = len(self.task.inputs)
        for count in (1, len(FIRST_TEXTS)):  # the first call of each is not compiled
            with contextlib.suppress(InputError):  # some models have nothing to look at
                self._explain([FIRST_TEXTS[:1] * width])
            self._predict([(text,) * width for text in FIRST_TEXTS[:count]])
            if self.encodes:
                self._encode([(text,) for text in FIRST_TEXTS[:count]])

    def _predict(self, rows):
        trained = self._trained
        examples = [
            Example(texts, None, str(number), None, None, number)
            for number, texts in enumerate(rows, start=1)
        ]
        tokenizer = RawTextTokenizer(trained.tokenizer)
        prepared = from_examples(examples, tokenizer, self.task, "request")
        prepared = trained.experiment.view.apply(prepared)
        unknown = _find_unknown(prepared.words, prepared.sentences, trained.vocabulary)
        read = trained.reader.read(prepared, trained.vocabulary)
        logits = trained.inference.logits(read)
        return [
            _write({**self.task.answer(of_row)._asdict(), "unknown": _join(of_texts)})
            for of_row, of_texts in zip(
                logits,
                ([unknown[text] for text in texts] for texts in prepared.texts),
                strict=True,
            )
        ]

    def _encode(self, rows):
        trained = self._trained
        words, sentences = tokenize_all(trained.tokenizer, [text for (text,) in rows])
        longest = int(sentences.lengths.argmax())
        check_length(int(sentences.lengths[longest]), f"the text of row {longest + 1}")
        sentences = trained.experiment.view.reorder(words, sentences)
        unknown = _find_unknown(words, sentences, trained.vocabulary)
        ids = Sentences(trained.vocabulary.ids(words)[sentences.ids], sentences.offsets)
        vectors = trained.inference.vectors(ids)
        return [
            f'{{"vector": {_write_numbers(vector)}, "unknown": {_write(of_text)}}}'
            for vector, of_text in zip(vectors, unknown, strict=True)
        ]

    def _explain(self, rows):
        return [self._explain_row(texts) for texts in rows]

    def _explain_row(self, texts):
        for name, text in zip(self.task.inputs, texts, strict=True):
            count = len(self._trained.tokenizer(text))
            if count > MOST_WORDS:
                raise InputError(
                    f"the {name} has {count:,} tokens; what a model looks at is "
                    f"answered for at most {MOST_WORDS}"
                )
        return write_explanation(self._trained.explain(*texts))


def write_explanation(look):
    """An `Explanation` as JSON: `answer`, `tokens`, `unknown` and `maps` by name. A map
    of token over token has its `average` and, if it has heads, `by_head`; every other
    one has `by_token`, a number for each token."""
    facts = {
        **look.answer._asdict(),
        "unknown": look.unknown,
        "tokens": look.tokens,
    }
    maps = ", ".join(f"{json.dumps(name)}: {_write_map(look[name])}" for name in look)
    return f'{_write(facts)[:-1]}, "maps": {{{maps}}}}}'


def _write_map(shown):
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
    """The words of each sentence that a vocabulary lacks: a list of lists.

    Args:
        words: distinct words.
        sentences: `Sentences` of positions in them; -1 is no word.
        vocabulary: the `Vocabulary`.
    """
    lacks = np.array([word not in vocabulary for word in words] + [False])
    if not lacks.any():
        return [[] for _ in range(len(sentences))]
    bounds = zip(sentences.offsets[:-1], sentences.offsets[1:], strict=True)
    of_sentences = (sentences.ids[start:end] for start, end in bounds)
    return [
        [words[position] for position in dict.fromkeys(ids[lacks[ids]].tolist())]
        for ids in of_sentences
    ]


def _join(lists):
    """All words of some lists, each once."""
    return list(dict.fromkeys(word for words in lists for word in words))


def _write(value):
    """JSON; a number that is none is an error."""
    return json.dumps(value, allow_nan=False)


def _write_numbers(array):
    """A float array as JSON, with as many digits as float32 has."""
    if not np.isfinite(array).all():
        raise ValueError("the model's answer holds what is no finite number")
    if array.ndim > 1:
        return f"[{', '.join(map(_write_numbers, array))}]"
    return f"[{', '.join(f'{number:.9g}' for number in array.tolist())}]"
