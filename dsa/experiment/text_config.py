"""The schema of `tokenizer` and `embedding`: texts to tokens, and words to vectors."""

from typing import Literal

from pydantic import model_validator

from dsa.config_section import Count, NonNegativeCount, Section, Units, setting
from dsa.experiment.data_config import DataPath


class TokenizerConfig(Section):
    """`tokenizer`: how a text becomes tokens, see `dsa.data.prepared.tokenizer`."""

    name: Literal["treebank", "binary_parse", "whitespace"] = setting(
        "treebank",
        "Penn Treebank rules, the leaves of the corpus's own parse, or white space.",
    )
    lowercase: bool = setting(True, "Whether tokens are lower-cased.")
    max_tokens: Count | None = setting(
        None, "Tokens of a sentence that are read; the rest is cut off."
    )


class EmbeddingConfig(Section):
    """`embedding`: word vectors from a file, or random ones without `path`."""

    path: DataPath | None = setting(
        None, "Vector file below the data root; `null` for random vectors."
    )
    units: Units = setting(300, "Features of a word vector.")
    trainable: bool = setting(False, "Whether training changes the vectors.")
    projection: Units | None = setting(
        None, "Features of a learned map after the vectors, without bias."
    )
    frequent_words: NonNegativeCount = setting(
        50_000,
        "Words from the top of the file that the vocabulary has besides those of the "
        "corpus, if the vectors are frozen.",
    )
    outside: Literal["unknown", "frozen"] = setting(
        "unknown",
        "What words outside train are if the vectors are trained: `unknown`, all one "
        "vector; `frozen`, those of dev and of the `frequent_words` keep the file's "
        "vectors, others are 0.",
    )

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
