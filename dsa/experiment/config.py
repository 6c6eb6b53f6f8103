"""Schema of an experiment: its settings with their ranges and defaults."""

from typing import Annotated, Any

import yaml
from pydantic import Field, PlainValidator, SerializeAsAny, model_validator
from pydantic_core import PydanticKnownError

from dsa.config_section import Section, setting
from dsa.data.corpora.catalogue import get_corpus
from dsa.data.prepared.views import View
from dsa.experiment.data_config import DataConfig
from dsa.experiment.input_config import EmbeddingConfig, FeaturesConfig, TokenizerConfig
from dsa.experiment.training_config import TrainingConfig
from dsa.models.family import Family
from dsa.models.model_config import ModelConfig
from dsa.models.registry import FAMILIES, find_family
from dsa.tasks.classification import Classification
from dsa.tasks.task import NONOVERLAP, PAIR, Task


def _validate_model(settings):
    """Validates the section `model` with the config class of its family."""
    if isinstance(settings, ModelConfig):
        return settings
    if not isinstance(settings, dict):
        raise PydanticKnownError("dict_type")
    if "name" not in settings:
        raise PydanticKnownError("union_tag_not_found", {"discriminator": "'name'"})
    name = settings["name"]
    family = find_family(name) if isinstance(name, str) else None
    if family is None:
        known = ", ".join(repr(name) for name in FAMILIES)
        raise PydanticKnownError(
            "union_tag_invalid",
            {"discriminator": "'name'", "tag": str(name), "expected_tags": known},
        )
    return family.config.model_validate(settings)


class Experiment(Section):
    """All settings that determine the result of a run."""

    seed: Annotated[int, Field(ge=0, lt=2**32)] = setting(
        13, "Seed of the initial weights, the order of batches and dropout."
    )
    data: DataConfig
    tokenizer: TokenizerConfig = TokenizerConfig()
    embedding: EmbeddingConfig = EmbeddingConfig(trainable=True)
    features: FeaturesConfig = FeaturesConfig()
    model: Annotated[
        SerializeAsAny[ModelConfig],
        PlainValidator(_validate_model, json_schema_input_type=Any),
    ]
    training: TrainingConfig = TrainingConfig()

    @property
    def task(self) -> Task:
        """Task of the corpus."""
        return self.data.resolved_corpus.task

    @property
    def dev_metric(self) -> str:
        """Metric on dev that selects the weights. Higher values are better."""
        return self.training.metric or self.task.selects

    @property
    def view(self) -> View:
        """View of the rows in training and evaluation."""
        return self.make_view(self.data.view)

    def make_view(self, name: str | None) -> View:
        """Returns a view with the boundaries of the tokenizer.

        Args:
            name: name of the view; `None` for unchanged rows.
        """
        before, after = self.tokenizer.boundaries or (None, None)
        boundaries = (before, after) if before or after else None
        return View(name, boundaries)

    @property
    def family(self) -> Family:
        """Family of the model."""
        return FAMILIES[self.model.name]

    @property
    def copies(self) -> tuple[tuple[str, ...], ...]:
        """Names of the token inputs of each copy of a row.

        The copies are the complete row and, with `features.nonoverlap`, the pair
        without its shared words.
        """
        if self.features.nonoverlap:
            return (self.task.inputs, NONOVERLAP)
        return (self.task.inputs,)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of all token inputs."""
        return tuple(name for copy in self.copies for name in copy)

    @property
    def feature_count(self) -> int:
        """Number of additional features of a row."""
        return self.features.count

    @property
    def resamples_mix(self) -> bool:
        """Whether new pairs of `data.mix` are drawn in each epoch.

        This is `False` for a linear model, which is not trained in epochs.
        """
        mix = self.data.mix
        if mix is None:
            return False
        return mix.draws_each_epoch and self.family.has_epochs

    @model_validator(mode="after")
    def _check_combinations(self):
        self._check_features()
        self._check_train_on_dev()
        self._check_classification_settings()
        self._check_premises_once()
        self._check_network_settings()
        self.model.check_experiment(
            tokenizer=self.tokenizer, embedding=self.embedding, training=self.training
        )
        if not self.family.accepts(self.task):
            raise ValueError(
                f"'model.name: {self.model.name}' requires sentence pairs with labels. "
                f"Received: 'data.corpus: {self.data.corpus}'"
            )
        mix = self.data.mix
        if mix and get_corpus(mix.corpus).task != self.task:
            raise ValueError(
                f"'data.mix.corpus: {mix.corpus}' must have the same task as "
                f"'data.corpus: {self.data.corpus}'"
            )
        return self

    def _check_train_on_dev(self):
        """Raises `ValueError` if a setting conflicts with training on dev."""
        refits = self.training.refit_with_dev
        if not (refits or self.data.train_on_dev):
            return
        key = "training.refit_with_dev" if refits else "data.train_on_dev"
        if not self.family.has_epochs:
            raise ValueError(
                f"'{key}' requires a network: dev chooses the regularization "
                f"strength of '{self.model.name}'"
            )
        if self.data.select_on_test:
            raise ValueError(
                f"'{key}' cannot be combined with 'data.select_on_test': the model "
                "would be trained on test rows"
            )
        if self.training.follows_dev:
            raise ValueError(
                f"'{key}' cannot be combined with 'training.schedule: "
                f"{self.training.schedule.name}', which follows dev: the dev metric "
                "of a model that is trained on dev is uninformative"
            )
        if not refits and self.training.early_stopping is not None:
            raise ValueError(
                "'data.train_on_dev' cannot be combined with "
                "'training.early_stopping', which depends on dev: dev is evaluated "
                "only after the last step"
            )
        if refits and self.data.train_on_dev:
            raise ValueError(
                "'training.refit_with_dev' cannot be combined with "
                "'data.train_on_dev': dev would not choose the number of epochs"
            )
        if refits and self.training.steps is not None:
            raise ValueError(
                "'training.refit_with_dev' trains for the number of epochs chosen by "
                "dev, and cannot be combined with 'training.steps'"
            )

    def _check_classification_settings(self):
        """Raises `ValueError` if a setting requires a classification task, or a class
        weight has an unknown label."""
        weights = self.training.class_weights
        is_classification = isinstance(self.task, Classification)
        for key, value in (
            ("label_smoothing", self.training.label_smoothing),
            ("class_weights", weights),
            ("metric", self.training.metric),
        ):
            if value and (self.task.ranks or not is_classification):
                raise ValueError(
                    f"'training.{key}' requires a classification task. Received: "
                    f"'data.corpus: {self.data.corpus}'"
                )
        if not isinstance(weights, dict):
            return
        unknown_labels = set(weights) - set(self.task.names)
        if unknown_labels:
            raise ValueError(
                f"'training.class_weights': unknown label '{min(unknown_labels)}'. "
                f"Known: {', '.join(self.task.names)}"
            )

    def _check_network_settings(self):
        """Raises `ValueError` if a setting requires a network, if weights of a model
        with several stages are copied or frozen, or if random word vectors are
        frozen."""
        for key in ("start_from", "frozen", "label_smoothing", "use_ema"):
            if getattr(self.training, key) and not self.family.has_epochs:
                raise ValueError(
                    f"'training.{key}' requires a network. Received: "
                    f"'model.name: {self.model.name}', a linear model"
                )
        for key in ("start_from", "frozen"):
            if getattr(self.training, key) and len(self.model.stages()) > 1:
                raise ValueError(
                    f"'training.{key}' cannot be combined with several training stages"
                )
        has_vectors = self.embedding.path or self.training.start_from
        if "embedding" in self.training.frozen and not has_vectors:
            raise ValueError(
                "'training.frozen: embedding' requires 'embedding.path' or "
                "'training.start_from', because frozen random vectors contain no "
                "information"
            )

    def _check_premises_once(self):
        """Raises `ValueError` if `premises_once` is set and the model or task does not
        encode premises."""
        encodes_pairs = self.family.encodes and self.task.inputs == PAIR
        if self.training.premises_once and not encodes_pairs:
            raise ValueError(
                "'training.premises_once' requires an encoder of sentence pairs. "
                f"Received: 'model.name: {self.model.name}', 'data.corpus: "
                f"{self.data.corpus}'"
            )

    def _check_features(self):
        """Raises `ValueError` if the task, model or tokenizer does not support the
        features."""
        classifier = getattr(self.model, "final_classifier", "network")
        uses_scikit_learn = self.family.is_network and classifier != "network"
        if self.features.standardize and not (self.features.names or uses_scikit_learn):
            raise ValueError(
                "'features.standardize' requires 'features.names', or a "
                "'model.final_classifier' other than 'network'"
            )
        if not self.features.are_used:
            return
        if self.tokenizer.boundaries:
            raise ValueError(
                "'tokenizer.boundaries' cannot be combined with 'features': they would "
                "be shared words of every pair"
            )
        if self.task.inputs != PAIR:
            raise ValueError(
                "'features' require sentence pairs. Received: "
                f"'data.corpus: {self.data.corpus}'"
            )
        if not self.family.reads_features:
            raise ValueError(
                f"'features' are not supported by 'model.name: {self.model.name}'"
            )
        if "antonyms" in self.features.names and not self.family.has_word_vectors:
            raise ValueError(
                "'features.names: antonyms' requires a model with word vectors. "
                f"Received: 'model.name: {self.model.name}'"
            )
        if self.features.nonoverlap and not self.family.reads_nonoverlap:
            raise ValueError(
                "'features.nonoverlap' is not supported by 'model.name: "
                f"{self.model.name}'"
            )

    def result_settings(self) -> dict[str, Any]:
        """Returns the settings that determine the result of a run.

        These are all settings except the trackers and the required GPU.
        """
        excluded: Any = {"training": {"track", "require_gpu"}}
        return self.model_dump(mode="json", exclude=excluded)

    def to_yaml(self) -> str:
        """Returns all settings as YAML, including defaults."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)
