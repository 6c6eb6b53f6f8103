"""The settings that the presets of `dsa reproduce` change in a table's configs."""

from collections.abc import Mapping
from typing import Any

from dsa.data.corpora.subsets import SUBSETS
from dsa.errors import InputError

SMALL_VECTORS = {  # of lower-case words only
    "tokenizer.lowercase": True,
    "embedding.path": SUBSETS["glove_50d"].file,
    "embedding.units": 50,
    "embedding.projection": 300,
}
SMALL = {  # lengths of training for everyone; partial files have no parses
    **SMALL_VECTORS,
    "tokenizer.name": "treebank",
    "training.steps": None,
    "training.evaluate_every": None,
    "training.evaluate_from": 0,
}
SMALL_MULTINLI = {  # the partial train, and the 40,000 pairs of SNLI with it
    **SMALL,
    "data.mix.path": SUBSETS["snli_40k"].file,
    "data.mix.share": 1.0,
    "training.epochs": 4,
}
FOLD = {**SMALL_VECTORS, "training.steps": 500, "training.evaluate_every": 50}
SHORT = {**SMALL_VECTORS, "training.steps": 3000, "training.evaluate_every": 100}
SMALL_QUORA = {  # two files of 10,000 pairs: train, and dev and test
    **SMALL_VECTORS,
    "data.train": "quora/dev.tsv",
    "data.dev": None,
    "data.dev_share": 0.5,
    "data.dev_from": "test",
    "training.epochs": 10,
}
SMALL_PAIRS = {  # for networks that take vectors of any size
    **SMALL_VECTORS,
    "embedding.projection": None,
    "training.batch_size": 32,
}
Settings = dict[str, Any]
FULL = "full"  # the published settings: nothing is changed, on any corpus
PRESETS = {  # the settings that are changed, by corpus
    FULL: {},
    "small": {
        "sst": {**SHORT, "data.options": {}},  # whole sentences only
        "sick": SHORT,
        "stsb": SHORT,
        "trec": SHORT,
        "cr": FOLD,
        "mpqa": FOLD,
        "subj": FOLD,
        "quora": SMALL_QUORA,
        "wikiqa": SMALL_PAIRS,
        "msrp": SMALL_PAIRS,
        "sick_entailment": {  # the cosine that tells antonyms is another one
            **SMALL_PAIRS,
            "features.antonym_cosine": 0.7,
            "features.antonym_stop_words": False,
        },
    },
    "partial": {
        "snli": {
            **SMALL,
            "data.train": SUBSETS["snli_118k"].file,
            "training.epochs": 5,
        },
        "multinli": SMALL_MULTINLI,
    },
    "subset40k": {
        "snli": {
            **SMALL,
            "data.train": SUBSETS["snli_40k"].file,
            "training.epochs": 4,
        },
        "multinli": SMALL_MULTINLI,
    },
}


def preset_overrides(
    preset: str, corpus: str, own: Mapping[str, Settings] | None = None
) -> Settings:
    """Returns the settings that a preset changes in the configs of a corpus.

    Args:
        preset: its name.
        corpus: of the configs.
        own: the presets of a table that replace those of its corpus.

    Raises: `InputError` for a preset that has none for it.
    """
    if own and preset in own:
        return own[preset]
    if preset == FULL:
        return {}
    corpora = PRESETS.get(preset, {})
    if corpus not in corpora:
        known = f" It is for: {', '.join(corpora)}" if corpora else ""
        raise InputError(f"the preset '{preset}' is not for tables on {corpus}.{known}")
    return corpora[corpus]
