"""The schema of an experiment: every setting, its range and its default."""

from pathlib import Path
from typing import Annotated, Literal, Union

import yaml
from pydantic import AfterValidator, Field, field_validator, model_validator

from dsa.config_section import Count, Number, Section
from dsa.data.corpora.catalogue import CORPORA, corpus_named
from dsa.experiment.training_config import TrainingConfig
from dsa.models.registry import CONFIGS, ENCODERS
from dsa.tasks.classification import Classification
from dsa.tasks.inputs import PAIR


def _below_the_data_root(path):
    if path.startswith("data/"):
        raise ValueError(
            "paths are relative to the data root, so leave out the leading 'data/'"
        )
    if Path(path).is_absolute():
        raise ValueError(
            "paths are relative to the data root (--data-root, DSA_DATA), not absolute"
        )
    return path


def _of_a_known_corpus(name):
    corpus_named(name)
    return name


CorpusName = Annotated[str, AfterValidator(_of_a_known_corpus)]
DataPath = Annotated[str, Field(min_length=1), AfterValidator(_below_the_data_root)]


SPLITS = ("train", "dev", "test")


class MixConfig(Section):
    """`data.mix`: a share of another corpus's training pairs, drawn once by the run's
    seed, that training has as well. Williams et al. 2018 mix 15 % of SNLI's into
    MultiNLI's."""

    corpus: CorpusName = "snli"
    path: DataPath
    share: Annotated[Number, Field(gt=0, le=1)] = 0.15


class FoldsConfig(Section):
    """`data.folds`: cross-validation. The labelled rows of `data.train` are dealt to
    `count` folds, each with the labels' shares; `fold`, from 0, is this run's test."""

    count: Annotated[int, Field(ge=2)] = 10
    fold: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _possible(self):
        if self.fold >= self.count:
            raise ValueError(
                f"'fold' counts from 0, so it must be below 'count'. Received: "
                f"fold={self.fold}, count={self.count}"
            )
        return self


class DataConfig(Section):
    """`data`: the corpus files, relative to the data root. Where `X` is missing,
    `X.gz` is taken. `dev` selects the checkpoint; `test` and the `others`, further
    labelled files by name, are opened by evaluation only.

    `dev_share`: of the rows of `dev_from`, `train` or `test`, drawn by `split_seed` and
    each label's share, is dev where there is no file for it; the rest stays that split.
    `split_seed` deals the `folds` too; other seeds leave the splits as they are.
    `select_on_test`: dev is the test split. Two published practices do so, the best
    epoch of each fold and TREC's test set as dev; their numbers are too good, so it is
    off unless asked for.
    `phrases`: train has the labelled phrases of its trees as well; `oversample`: how
    often it then has every whole sentence and every phrase that is not neutral.
    """

    corpus: CorpusName = "snli"
    train: DataPath
    dev: DataPath | None = None
    test: DataPath | None = None
    others: dict[str, DataPath] = {}
    mix: MixConfig | None = None
    dev_share: Annotated[Number, Field(gt=0, lt=1)] | None = None
    dev_from: Literal["train", "test"] = "train"
    folds: FoldsConfig | None = None
    split_seed: Annotated[int, Field(ge=0, lt=2**32)] = 13
    select_on_test: bool = False
    phrases: bool = False
    oversample: Count = 1

    @model_validator(mode="after")
    def _possible(self):
        if self.folds and (self.dev or self.test):
            raise ValueError("with 'folds', 'dev' and 'test' are rows of 'train'")
        sources = [self.dev, self.dev_share, self.select_on_test or None]
        if sum(source is not None for source in sources) != 1:
            raise ValueError(
                "one of 'dev' (a file), 'dev_share' and 'select_on_test' "
                "is needed to select the checkpoint"
            )
        if self.dev_from == "test" and not (self.dev_share and self.test):
            raise ValueError("'dev_from: test' needs 'dev_share' and 'test'")
        if self.test and self.test in (self.train, self.dev):
            raise ValueError(
                "'test' must be another file than 'train' and 'dev'. To choose the "
                "checkpoint on the test rows: 'select_on_test: true' without 'dev'"
            )
        if self.select_on_test and not (self.folds or self.test):
            raise ValueError("'select_on_test' needs 'test' or 'folds'")
        if (self.phrases or self.oversample > 1) and not (
            corpus_named(self.corpus).read_phrases
        ):
            names = " or ".join(c.name for c in CORPORA.values() if c.read_phrases)
            raise ValueError(f"'phrases' and 'oversample' are for 'corpus: {names}'")
        if self.phrases and (self.folds or self.dev_share):
            raise ValueError(
                "'phrases' does not go with 'folds' or 'dev_share': phrases of one "
                "sentence would come into several splits"
            )
        if self.oversample > 1 and not self.phrases:
            raise ValueError("'oversample' is for 'phrases: true'")
        if self.mix and (self.folds or self.dev_share):
            raise ValueError("'mix' does not go with 'folds' or 'dev_share'")
        return self

    @field_validator("others")
    @classmethod
    def _own_names(cls, others):
        taken = sorted({*SPLITS, "file"} & set(others))
        if taken:
            raise ValueError(f"'{taken[0]}' is the name of another split")
        return others

    def file(self, split):
        """The path of a split, `None` for one that the config does not name."""
        if split == "test" and self.folds:
            return self.train
        if split == "dev" and self.select_on_test:
            return self.file("test")
        if split == "dev" and self.dev_share:
            return self.file(self.dev_from)
        return getattr(self, split) if split in SPLITS else self.others.get(split)

    @property
    def dealt(self):
        """The file whose rows are dealt to several splits, `None` where none is."""
        if self.folds:
            return self.train
        return self.file(self.dev_from) if self.dev_share else None

    @property
    def shared(self):
        """The splits that are rows of the `dealt` file."""
        dealt = self.dealt
        return tuple(split for split in SPLITS if dealt and self.file(split) == dealt)


class TokenizerConfig(Section):
    """`tokenizer`: how a text becomes tokens, see `dsa.data.prepared.tokenizer`."""

    name: Literal["treebank", "binary_parse", "whitespace"] = "treebank"
    lowercase: bool = True


class EmbeddingConfig(Section):
    """`embedding`: word vectors from a file, or random ones without `path`.

    `frequent_words`: how many words of the file's top go into the vocabulary beside
    those of the corpus, if the vectors are frozen.
    `projection`: features of a learned bias-free map behind the vectors.
    `outside`: what words outside train are if the vectors are trained: `unknown`, all
    one vector; or `frozen`: those of dev and of the file's `frequent_words` keep the
    file's vectors, others are 0.
    """

    path: DataPath | None = None
    units: Count = 300
    trainable: bool = False
    projection: Count | None = None
    frequent_words: Annotated[int, Field(ge=0)] = 50_000
    outside: Literal["unknown", "frozen"] = "unknown"

    @model_validator(mode="after")
    def _possible(self):
        if self.outside == "frozen" and not (self.trainable and self.path):
            raise ValueError(
                "'outside: frozen' is for trained vectors ('trainable: true') of a "
                "file ('path')"
            )
        if self.path is None and not self.trainable:
            raise ValueError(
                "'trainable' must be true where no 'path' is given: random vectors "
                "that stay as they are teach nothing"
            )
        return self

    @property
    def can_look_up(self):
        """Whether words that a run lacks can get their vectors from the file."""
        return not self.trainable or self.outside == "frozen"

    @property
    def output_units(self):
        """Features of the vectors that the model gets."""
        return self.projection or self.units


class Experiment(Section):
    """One experiment: everything that decides a run's result."""

    seed: Annotated[int, Field(ge=0, lt=2**32)] = 13
    data: DataConfig
    tokenizer: TokenizerConfig = TokenizerConfig()
    embedding: EmbeddingConfig = EmbeddingConfig(trainable=True)
    model: Annotated[
        Union[CONFIGS],  # noqa: UP007
        Field(discriminator="name"),
    ]
    training: TrainingConfig = TrainingConfig()

    @model_validator(mode="after")
    def _possible(self):
        self.model.check_inputs(self.embedding.output_units)
        task, mix = corpus_named(self.data.corpus).task, self.data.mix
        if self.model.name not in ENCODERS and not (
            task.inputs == PAIR and isinstance(task, Classification)
        ):
            raise ValueError(
                f"'model.name: {self.model.name}' classifies sentence pairs, and "
                f"'data.corpus: {self.data.corpus}' is another task"
            )
        if mix and corpus_named(mix.corpus).task != task:
            raise ValueError(
                f"'data.mix.corpus: {mix.corpus}' has another task than 'data.corpus: "
                f"{self.data.corpus}'"
            )
        return self

    def to_yaml(self):
        """The resolved experiment, every default written out."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)
