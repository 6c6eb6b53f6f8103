"""Groups of pair features and their settings."""

import dataclasses
import difflib
from collections.abc import Callable
from pkgutil import resolve_name

from dsa.errors import InputError

MODULES = "dsa.data.pair_features"


@dataclasses.dataclass(frozen=True)
class Group:
    """A group of features that one function computes.

    Args:
        columns: names of the features.
        function: "module:function", which maps a `Pair` and the `Knowledge` to a list
            of numbers. The module is imported only if a run uses the group.
        statistic: required attribute of `FeatureStatistics`; "" for no statistic.
        without_wordnet: effect of a missing WordNet, for the log; "" for no effect.
        slow: whether to compute the features of many pairs in parallel.
    """

    columns: tuple[str, ...]
    function: str
    statistic: str = ""
    without_wordnet: str = ""
    slow: bool = False

    @property
    def compute(self) -> Callable:
        """The function that computes the features."""
        return resolve_name(f"{MODULES}.{self.function}")


GROUPS = {
    "lengths": Group(
        ("length of sentence 1", "length of sentence 2"), "pair:measure_lengths"
    ),
    "word_count": Group(("shared words",), "pair:count_shared_words"),
    "weighted_word_count": Group(
        ("weighted shared words",), "pair:weigh_shared_words", "document_frequency"
    ),
    "mt": Group(
        (
            "BADGER",
            "BLEU-1",
            "BLEU-2",
            "BLEU-3",
            "BLEU-4",
            "NIST-1",
            "NIST-2",
            "NIST-3",
            "NIST-4",
            "NIST-5",
            "MAXSIM",
            "METEOR",
            "chrF",
            "TER",
            "TERp",
        ),
        "translation:compute_translation",
        statistic="ngrams",
        without_wordnet="MAXSIM, METEOR and TERp do not use synonyms",
        slow=True,
    ),
    "rouge": Group(("ROUGE-1", "ROUGE-2", "ROUGE-SU4"), "ngrams:compute_rouge"),
    "negation": Group(("negation",), "pair:contains_negation"),
    "synonyms": Group(
        ("synonym pairs",),
        "relations:count_synonyms",
        without_wordnet="'synonym pairs' is 0",
    ),
    "hypernyms": Group(
        (
            "words of sentence 1 with a hypernym in 2",
            "words of sentence 2 with a hypernym in 1",
        ),
        "relations:count_hypernyms",
        without_wordnet="both features of hypernyms are 0",
    ),
    "antonyms": Group(
        ("antonym pairs",),
        "relations:count_antonyms",
        statistic="antonyms",
        without_wordnet="antonym pairs can be synonyms or hypernyms",
    ),
    "nonoverlap_lengths": Group(
        (
            "length of sentence 1 without overlap",
            "length of sentence 2 without overlap",
        ),
        "pair:measure_nonoverlap_lengths",
    ),
}

IDF_FORMS = ("log", "inverse")


@dataclasses.dataclass(frozen=True)
class FeatureSettings:
    """Settings of the pair features of a run.

    Raises: `InputError` if a name is unknown or repeated, or `idf` is unknown.
    """

    names: tuple[str, ...]  # keys of `GROUPS`, in the order of the features
    idf: str = "log"  # formula of `DocumentFrequency.inverse`
    antonym_cosine: float = 0.4  # minimum cosine of the vectors of antonyms
    antonym_stop_words: bool = True  # whether stop words can be antonyms

    def __post_init__(self):
        for name in self.names:
            if name not in GROUPS:
                similar = difflib.get_close_matches(name, GROUPS, n=1)
                hint = f"Did you mean '{similar[0]}'? " if similar else ""
                raise InputError(
                    f"unknown features '{name}'. {hint}Known: {', '.join(GROUPS)}"
                )
        if len(set(self.names)) < len(self.names):
            raise InputError(f"duplicate features: {', '.join(self.names)}")
        if self.idf not in IDF_FORMS:
            raise InputError(f"unknown idf '{self.idf}'. Known: {', '.join(IDF_FORMS)}")

    @property
    def groups(self) -> list[Group]:
        """The groups `names`, in order."""
        return [GROUPS[name] for name in self.names]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all features, in order."""
        return tuple(name for group in self.groups for name in group.columns)

    @property
    def statistics(self) -> set[str]:
        """The names of the required statistics."""
        return {group.statistic for group in self.groups if group.statistic}

    @property
    def uses_wordnet(self) -> bool:
        """Whether a group of features uses WordNet."""
        return bool(self.without_wordnet)

    @property
    def without_wordnet(self) -> list[str]:
        """The effects of a missing WordNet."""
        effects = [group.without_wordnet for group in self.groups]
        return [effect for effect in effects if effect]
