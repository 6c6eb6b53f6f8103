"""The groups of features that a config can name."""

import dataclasses
from collections.abc import Callable

from dsa.data.pair_features import counts, relations, rouge, translation


@dataclasses.dataclass(frozen=True)
class Group:
    """Features that are computed together.

    Attributes:
        columns: their names.
        compute: function from a `Pair` and its `Knowledge` to a list of numbers.
        statistic: the attribute of `FeatureStatistics` that it needs; "" for none.
        without_wordnet: what happens where there is no WordNet; "" if it needs none.
        slow: whether many pairs are worth several processes.
    """

    columns: tuple[str, ...]
    compute: Callable
    statistic: str = ""
    without_wordnet: str = ""
    slow: bool = False


GROUPS = {
    "lengths": Group(
        ("length of sentence 1", "length of sentence 2"), counts.measure_lengths
    ),
    "word_count": Group(("shared words",), counts.count_shared_words),
    "weighted_word_count": Group(
        ("weighted shared words",),
        counts.weigh_shared_words,
        statistic="document_frequency",
    ),
    "mt": Group(
        (
            "BADGER",
            *(f"BLEU-{n}" for n in range(1, 5)),
            *(f"NIST-{n}" for n in range(1, 6)),
            "MAXSIM",
            "METEOR",
            "chrF",
            "TER",
            "TERp",
        ),
        translation.compute_translation,
        statistic="ngrams",
        without_wordnet="MAXSIM, METEOR and TERp know no synonyms",
        slow=True,
    ),
    "rouge": Group(("ROUGE-1", "ROUGE-2", "ROUGE-SU4"), rouge.compute_rouge),
    "negation": Group(("negation",), counts.find_negation),
    "synonyms": Group(
        ("synonym pairs",),
        relations.count_synonyms,
        without_wordnet="'synonym pairs' is 0",
    ),
    "hypernyms": Group(
        (
            "words of sentence 1 with a hypernym in 2",
            "words of sentence 2 with a hypernym in 1",
        ),
        relations.count_hypernyms,
        without_wordnet="both features of hypernyms are 0",
    ),
    "antonyms": Group(
        ("antonym pairs",),
        relations.count_antonyms,
        statistic="antonyms",
        without_wordnet="antonym pairs can be synonyms or hypernyms",
    ),
    "nonoverlap_lengths": Group(
        (
            "length of sentence 1 without overlap",
            "length of sentence 2 without overlap",
        ),
        counts.measure_nonoverlap_lengths,
    ),
}
