"""Trained model of a run: predictions, sentence vectors and attention maps."""

import contextlib
import dataclasses
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dsa.data.corpora.example import Example, check_length, check_text
from dsa.data.prepared.corpus import PreparedCorpus, from_examples
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.rows.row_reader import RowReader
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.explanation import Explanation, describe_unknown
from dsa.inference.new_words import add_words
from dsa.inference.python_inputs import (
    RawTextTokenizer,
    Row,
    Rows,
    Texts,
    check_batch_size,
    check_row_size,
    check_switch,
    is_table,
    join_texts,
    make_examples,
    make_table,
    read_rows,
    read_texts,
    split_pair,
)
from dsa.inference.sentence_vectors import check_encodes, cosines, normalize_rows
from dsa.runs.run_folder import RunFolder
from dsa.tasks.classification import Classification

PUBLIC = (  # members listed by `dir`
    "classes_",
    "columns",
    "dev_score",
    "encode",
    "experiment",
    "explain",
    "explain_sentence",
    "model",
    "predict",
    "predict_proba",
    "run",
    "similarity",
    "task",
    "vocabulary",
    "with_words",
)
_LOGGED: dict[str, set[str]] = {}  # {run folder: unknown words already logged}
log = logging.getLogger(__name__)


class TrainedModel:
    """A trained model with its tokenizer, vocabulary and labels; see `dsa.load`.

    The model is immutable: `with_words` returns a new model.

    Attributes:
        run: the `RunFolder`.
        experiment: the resolved `Experiment`.
        task: the `Task`, with the labels in the order of the logits.
        vocabulary: the `Vocabulary`.
        model: the Keras model or the `FeatureClassifier`.
        inference: the `EncoderInference`, `PairInference` or `OnnxInference` that
            computes logits and sentence vectors.
        reader: the `RowReader` of the run.
        lookup: the `VectorLookup` for words outside the vocabulary, or `None`.
    """

    def __init__(  # noqa: PLR0913 (one argument per part of a run)
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
        self.inference = inference or _build_inference(experiment.family, model)
        self.lookup = lookup

    @property
    def model(self) -> Any:
        if self._network is None:  # only the ONNX files have been loaded so far
            self._network = self.inference.network
        return self._network

    @property
    def columns(self) -> dict[str, str] | None:
        """Columns in the run's config, `{input: column}`; `None` for a corpus with
        fixed columns."""
        columns = self.experiment.data.columns
        return None if columns is None else columns.names

    def __repr__(self) -> str:
        description = f"{self.task.name}, {self.task.answers}"
        if self.dev_score is not None:
            description += f", dev {self.task.selects} {self.dev_score:.4f}"
        name = self.run.known_as or self.run.path
        return f"<TrainedModel '{self.experiment.model.name}' of {name}: {description}>"

    @property
    def dev_score(self) -> float | None:
        """The selection metric on dev; `None` if the run has no evaluation on dev."""
        with contextlib.suppress(InputError):  # a damaged `metrics.json`
            for entry in self.run.own_metrics():
                if entry["split"] == "dev":
                    return entry[self.task.selects]
        return None

    def __dir__(self) -> list[str]:
        return [*PUBLIC]

    def with_words(self, words: Iterable[str]) -> "TrainedModel":
        """Returns a model with vectors for words outside the vocabulary.

        `predict`, `encode` and `explain` call this method with the words of their
        texts, and build a new model in each call with unknown words. To build only one
        model for many calls, call this method first with the words of all texts.

        Args:
            words: tokens, in lower case if the tokenizer of the run lower-cases words.

        Returns: a new `TrainedModel` whose vocabulary includes the words of the vector
            file, or this model if the file contains none of the words. All other words
            are read as the unknown word.
        """
        unknown = self.vocabulary.list_unknown(words)
        if not unknown or self.lookup is None:
            return self
        vectors = self.lookup.find(unknown)
        if not vectors:
            return self
        vocabulary, model = add_words(
            self.experiment, self.vocabulary, self.model, vectors
        )
        return TrainedModel(
            self.run, self.experiment, vocabulary, model, self.reader, self.lookup
        )

    def with_words_of(self, prepared: PreparedCorpus) -> "TrainedModel":
        """Returns a model with the words of a `PreparedCorpus`; see `with_words`.

        Words of the train and dev files of the run were already looked up in training.
        """
        if prepared.fingerprint in self._list_training_files():
            return self
        return self.with_words(prepared.words)

    def _list_training_files(self):
        """Returns the SHA-256 of the files whose words were looked up in training."""
        if self.experiment.data.splits_of_divided_file:  # splits are rows of one file
            return []
        sha256 = self.run.environment()["sha256"]
        return [sha256[split] for split in ("train", "dev") if split in sha256]

    def prepare(
        self, examples: Sequence[Example], source: Any = "input"
    ) -> PreparedCorpus:
        """Tokenizes rows or single sentences, and applies the view of the run.

        If a row has no parses, the parses of all rows are ignored.

        Args:
            examples: `Example`s with one text per input of the task, or with a single
                text.
            source: name of the rows in error messages.

        Raises: `InputError` if a text has too many tokens.
        """
        tokenizer: Any = self.tokenizer
        if any(example.parses is None for example in examples):
            tokenizer = RawTextTokenizer(tokenizer)
        prepared = from_examples(examples, tokenizer, self.task, source)
        view = self.experiment.view
        if prepared.sentence_indices.shape[1] == len(self.task.inputs):
            return view.apply(prepared)
        sentences = view.reorder(prepared.words, prepared.sentences)
        return dataclasses.replace(prepared, sentences=sentences)

    def predict(
        self,
        rows: Rows,
        *others: str,
        batch_size: int | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> Any:
        """Predicts the labels or scores of sentence pairs or of sentences.

        Args:
            rows: an iterable of rows, such as a list or a generator; a single row; or a
                table, such as a pandas `DataFrame`. A row is a (premise, hypothesis)
                tuple, a text, or a dictionary with `premise` and `hypothesis`, or
                `sentence`. A table has columns of these names, or the columns in the
                run's config.
            others: the hypothesis, if `rows` is the premise of a single pair.
            batch_size: number of rows or sentences per batch; `None` for the default of
                the model.
            columns: names of the columns of a table, or keys of the dictionaries, such
                as `{"premise": "first", "hypothesis": "second"}`.

        Returns: a list of `Prediction`, or of `Score` for relatedness; for a table, a
            table with the same index, a column `label` (or `score`) and a column with
            the probability of each label.

        Raises: `InputError` if a text is empty, if a value has another type, or if the
            number of texts per row differs from the inputs of the task.
        Example:
            >>> [prediction] = model.predict("A man sleeps.", "A man is awake.")
            >>> list(prediction.probabilities)
            ['entailment', 'neutral', 'contradiction']
        """
        predictions = self._predict_rows(join_texts(rows, others), batch_size, columns)
        if is_table(rows):
            return make_table(rows, predictions, self.task)
        return predictions

    def _predict_rows(self, rows, batch_size, columns):
        """Returns the predictions of rows as a list, also for a table."""
        texts = read_rows(rows, self.task.inputs, self.columns, columns)
        examples = make_examples(texts)
        for example in examples:
            self.check_inputs(example.texts)
            for name, text in zip(self.task.inputs, example.texts, strict=True):
                self._check_text(text, f"{name} of row {example.row}")
        return self.predict_examples(examples, batch_size=batch_size)

    @property
    def classes_(self) -> np.ndarray:
        """Labels in sorted order, which are the columns of `predict_proba`.

        Raises: `InputError` if the task has no labels.
        """
        if not isinstance(self.task, Classification):
            raise InputError(
                f"{self.run.path}: expected a classifier. Received: a model that "
                f"predicts {self.task.answers}"
            )
        return np.array(sorted(self.task.labels))

    def predict_proba(
        self,
        rows: Rows,
        *others: str,
        batch_size: int | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> np.ndarray:
        """Returns the probability of each label, as an array for scikit-learn.

        Args:
            rows, others, batch_size, columns: see `predict`.

        Returns: float64 `(N, labels)`, columns in the order of `classes_`.

        Raises: `InputError`, see `predict` and `classes_`.

        Example:
            >>> probabilities = model.predict_proba([("A man sleeps.", "He is awake.")])
            >>> probabilities.shape, model.classes_.tolist()
            ((1, 3), ['contradiction', 'entailment', 'neutral'])
        """
        labels = self.classes_.tolist()
        predictions = self._predict_rows(join_texts(rows, others), batch_size, columns)
        probabilities = np.empty((len(predictions), len(labels)))
        for row, prediction in enumerate(predictions):
            for column, label in enumerate(labels):
                probabilities[row, column] = prediction.probabilities[label]
        return probabilities

    def check_encodes(self) -> None:
        """Raises `InputError` if the model has no sentence vectors."""
        check_encodes(self.run.path, self.experiment.model.name)

    def check_inputs(self, texts: Sequence[str]) -> None:
        """Raises `InputError` if the number of texts differs from the task's inputs."""
        check_row_size(self.run.path, self.task, texts)

    def predict_examples(
        self,
        examples: Sequence[Example],
        source: Any = "input",
        batch_size: int | None = None,
    ) -> list[Any]:
        """Predicts the labels or scores of `Example`s.

        A text without tokens is read as the unknown word.

        Args:
            examples: the rows.
            source: name of the rows in error messages.
            batch_size: see `predict`.

        Returns, Raises: see `predict`.
        """
        check_batch_size(batch_size)
        if not examples:
            return []
        for example in examples:
            self.check_inputs(example.texts)
        prepared = self.prepare(examples, source)
        model = self.with_words(prepared.words)
        model.log_unknown(prepared.words)
        rows = self.reader.convert(prepared, model.vocabulary)
        return list(map(self.task.answer, model.inference.logits(rows, batch_size)))

    def encode(
        self, texts: Texts, *, normalize: bool = False, batch_size: int | None = None
    ) -> np.ndarray:
        """Returns sentence vectors. Equal texts are encoded once.

        Args:
            texts: an iterable of texts, one text, or a table with a column `sentence`
                or the column of the sentences in the run's config.
            normalize: whether to L2-normalize the vectors.
            batch_size: number of sentences per batch; `None` for the default of the
                model.

        Returns: float32 `(texts, S)`; `(S,)` for one text.

        Raises: `InputError` if a text is empty, if a value has another type, or if the
            model is a pair model.
        Example:
            >>> model.encode(["A dog runs.", "A man eats."]).shape
            (2, 48)
        """
        self.check_encodes()
        check_batch_size(batch_size)
        check_switch(normalize, "normalize")
        examples = make_examples((text,) for text in read_texts(texts, self.columns))
        for example in examples:
            self._check_text(example.texts[0], f"text {example.row}")
        prepared = self.prepare(examples)
        model = self.with_words(prepared.words)
        model.log_unknown(prepared.words)
        sentences = model.vocabulary.sentences(prepared)
        vectors = model.inference.vectors(sentences, batch_size)
        vectors = vectors[prepared.sentence_indices[:, 0]]
        if normalize:
            vectors = normalize_rows(vectors)
        return vectors[0] if isinstance(texts, str) else vectors

    def similarity(
        self, first: Texts | np.ndarray, second: Any = None
    ) -> np.ndarray | float:
        """Returns the cosine similarity of sentences.

        Args:
            first, second: texts, see `encode`, or vectors returned by `encode`. A tuple
                of two texts is accepted as the only argument.

        Returns: float32 `(N, M)` for N first and M second sentences, without the axis
            of a single text; a number for two texts.

        Raises: `InputError`, see `encode`.

        Example:
            >>> model.similarity("A dog runs.", ["A dog moves.", "A man eats."]).shape
            (2,)
        """
        if second is None:
            first, second = split_pair(first)
        if not isinstance(first, np.ndarray):
            first = self.encode(first)
        if not isinstance(second, np.ndarray):
            second = self.encode(second)
        return cosines(first, second)

    def explain(self, row: Row, *others: str) -> Explanation:
        """Returns attention maps and the prediction for one pair or sentence.

        Args:
            row: a pair as a tuple or a dictionary, the premise of a pair, or a single
                sentence.
            others: the hypothesis, if `row` is the premise of a pair.

        Returns: an `Explanation`, a dictionary of `TokenMap`s such as
            `premise.attention_forward` with `values` `(H, P, P)`. Its attributes are
            `tokens`, `answer`, `logits` and `unknown` words.

        Raises: `InputError`, see `predict`.

        Example:
            >>> explanation = model.explain("A man sleeps.", "A man is awake.")
            >>> explanation["premise.gate_forward"].tokens
            ('a', 'man', 'sleeps', '.')
            >>> explanation["premise.gate_forward"].by_token().shape
            (4,)
        """
        rows = read_rows(join_texts(row, others), self.task.inputs, self.columns)
        if len(rows) != 1:
            raise InputError(f"`explain` requires one row. Received: {len(rows)} rows")
        (texts,) = rows
        self.check_inputs(texts)
        for name, text in zip(self.task.inputs, texts, strict=True):
            self._check_text(text, name)
        from dsa.inference.explaining import explain_texts

        return explain_texts(self, texts)

    def explain_sentence(self, text: str) -> Explanation:
        """Returns the attention maps of the encoder for one sentence.

        Returns: an `Explanation` without a prediction. The sentence has the name
            `sentence`; the maps have names such as `attention_forward`.

        Raises: `InputError`, see `encode`.

        Example:
            >>> explanation = model.explain_sentence("A man sleeps.")
            >>> explanation.tokens["sentence"]
            ('a', 'man', 'sleeps', '.')
        """
        (text,) = read_texts([text])
        self._check_text(text, "text")
        tokens: Any = self.tokenizer(text)
        check_length(len(tokens), "the text")
        return self.explain_tokens(tokens)

    def explain_tokens(self, tokens: Sequence[str]) -> Explanation:
        """Returns the attention maps of the encoder for a list of tokens.

        Returns, Raises: see `explain_sentence`.
        """
        self.check_encodes()
        from dsa.inference.explaining import explain_tokens

        return explain_tokens(self, tokens)

    def _check_text(self, text, name):
        """Raises `InputError` if a text is empty or has invalid characters."""
        if not text.split():
            raise InputError(f"the {name} is empty")
        check_text(text, f"the {name}")

    def log_unknown(self, words: Iterable[str]) -> None:
        """Logs a warning with the unknown words. Each word is logged once per process.

        Args:
            words: known and unknown words.
        """
        if not log.isEnabledFor(logging.WARNING):
            return
        logged = _LOGGED.setdefault(str(self.run.path), set())
        unknown = [
            word for word in self.vocabulary.list_unknown(words) if word not in logged
        ]
        if unknown:
            logged.update(unknown)
            log.warning("%s", describe_unknown(unknown))


def _build_inference(family, model):
    from dsa.inference.corpus_inference import build_inference

    return build_inference(family, model, quick_start=True)
