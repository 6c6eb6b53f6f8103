"""A trained run in use: texts in, labels, vectors and attention out."""

import dataclasses
import logging

import numpy as np

from dsa.data.corpora.catalogue import TASKS
from dsa.data.corpora.example import Example
from dsa.data.corpora.texts import refuse_long, refuse_unreadable
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.sentences import Sentences
from dsa.data.prepared.tokenization import tokenize_all
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.words.embeddings import find_vectors
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.explanation import Explanation
from dsa.inference.corpus_inference import inference_of
from dsa.models.registry import ENCODERS, JOINT, build_model
from dsa.tasks.answers import answer
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

    def __init__(self, run, experiment, vocabulary, model, vectors=None):
        self.run = run
        self.experiment = experiment
        self.task = TASKS[experiment.data.corpus]
        self.tokenizer = Tokenizer(**experiment.tokenizer.model_dump())
        self.vocabulary = vocabulary
        self.model = model
        self.inference = inference_of(model)
        self._vectors = vectors
        self._looked_up = set()
        self._covered = set()
        if not experiment.data.shared:  # else the file holds rows of other splits too
            # the words of train and dev were looked up when the run was trained
            sha256 = run.environment()["sha256"]
            self._covered = {sha256.get(split) for split in ("train", "dev")}

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

    def refuse_joint(self):
        """Stop where sentence vectors are asked of a model that has none.

        Raises: `InputError`.
        """
        name = self.experiment.model.name
        if name not in ENCODERS:
            kind = "a joint model" if name in JOINT else "a linear model"
            raise InputError(
                f"{self.run.path}: '{name}' is {kind}: it reads pairs, and has no "
                f"vector of a sentence. Models that encode: {', '.join(ENCODERS)}"
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
        sentences, _ = self.sentences(prepared)
        self._log_unknown(prepared.words)
        logits = self.inference.logits(sentences, prepared.texts)
        return [answer(self.task, row) for row in logits]

    def encode(self, texts):
        """Sentence vectors, float32 `(len(texts), S)`; equal texts are encoded once.

        Raises: `InputError` for a text without any token, and for a joint model.
        """
        self.refuse_joint()
        for number, text in enumerate(texts, start=1):
            self._refuse_empty(text, f"text {number}")
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        words, sentences = tokenize_all(self.tokenizer, list(rows))
        refuse_long(sentences.lengths.max(initial=0), "a text")
        self._cover(words)  # can replace the model
        self._log_unknown(words)
        ids = Sentences(self.vocabulary.ids(words)[sentences.ids], sentences.offsets)
        vectors = self.inference.vectors(ids)
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
        tokens, sentences = self._tokenized(texts)
        inputs = {
            name: sentences.padded(np.array([number]))
            for number, name in enumerate(self.task.inputs)
        }
        logits, maps = self.model.explain(inputs)
        logits = _first_row(logits)
        return Explanation.build(
            _without_batch_axis(maps),
            dict(zip(self.task.inputs, tokens, strict=True)),
            answer(self.task, logits),
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
        (tokens,), _ = self._tokenized([text])
        return self.explain_tokens(tokens)

    def explain_tokens(self, tokens):
        """As `explain_sentence`, of a sentence that is a list of tokens already."""
        self.refuse_joint()
        ids = self._ids([tokens]).padded(np.array([0]))
        maps = []
        self.model.encode(ids, training=False, maps=maps)
        (name,) = SINGLE
        return Explanation.build(_without_batch_axis(maps), {name: tokens})

    def sentences(self, prepared):
        """The sentences of a `PreparedCorpus` as ids, and its unknown rate.

        Words that the vocabulary lacks are first looked up in the vector file, where
        one is at hand.
        """
        if prepared.fingerprint not in self._covered:
            self._cover(prepared.words)
        return self.vocabulary.sentences(prepared), self.vocabulary.coverage(prepared)

    def _tokenized(self, texts):
        """Tokens of raw texts, and the same as `Sentences` of ids."""
        for number, text in enumerate(texts, start=1):
            self._refuse_empty(text, f"text {number}")
        tokens = [self.tokenizer(text) for text in texts]
        for number, words in enumerate(tokens, start=1):
            refuse_long(len(words), f"text {number}")
        return tokens, self._ids(tokens)

    def _ids(self, tokens):
        """`Sentences` of ids; can replace the model."""
        self._cover(dict.fromkeys(word for words in tokens for word in words))
        lists = [self.vocabulary.ids(words).tolist() for words in tokens]
        return Sentences.from_lists(lists)

    def _refuse_empty(self, text, name):
        if not text.split():
            raise InputError(f"the {name} is empty")
        refuse_unreadable(text, f"the {name}")

    def _cover(self, words):
        """Add the vectors of words that the vocabulary lacks, as far as they exist."""
        missing = [
            word
            for word in words
            if word not in self.vocabulary and word not in self._looked_up
        ]
        if not missing or self._vectors is None:
            return
        units = self.experiment.embedding.units
        log.info("looking up %d new words in %s", len(missing), self._vectors.name)
        found, _ = find_vectors(missing, self._vectors, units)
        self._looked_up.update(missing)
        if found:
            self._extend(found)

    def _log_unknown(self, words):
        unknown = [word for word in words if word not in self.vocabulary]
        if unknown:
            more = len(unknown) - SHOWN_WORDS
            log.warning(
                "unknown to this run, all read as one word: %s%s",
                ", ".join(unknown[:SHOWN_WORDS]),
                f" and {more} more" if more > 0 else "",
            )

    def _extend(self, found):
        """Rebuild the model with more rows in its embedding table."""
        from keras import ops

        vocabulary = Vocabulary([*self.vocabulary.words, *found])
        old, frozen_rows = self.model, self.model.embedding.frozen_rows
        if self.experiment.embedding.trainable:
            frozen_rows += len(found)
        model = build_model(self.experiment, len(vocabulary), frozen_rows)
        for new, value in zip(_rest(model), _rest(old), strict=True):
            new.assign(ops.convert_to_numpy(value))
        vectors = [old.embedding.vectors(), np.stack(list(found.values()))]
        model.embedding.set_vectors(np.concatenate(vectors))
        self.vocabulary, self.model = vocabulary, model
        self.inference = inference_of(model)


def _rest(model):
    """A model's weights without its embedding tables."""
    tables = [model.embedding.table, model.embedding.frozen_table]
    ids = {id(weight) for table in tables if table for weight in table.weights}
    return [weight for weight in model.weights if id(weight) not in ids]


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

    def what_it_reads(self, example, path):
        return ((text, None) for text in example.texts)
