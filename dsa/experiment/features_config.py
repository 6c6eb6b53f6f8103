"""The schema of `features`: what a model gets of a pair besides its words."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from dsa.config_section import Number, Section, setting
from dsa.data.pair_features.compute import column_names
from dsa.data.pair_features.groups import GROUPS, FeatureSettings


def _known_names(names):
    FeatureSettings(tuple(names))  # an `InputError` names the known ones
    return names


class FeaturesConfig(Section):
    """`features`: further features of a pair, for models that read them."""

    names: Annotated[list[str], AfterValidator(_known_names)] = setting(
        [], f"Groups of features: {', '.join(GROUPS)}."
    )
    nonoverlap: bool = setting(
        False,
        "Whether the model also reads the pair without the words that both sentences "
        "have.",
    )
    standardize: bool = setting(
        False,
        "Whether the features, and the inputs of the final classifier, are divided by "
        "their deviation in training, after their mean was taken away.",
    )
    idf: Literal["log", "inverse"] = setting(
        "log", "Weight of a word: ln((1 + N) / (1 + df)), or 1 / df."
    )
    antonym_cosine: Annotated[Number, Field(ge=-1, le=1)] = setting(
        0.4, "Antonyms have word vectors with a larger cosine."
    )
    antonym_stop_words: bool = setting(True, "Whether stop words can be antonyms.")

    @property
    def settings(self):
        """The `FeatureSettings`, `None` where no features are named."""
        if not self.names:
            return None
        return FeatureSettings(
            tuple(self.names),
            self.idf,
            self.antonym_cosine,
            self.antonym_stop_words,
        )

    @property
    def count(self):
        """Number of features."""
        return len(column_names(self.settings)) if self.names else 0

    @property
    def asked(self):
        """Whether a model gets anything besides the words."""
        return bool(self.names) or self.nonoverlap
