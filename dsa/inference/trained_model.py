"""A trained run in use: texts in, labels, vectors and attention out."""

import logging
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dsa.data.corpora.example import Example, check_length, check_text
from dsa.data.prepared.corpus import PreparedCorpus, from_examples
from dsa.data.prepared.sentences import Sentences
from dsa.data.prepared.tokenizer import Tokenizer, tokenize_all
from dsa.data.rows.row_reader import RowReader
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.explanation import Explanation, describe_unknown
from dsa.inference.new_words import add_words
from dsa.inference.python_inputs import (
    RawTextTokenizer,
    Rows,
    Texts,
    check_batch_size,
    check_row_size,
    read_rows,
    read_texts,
)
from dsa.inference.sentence_vectors import check_encodes, cosines, normalize_rows
from dsa.runs.run_folder import RunFolder

log = logging.getLogger(__name__)


class TrainedModel:
    """A trained model with its tokenizer, vocabulary and labels; see `dsa.load`.

    Attributes:
        run: the `RunFolder`.
        experiment: the resolved `Experiment`.
        task: its `Task`, with the labels in the order of the logits.
        vocabulary: the `Vocabulary`, extended as words are met.
        model: the Keras model, or the `FeatureClassifier`.
        inference: what computes logits and vectors: the model, or its ONNX form.
    """

    def __init__(  # noqa: PLR0913 (all parts of a run)
        self,
        run: RunFolder,
        experiment: Experiment,
        vocabulary: Vocabulary,
        model: Any,
        reader: RowReader,
        lookup: Any = None,
        inference: Any = None,
    ) -> None:
        self.run = run
        self.experiment = experiment
        self.task = experiment.task
        self.tokenizer = Tokenizer(**experiment.tokenizer.model_dump())
        self.vocabulary = vocabulary
        self._network = model
        self.reader = reader
        self.inference = inference or _build_inference(experiment, model)
        self.lookup = lookup
        self._larger = None  # the last model of `with_words`, to be used again

    @property
    def model(self) -> Any:
        if self._network is None:  # its ONNX form has answered until now
            self._network = self.inference.network
        return self._network

    def __repr__(self) -> str:
        return (
            f"<TrainedModel '{self.experiment.model.name}' of {self.run.path}: task "
            f"'{self.task.name}', {len(self.vocabulary.words):,} words>"
        )

    def with_words(self, words: Iterable[str]) -> "TrainedModel":
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
            parts = add_words(self.experiment, base.vocabulary, base.model, new)
            base = TrainedModel(
                self.run, self.experiment, *parts, self.reader, self.lookup
            )
        self._larger = base
        return base

    def with_words_of(self, prepared: PreparedCorpus) -> "TrainedModel":
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

    def predict(self, rows: Rows, batch_size: int | None = None) -> list[Any]:
        """Labels, or scores, of sentence pairs or of sentences, as the run's task has
        them.

        Args:
            rows: an iterable, such as a list or a generator, of (premise, hypothesis)
                texts, of texts, or of dictionaries with `premise` and `hypothesis`, or
                `sentence`; one of them is one row. Or a table, such as a pandas
                `DataFrame`, with columns of these names.
            batch_size: rows, or sentences, that are computed at once; `None` for a
                number that suits the model.

        Returns: a list of `Prediction`, or of `Score` for relatedness.

        Raises: `InputError` for a text without any token, for pairs where the task has
            single sentences, or the other way round, and for what is no text.
        """
        examples = []
        for number, texts in enumerate(read_rows(rows, self.task.inputs), start=1):
            self.check_inputs(texts)
            for name, text in zip(self.task.inputs, texts, strict=True):
                self._check_not_empty(text, f"{name} of row {number}")
            examples.append(Example(texts, None, str(number), None, None, number))
        return self.predict_examples(examples, batch_size=batch_size)

    def check_encodes(self) -> None:
        """Raises `InputError` for a model that has no vectors of sentences."""
        check_encodes(self.run.path, self.experiment)

    def check_inputs(self, texts: Sequence[str]) -> None:
        """Raises `InputError` unless there are as many texts as the task has inputs."""
        check_row_size(self.run.path, self.task, texts)

    def predict_examples(
        self,
        examples: Sequence[Example],
        source: Any = "input",
        batch_size: int | None = None,
    ) -> list[Any]:
        """As `predict`, for a list of `Example`; a text without token is unknown."""
        check_batch_size(batch_size)
        if not examples:
            return []
        tokenizer = self.tokenizer
        if any(example.parses is None for example in examples):
            examples = [example._replace(parses=None) for example in examples]
            tokenizer = RawTextTokenizer(tokenizer)
        for example in examples:
            self.check_inputs(example.texts)
        prepared = from_examples(examples, tokenizer, self.task, source)
        prepared = self.experiment.view.apply(prepared)
        model = self.with_words(prepared.words)
        model.log_unknown(prepared.words)
        rows = self.reader.read(prepared, model.vocabulary)
        return list(map(self.task.answer, model.inference.logits(rows, batch_size)))

    def encode(
        self, texts: Texts, normalize: bool = False, batch_size: int | None = None
    ) -> np.ndarray:
        """Sentence vectors; equal texts are encoded once.

        Args:
            texts: an iterable of texts, one text, or a table with a column `sentence`.
            normalize: whether vectors are divided by their length.
            batch_size: sentences that are encoded at once; `None` for a number that
                suits the model.

        Returns: float32 `(texts, S)`; `(S,)` for one text.

        Raises: `InputError` for a text without any token, for what is no text, and for
            a pair model.
        """
        self.check_encodes()
        check_batch_size(batch_size)
        given = read_texts(texts)
        for number, text in enumerate(given, start=1):
            self._check_not_empty(text, f"text {number}")
        rows = {text: row for row, text in enumerate(dict.fromkeys(given))}
        words, sentences = tokenize_all(self.tokenizer, list(rows))
        sentences = self.experiment.view.reorder(words, sentences)
        check_length(sentences.lengths.max(initial=0), "a text")
        model = self.with_words(words)
        model.log_unknown(words)
        ids = Sentences(model.vocabulary.ids(words)[sentences.ids], sentences.offsets)
        distinct = model.inference.vectors(ids, batch_size)
        if len(rows) == len(given):
            vectors = distinct
        else:
            vectors = distinct[np.array([rows[text] for text in given], int)]
        vectors = normalize_rows(vectors) if normalize else vectors
        return vectors[0] if isinstance(texts, str) else vectors

    def similarity(
        self, first: Texts | np.ndarray, second: Texts | np.ndarray
    ) -> np.ndarray | float:
        """The cosine of the vectors of sentences.

        Args:
            first, second: texts, as of `encode`, or vectors that it gave.

        Returns: float32, a row for each of the first ones and a column for each of the
            second ones; one number for two texts.

        Raises: `InputError` as `encode`.

        Example:
            >>> model.similarity("A dog runs.", ["A dog moves.", "A man eats."]).shape
            (2,)
        """
        vectors = [
            given if isinstance(given, np.ndarray) else self.encode(given)
            for given in (first, second)
        ]
        return cosines(*vectors)

    def explain(self, *texts: str) -> Explanation:
        """What the model looked at in one pair, or one sentence, and what it answered.

        Returns: an `Explanation`: a dictionary of `TokenMap`s, such as
            `premise.attention_forward` with `values` `(H, P, P)`; its `tokens`,
            `answer`, `logits` and `unknown` words.

        Raises: `InputError` as `predict`.

        Example:
            >>> look = model.explain("A man sleeps.", "A man is awake.")
            >>> look["premise.gate_forward"].tokens
            ('a', 'man', 'sleeps', '.')
            >>> look["premise.gate_forward"].by_token().shape
            (4,)
        """
        self.check_inputs(texts)
        for number, text in enumerate(read_texts(texts), start=1):
            self._check_not_empty(text, f"text {number}")
        from dsa.inference.explaining import explain_texts

        return explain_texts(self, texts)

    def explain_sentence(self, text: str) -> Explanation:
        """What the encoder looked at in one sentence; the run may be one on pairs.

        Returns: an `Explanation` without an answer, of a sentence called `sentence`;
            its maps are named `attention_forward` and so on.

        Raises: `InputError` as `encode`.

        Example:
            >>> look = model.explain_sentence("A man sleeps.")
            >>> look.tokens["sentence"]
            ('a', 'man', 'sleeps', '.')
        """
        (text,) = read_texts([text])
        self._check_not_empty(text, "text")
        tokens: Any = self.tokenizer(text)
        check_length(len(tokens), "the text")
        return self.explain_tokens(tokens)

    def explain_tokens(self, tokens: Sequence[str]) -> Explanation:
        """As `explain_sentence`, of a sentence that is a list of tokens already."""
        self.check_encodes()
        from dsa.inference.explaining import explain_tokens

        return explain_tokens(self, tokens)

    def _check_not_empty(self, text, name):
        if not text.split():
            raise InputError(f"the {name} is empty")
        check_text(text, f"the {name}")

    def log_unknown(self, words: Iterable[str]) -> None:
        """Log which of some words this model does not know."""
        unknown = self.vocabulary.list_unknown(words)
        if unknown:
            log.warning("%s", describe_unknown(unknown))


def _build_inference(experiment, model):
    from dsa.inference.corpus_inference import build_inference

    return build_inference(experiment, model, quick_start=True)
