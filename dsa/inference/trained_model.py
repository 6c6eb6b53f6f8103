"""Trained model of a run: predictions, sentence vectors and attention maps."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dsa.data.corpora.example import Example, check_length
from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.data.rows.row_reader import RowReader
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.config import Experiment
from dsa.explanation import Explanation
from dsa.inference.encoding import compute_similarity, encode_texts
from dsa.inference.new_words import (
    add_words,
    find_new_vectors,
    list_training_checksums,
    log_unknown_words,
)
from dsa.inference.predicting import (
    make_probability_array,
    predict_examples,
    predict_rows,
)
from dsa.inference.preparation import (
    check_nonempty_text,
    prepare_examples,
    read_single_row,
)
from dsa.inference.python_inputs import (
    Row,
    Rows,
    Texts,
    check_row_size,
    is_table,
    make_table,
    read_texts,
)
from dsa.inference.sentence_vectors import check_has_encoder
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
log = logging.getLogger(__name__)


class TrainedModel:
    """A trained model with its tokenizer, vocabulary and labels; see `dsa.load`.

    Its methods do not change the vocabulary or the weights: `with_words` returns a new
    model.

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
        self.lookup = lookup
        if inference is None:
            from dsa.inference.corpus_inference import build_inference  # imports Keras

            inference = build_inference(experiment.family, model, quick_start=True)
        self.inference = inference

    @property
    def model(self) -> Any:
        if self._network is None:  # only the ONNX files have been loaded so far
            self._network = self.inference.network
        return self._network

    @property
    def columns(self) -> dict[str, str] | None:
        """The columns in the run's config, `{input: column}`.

        `None` for a corpus with fixed columns.
        """
        columns = self.experiment.data.columns
        return None if columns is None else columns.names

    def __repr__(self) -> str:
        description = f"{self.task.name}, {self.task.answers}"
        if self.dev_score is not None:
            description += f", dev {self.experiment.dev_metric} {self.dev_score:.4f}"
        name = self.run.known_as or self.run.path
        return f"<TrainedModel '{self.experiment.model.name}' of {name}: {description}>"

    @property
    def dev_score(self) -> float | None:
        """Metric on dev that selects weights; `None` if dev has not been evaluated."""
        try:
            entries = self.run.current_evaluations()
        except InputError:  # a damaged `metrics.json`
            return None
        for entry in entries:
            if entry["split"] == "dev":
                return entry[self.experiment.dev_metric]
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

        Returns: a new `TrainedModel` whose vocabulary also has those words that are in
            the vector file; this model if no vectors are added. All other words are
            read as the unknown word.
        """
        vectors = find_new_vectors(self.lookup, self.vocabulary, words)
        if not vectors:
            return self
        vocabulary, model = add_words(
            self.experiment, self.vocabulary, self.model, vectors
        )
        return TrainedModel(
            self.run, self.experiment, vocabulary, model, self.reader, self.lookup
        )

    def with_words_of(self, prepared: PreparedCorpus) -> "TrainedModel":
        """Returns a model with vectors for the words of a corpus; see `with_words`.

        Words of the train and dev files of the run were already looked up in training,
        if the vector file is that of the config.
        """
        checksums = list_training_checksums(self.run, self.experiment.data)
        was_looked_up = prepared.fingerprint in checksums  # in training
        if was_looked_up and self._has_training_vectors:
            return self
        if self.lookup is None and not was_looked_up:
            self._warn_about_missing_vectors(prepared.words)
        return self.with_words(prepared.words)

    def _warn_about_missing_vectors(self, words):
        """Logs a warning if the vector file of the config is missing and words of a
        corpus are unknown."""
        embedding = self.experiment.embedding
        has_file = self.experiment.family.has_word_vectors and embedding.can_look_up
        unknown = self.vocabulary.list_unknown(words)
        if has_file and unknown:
            log.warning(
                "%s is missing: %d words are unknown. Metrics can be lower than with "
                "the file",
                embedding.path,
                len(unknown),
            )

    @property
    def _has_training_vectors(self):
        """Whether words are looked up in the file that was read in training, compared
        by name."""
        if self.lookup is None or "vectors" not in self.run.environment()["sha256"]:
            return False
        name = Path(str(self.experiment.embedding.path)).name
        return self.lookup.reader.path.name in (name, f"{name}.gz")

    def prepare(
        self, examples: Sequence[Example], source: Any = "input"
    ) -> PreparedCorpus:
        """Tokenizes examples with the view of the run; see `prepare_examples`."""
        return prepare_examples(self, examples, source)

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

        Returns: a list of `Prediction`; of `Score` for relatedness, and of `Relevance`
            for ranking. For a table, a table with the same index, a column `label` (or
            `score`), and one column of probabilities per label (or integer score).

        Raises: `InputError` if a text is empty or not a string, or if the number of
            texts per row differs from the inputs of the task.

        Example:
            >>> [prediction] = model.predict("A man sleeps.", "A man is awake.")
            >>> list(prediction.probabilities)
            ['entailment', 'neutral', 'contradiction']
        """
        predictions = predict_rows(self, rows, others, batch_size, columns)
        if is_table(rows):
            return make_table(rows, predictions, self.task)
        return predictions

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
        predictions = predict_rows(self, rows, others, batch_size, columns)
        return make_probability_array(predictions, labels)

    def check_encodes(self) -> None:
        """Raises `InputError` if the model has no sentence vectors."""
        check_has_encoder(self.run.path, self.experiment.model.name)

    def check_inputs(self, texts: Sequence[str]) -> None:
        """Raises `InputError` if the number of texts differs from the task's inputs."""
        check_row_size(self.run.path, self.task, texts)

    def predict_examples(
        self,
        examples: Sequence[Example],
        source: Any = "input",
        batch_size: int | None = None,
    ) -> list[Any]:
        """Predicts the labels or scores of examples; see `predict_examples`."""
        return predict_examples(self, examples, source, batch_size)

    def encode(
        self, texts: Texts, *, normalize: bool = False, batch_size: int | None = None
    ) -> np.ndarray:
        """Returns sentence vectors. Equal texts are encoded once.

        Args:
            texts: an iterable of texts, one text, or a table with a column `sentence`
                or the sentence column in the run's config.
            normalize: whether to L2-normalize the vectors.
            batch_size: number of sentences per batch; `None` for the default of the
                model.

        Returns: float32 `(texts, S)`; `(S,)` for one text.

        Raises: `InputError` if a text is empty or not a string, or if the model is a
            pair model.

        Example:
            >>> model.encode(["A dog runs.", "A man eats."]).shape
            (2, 48)
        """
        return encode_texts(self, texts, normalize, batch_size)

    def similarity(
        self, first: Texts | np.ndarray, second: Any = None
    ) -> np.ndarray | float:
        """Returns the cosine similarity of sentences.

        Args:
            first, second: texts, see `encode`, or vectors returned by `encode`. A tuple
                of two texts is accepted as the only argument.

        Returns: float32 `(N, M)` for N first and M second sentences. The axis N or M is
            missing if the argument is a single text; two texts return a number.

        Raises: `InputError`, see `encode`.

        Example:
            >>> model.similarity("A dog runs.", ["A dog moves.", "A man eats."]).shape
            (2,)
        """
        return compute_similarity(self, first, second)

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
        texts = read_single_row(self, row, others)
        from dsa.inference.explaining import explain_texts

        return explain_texts(self, texts)

    def explain_sentence(self, text: str) -> Explanation:
        """Returns the attention maps of the encoder for one sentence.

        Args:
            text: the sentence.

        Returns: an `Explanation` without a prediction. The sentence has the name
            `sentence`; the maps have names such as `attention_forward`.

        Raises: `InputError`, see `encode`.

        Example:
            >>> explanation = model.explain_sentence("A man sleeps.")
            >>> explanation.tokens["sentence"]
            ('a', 'man', 'sleeps', '.')
        """
        (text,) = read_texts([text])
        check_nonempty_text(text, "the text")
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

    def log_unknown(self, words: Iterable[str]) -> None:
        """Logs a warning with the unknown words; see `log_unknown_words`."""
        log_unknown_words(self.run.path, self.vocabulary, words)
