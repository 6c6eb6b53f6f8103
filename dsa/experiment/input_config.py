"""Sections of the model inputs: `tokenizer`, `embedding` and `features`."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from dsa.config_section import (
    MAX_UNITS,
    Count,
    NonNegativeCount,
    Number,
    PositiveNumber,
    Section,
    Units,
    setting,
)
from dsa.data.pair_features.groups import GROUPS, FeatureSettings
from dsa.experiment.data_parts import DataPath

Token = Annotated[str, Field(pattern=r"^\S+$")]


class TokenizerConfig(Section):
    """`tokenizer`: conversion of texts to tokens, see `dsa.data.prepared.tokenizer`."""

    name: Literal["treebank", "binary_parse", "whitespace"] = setting(
        "treebank",
        "Penn Treebank rules, the leaves of the parse in the corpus, or white space.",
    )
    lowercase: bool = setting(True, "Whether to convert tokens to lower case.")
    max_tokens: Annotated[Count, Field(le=MAX_UNITS)] | None = setting(
        None, "Maximum number of tokens of a sentence; longer sentences are truncated."
    )
    boundaries: (
        Annotated[list[Token | None], Field(min_length=2, max_length=2)] | None
    ) = setting(
        None,
        "Tokens before and after each sentence, such as `[_BOS_, _EOS_]`, or `null` "
        "for none; they count towards `max_tokens`.",
    )
    keep_brackets: bool = setting(
        False,
        "Whether to keep the brackets of a parse, such as `-LRB-`, instead of `(`.",
    )
    extra_split: bool = setting(
        False,
        "Whether to split tokens also at dashes, slashes, tildes, quotes and degree "
        "signs, as in the released code of DiSAN; this results in empty tokens.",
    )

    @model_validator(mode="after")
    def _check_max_tokens(self):
        if self.boundaries and self.max_tokens is not None and self.max_tokens < 3:
            raise ValueError(
                "'tokenizer.max_tokens' must be at least 3 with "
                "'tokenizer.boundaries', which count as two tokens. "
                f"Received: {self.max_tokens}"
            )
        return self


class EmbeddingConfig(Section):
    """`embedding`: word vectors from a file, or random vectors without `path`."""

    path: DataPath | None = setting(
        None, "Vector file below the data root; `null` for random vectors."
    )
    units: Units = setting(300, "Number of features of a word vector.")
    trainable: bool = setting(False, "Whether the vectors are trained.")
    projection: Units | None = setting(
        None,
        "Number of features of a trained linear projection of the vectors, without "
        "bias.",
    )
    frequent_words: NonNegativeCount = setting(
        50_000,
        "Number of words at the beginning of the file that are added to the vocabulary "
        "if the vectors are frozen.",
    )
    outside: Literal["unknown", "frozen"] = setting(
        "unknown",
        "Vectors of words outside train, if vectors are trained. `unknown`: one shared "
        "vector. `frozen`: words of dev and the `frequent_words` keep the vectors of "
        "the file, other words are unknown with a vector of zeros.",
    )

    lookup: Literal["case_forms", "exact"] = setting(
        "case_forms",
        "`case_forms` looks up a word in the file, then in lower case, then "
        "capitalized; `exact` only the word itself.",
    )
    random: Literal["uniform", "normal"] = setting(
        "uniform", "Distribution of the vectors of words that are not in the file."
    )
    random_scale: PositiveNumber = setting(
        0.05,
        "Half the width of the uniform distribution, or the standard deviation of the "
        "normal distribution, around 0.",
    )

    @model_validator(mode="after")
    def _check_combinations(self):
        if self.outside == "frozen" and not (self.trainable and self.path):
            raise ValueError(
                "'embedding.outside: frozen' requires 'embedding.trainable: true' and "
                "a vector file, 'embedding.path'"
            )
        if self.path is None and not self.trainable:
            raise ValueError(
                "'embedding.trainable' must be true without 'embedding.path', because "
                "frozen random vectors contain no information"
            )
        return self

    @property
    def can_look_up(self) -> bool:
        """Whether vectors of new words can be read from the file after training."""
        return not self.trainable or self.outside == "frozen"

    @property
    def output_units(self) -> int:
        """Number of features of the word vectors after the projection."""
        return self.projection or self.units


def _check_names(names):
    """Raises `InputError` if a group of features is unknown or repeated."""
    if names:
        FeatureSettings(tuple(names))  # raises `InputError` with the known names
    return names


class FeaturesConfig(Section):
    """`features`: additional features of a pair, for models that support them."""

    names: Annotated[list[str], AfterValidator(_check_names)] = setting(
        [], f"Groups of features: {', '.join(GROUPS)}."
    )
    nonoverlap: bool = setting(
        False,
        "Whether the model also reads the pair without the words shared by both "
        "sentences.",
    )
    standardize: bool = setting(
        False,
        "Whether to standardize the features and the inputs of a final classifier of "
        "scikit-learn by their mean and standard deviation over the training rows.",
    )
    idf: Literal["log", "inverse"] = setting(
        "log",
        "Weight of a word: `log` for ln((1 + N) / (1 + df)), `inverse` for 1 / df.",
    )
    antonym_cosine: Annotated[Number, Field(ge=-1, le=1)] = setting(
        0.4, "Minimum cosine of the word vectors of antonyms."
    )
    antonym_stop_words: bool = setting(True, "Whether stop words can be antonyms.")

    @property
    def settings(self) -> FeatureSettings | None:
        """`FeatureSettings`; `None` if no features are set."""
        if not self.names:
            return None
        return FeatureSettings(
            tuple(self.names), self.idf, self.antonym_cosine, self.antonym_stop_words
        )

    @property
    def count(self) -> int:
        """Number of features of a pair."""
        if self.settings is None:
            return 0
        return len(self.settings.columns)

    @property
    def are_used(self) -> bool:
        """Whether the model has inputs other than the words of the pair."""
        return bool(self.names) or self.nonoverlap
