"""A trained run in use: texts in, labels, vectors and attention out."""

import dataclasses
import logging

import numpy as np

from dsa.data.corpora.example import Example
from dsa.data.corpora.texts import refuse_long, refuse_unreadable
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.sentences import Sentences
from dsa.data.prepared.tokenizer import Tokenizer, tokenize_all
from dsa.errors import InputError
from dsa.explanation import Explanation
from dsa.inference.corpus_inference import build_inference
from dsa.inference.new_words import add_words
from dsa.models.registry import encoder_names
from dsa.tasks.inputs import SINGLE

log = logging.getLogger(__name__)
SHOWN_WORDS = 10


class TrainedModel:
    """A trained model with its tokenizer, vocabulary and labels; see `dsa.load`.

    Attributes:
        run: the `RunFolder`.
        experiment: the resolved `Experiment`.
        task: its `Task`, with the labels in the order of the logits.
        vocabulary: the `Vocabulary`, extended as words are met.
        model: the Keras model, or the `FeatureClassifier`.
    """

    def __init__(self, run, experiment, vocabulary, model, reader, lookup=None):  # noqa: PLR0913
        self.run = run
        self.experiment = experiment
        self.task = experiment.task
        self.tokenizer = Tokenizer(**experiment.tokenizer.model_dump())
        self.vocabulary = vocabulary
        self.model = model
        self.reader = reader
        self.inference = build_inference(experiment, model)
        self.lookup = lookup
        self._larger = None  # the last model of `with_words`, to be used again

    def with_words(self, words):
        """The same model with the vectors of words that it lacks.

        `predict`, `encode` and `explain` call it before they begin; call it yourself
        with all words that will be asked, and the vector file is read once.

        Args:
            words: tokens, in the case of the run's tokenizer.

        Returns: a new `TrainedModel` that knows those of the words that its vector file
            has; this one where there is nothing to add. Words that are still unknown
            are read as the unknown word.
        """
        missing = [w for w in dict.fromkeys(words) if w not in self.vocabulary]
        vectors = self.lookup.find(missing) if self.lookup and missing else {}
        if not vectors:
            return self
        base = self._larger or self
        new = {w: v for w, v in vectors.items() if w not in base.vocabulary}
        if new:
            vocabulary, model = add_words(
                self.experiment, base.vocabulary, base.model, new
            )
            base = TrainedModel(
                self.run, self.experiment, vocabulary, model, self.reader, self.lookup
            )
        self._larger = base
        return base

    def with_words_of(self, prepared):
        """As `with_words`, for the words of a `PreparedCorpus`. Those of the run's own
        train and dev files were looked up when it was trained."""
        if prepared.fingerprint in self._looked_up_files():
            return self
        return self.with_words(prepared.words)

    def _looked_up_files(self):
        """The fingerprints of the files whose words the run has looked up."""
        if self.experiment.data.shared:  # the file holds rows of other splits too
            return ()
        sha256 = self.run.environment()["sha256"]
        return [sha256[split] for split in ("train", "dev") if split in sha256]

    def predict(self, rows):
        """Labels, or scores, of sentence pairs or of sentences, as the run's task has
        them.

        Args:
            rows: (premise, hypothesis) texts, or texts.

        Returns: a list of `Prediction`, or of `Score` for relatedness.

        Raises: `InputError` for a text without any token, and for pairs where the task
            has single sentences, or the other way round.
        """
        examples = []
        for number, row in enumerate(rows, start=1):
            texts = (row,) if isinstance(row, str) else tuple(map(str, row))
            self.refuse_other_inputs(texts)
            for name, text in zip(self.task.inputs, texts, strict=True):
                self._refuse_empty(text, f"{name} of row {number}")
            examples.append(Example(texts, None, str(number), None, None, number))
        return self.predict_examples(examples) if examples else []

    def refuse_pair_model(self):
        """Stop where sentence vectors are asked of a model that has none.

        Raises: `InputError`.
        """
        if not self.experiment.family.encodes:
            raise InputError(
                f"{self.run.path}: '{self.experiment.model.name}' reads pairs, and has "
                "no vector of a sentence. Models that encode: "
                f"{', '.join(encoder_names())}"
            )

    def refuse_other_inputs(self, texts):
        """Stop at a sentence for a run on pairs, and the other way round.

        Raises: `InputError`.
        """
        if len(texts) != len(self.task.inputs):
            kind = (
                "single sentences" if self.task.inputs == SINGLE else "sentence pairs"
            )
            raise InputError(
                f"{self.run.path}: a run of task '{self.task.name}' reads {kind} and "
                f"answers with {self.task.answers}. Received: {len(texts)} "
                f"text{'s' * (len(texts) != 1)}"
            )

    def predict_examples(self, examples, source="input"):
        """As `predict`, for a list of `Example`; a text without token is unknown."""
        tokenizer = self.tokenizer
        if any(example.parses is None for example in examples):
            examples = [example._replace(parses=None) for example in examples]
            tokenizer = _RawText(tokenizer)
        for example in examples:
            self.refuse_other_inputs(example.texts)
        prepared = from_examples(examples, tokenizer, self.task, source)
        model = self.with_words(prepared.words)
        model._log_unknown(prepared.words)
        logits = model.inference.logits(self.reader.read(prepared, model.vocabulary))
        return [self.task.answer(row) for row in logits]

    def encode(self, texts):
        """Sentence vectors, float32 `(len(texts), S)`; equal texts are encoded once.

        Raises: `InputError` for a text without any token, and for a joint model.
        """
        self.refuse_pair_model()
        for number, text in enumerate(texts, start=1):
            self._refuse_empty(text, f"text {number}")
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        words, sentences = tokenize_all(self.tokenizer, list(rows))
        refuse_long(sentences.lengths.max(initial=0), "a text")
        model = self.with_words(words)
        model._log_unknown(words)
        ids = Sentences(model.vocabulary.ids(words)[sentences.ids], sentences.offsets)
        vectors = model.inference.vectors(ids)
        return vectors[[rows[text] for text in texts]]

    def explain(self, *texts):
        """What the model looked at in one pair, or one sentence, and what it answered.

        Returns: an `Explanation`: a dictionary of `TokenMap`s, such as
            `premise.attention_forward` with `values` `(H, P, P)`; its `tokens`,
            `answer` and `logits`.

        Raises: `InputError` as `predict`.

        Example:
            >>> look = model.explain("A man sleeps.", "A man is awake.")
            >>> look["premise.gate_forward"].tokens
            ('a', 'man', 'sleeps', '.')
            >>> look["premise.gate_forward"].by_token().shape
            (4,)
        """
        self.refuse_other_inputs(texts)
        for number, text in enumerate(texts, start=1):
            self._refuse_empty(text, f"text {number}")
        example = Example(tuple(texts), None, None, None, None, 1)
        prepared = from_examples([example], _RawText(self.tokenizer), self.task, "text")
        model = self.with_words(prepared.words)
        rows = self.reader.read(prepared, model.vocabulary)
        logits, maps = model.model.explain(rows.pad(np.array([0]), rows.lengths[0]))
        logits = _first_row(logits)
        return Explanation.build(
            _without_batch_axis(maps),
            self.reader.name_tokens(prepared),
            self.task.answer(logits),
            logits,
        )

    def explain_sentence(self, text):
        """What the encoder looked at in one sentence; the run may be one on pairs.

        Returns: an `Explanation` without an answer, of a sentence called `sentence`;
            its maps are named `attention_forward` and so on.

        Raises: `InputError` as `encode`.

        Example:
            >>> look = model.explain_sentence("A man sleeps.")
            >>> look.tokens["sentence"]
            ('a', 'man', 'sleeps', '.')
        """
        (tokens,), *_ = self._tokenized([text])
        return self.explain_tokens(tokens)

    def explain_tokens(self, tokens):
        """As `explain_sentence`, of a sentence that is a list of tokens already."""
        self.refuse_pair_model()
        sentences, model = self._ids([tokens])
        ids, maps = sentences.pad(np.array([0])), []
        model.model.encode(ids, training=False, maps=maps)
        (name,) = SINGLE
        return Explanation.build(_without_batch_axis(maps), {name: tokens})

    def _tokenized(self, texts):
        """Tokens of raw texts, the same as `Sentences` of ids, and the `TrainedModel`
        that knows their words."""
        for number, text in enumerate(texts, start=1):
            self._refuse_empty(text, f"text {number}")
        tokens = [self.tokenizer(text) for text in texts]
        for number, words in enumerate(tokens, start=1):
            refuse_long(len(words), f"text {number}")
        return tokens, *self._ids(tokens)

    def _ids(self, tokens):
        """`Sentences` of ids, and the `TrainedModel` that they are ids of."""
        model = self.with_words(word for words in tokens for word in words)
        lists = [model.vocabulary.ids(words).tolist() for words in tokens]
        return Sentences.from_lists(lists), model

    def _refuse_empty(self, text, name):
        if not text.split():
            raise InputError(f"the {name} is empty")
        refuse_unreadable(text, f"the {name}")

    def _log_unknown(self, words):
        unknown = [word for word in words if word not in self.vocabulary]
        if unknown:
            more = len(unknown) - SHOWN_WORDS
            log.warning(
                "unknown to this run, all read as one word: %s%s",
                ", ".join(unknown[:SHOWN_WORDS]),
                f" and {more} more" if more > 0 else "",
            )


def _without_batch_axis(maps):
    """`TokenMap`s of the only row of a batch, with NumPy arrays."""
    return [dataclasses.replace(one, values=_first_row(one.values)) for one in maps]


def _first_row(tensor):
    from keras import ops

    return ops.convert_to_numpy(tensor)[0]


class _RawText:
    """A tokenizer over texts that come without parses."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, text, parse=None):
        return self.tokenizer(text)

    def pair_with_parses(self, example, path):
        return ((text, None) for text in example.texts)
