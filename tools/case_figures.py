"""Figures of case studies, drawn from the committed numbers and attention maps."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from dsa.analysis.case_study import draw_case_study
from dsa.analysis.map_views import AVERAGE, combine_views
from dsa.analysis.sheet import draw_sheet
from dsa.analysis.word_plots import draw_attention_maps, draw_feature_weights
from dsa.explanation import Explanation, MapKind, TokenMap
from dsa.system.reading import read_json_object

NAMES = {  # run -> name in figures
    "alpha 1.5": "with distance mask",
    "alpha 0": "without distance mask",
    "disan": "DiSAN",
    "dsa": "DSA",
    "esim": "ESIM",
    "aesim": "aESIM",
    "abcnn2": "ABCNN-2",
    "abcnn3": "ABCNN-3",
}
SINGLE = {  # case -> figures that are drawn separately, instead of a sheet
    "market": ("attention", "words", "heads_forward_1", "heads_backward_1"),
    "longest_of_snli_dev": ("attention",),
}
FORWARD = "market"  # case of the forward maps in the README
WORDS = {"disan_close": "close", "disan_glass": "glass"}
MAPS = ("attention", "alignment", "match")  # suffixes of arrays of words over words
SIDES = {  # sentence -> other sentence of the pair
    "premise": "hypothesis",
    "hypothesis": "premise",
    "question": "answer",
    "answer": "question",
}


def read_cases(folder: Path) -> tuple[dict[str, Any], dict[str, dict[str, np.ndarray]]]:
    """Reads numbers.json and maps.npz of the case studies.

    Returns: the numbers (content of `case_study.json`) and the arrays, by case study.
    """
    record = read_json_object(folder / "numbers.json")
    arrays: dict[str, dict[str, np.ndarray]] = {case: {} for case in record}
    with np.load(folder / "maps.npz") as maps:
        for key, values in maps.items():
            case, _, name = key.partition("/")
            arrays[case][name] = values
    return record, arrays


def build_studies(
    record: dict[str, Any], arrays: dict[str, np.ndarray]
) -> dict[str, dict[str, Explanation]]:
    """Returns a case study as `{run name: {sentence name: Explanation}}`.

    Args:
        record: numbers of the case study, from `read_cases`.
        arrays: arrays of the case study, from `read_cases`.
    """
    studies = {}
    for number, (run, sentences) in enumerate(record.items(), start=1):
        name = NAMES.get(run, run)
        tokens = {
            sentence: numbers["tokens"] for sentence, numbers in sentences.items()
        }
        studies[name] = {
            sentence: _build_explanation(numbers, tokens, sentence, arrays, number)
            for sentence, numbers in sentences.items()
        }
    return studies


def _build_explanation(record, tokens, sentence, arrays, run):
    """Returns the `Explanation` of a sentence.

    Args:
        record: numbers by word of the sentence, by key.
        tokens: tokens of all sentences, by sentence.
        sentence: name of the sentence.
        arrays: arrays of the case study, `RUN/SENTENCE/KEY` or `RUN/KEY`.
        run: number of the run.
    """
    maps = [
        _name_words(key, np.array(numbers))
        for key, numbers in record.items()
        if key not in ("tokens", "unknown")
    ]
    prefix = f"{run}/{sentence}/" if sentence else f"{run}/"
    for key, values in arrays.items():
        name = key.removeprefix(prefix)
        if key.startswith(prefix) and "/" not in name:
            maps += _name_map(name, values, sentence, tokens)
    words = {sentence: tokens[sentence]}
    if sentence in SIDES:
        words[SIDES[sentence]] = tokens[SIDES[sentence]]
    explanation = Explanation.build(maps, words, unknown=record.get("unknown", ()))
    return explanation.of(sentence)


def _split_direction(name):
    """Splits `gate_forward` into quantity and direction, `None` for no direction."""
    quantity, _, direction = name.rpartition("_")
    if direction in ("forward", "backward"):
        return quantity, direction
    return name, None


def _name_words(name, numbers):
    """Returns the `TokenMap` of numbers by word."""
    quantity, direction = _split_direction(name)
    label = quantity.replace("_", " ").replace("deactivated", "deactivated units")
    note = "1: the word, 0: its context" if quantity == "gate" else None
    return TokenMap(quantity, MapKind.TOKEN, numbers, direction, label=label, note=note)


def _name_map(name, values, sentence, tokens):
    """Returns a list with the `TokenMap` of an array of words over words; empty for any
    other array."""
    quantity, direction = _split_direction(name)
    if not quantity.endswith(MAPS):
        return []
    by_head = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
    kind = by_head if values.ndim == len(by_head.axes) else MapKind.TOKEN_OVER_TOKEN
    over = None if direction else SIDES[sentence]
    window = len(values) - len(tokens[sentence]) + 1 if over else 1
    values = values.astype("float32")
    return [TokenMap(quantity, kind, values, direction, over=over, window=window)]


def draw_case(case, studies, arrays):
    """Returns the figures of a case study, (name, figure)."""
    if case in WORDS:
        return [("word", _draw_word(WORDS[case], studies, arrays))]
    if case not in SINGLE:
        return [("sheet", draw_sheet(studies))]
    figures = [
        (name, figure)
        for name, figure in draw_case_study(studies)
        if name in SINGLE[case]
    ]
    if case == FORWARD:
        figures.append(("forward", _draw_forward(studies)))
    return figures


def _draw_forward(studies):
    """Draws the forward attention maps of a sentence, averaged over heads, with a panel
    per run."""
    views = combine_views({run: sentences[""] for run, sentences in studies.items()})
    (view,) = (view for name, view in views.items() if name.startswith(AVERAGE))
    prefix = "forward: "
    panels = {
        name.removeprefix(prefix): weights
        for name, weights in view.panels.items()
        if name.startswith(prefix)
    }
    return draw_attention_maps(dataclasses.replace(view, panels=panels))


def _draw_word(word, studies, arrays):
    """Draws the pooling weights of a word by feature, a row per sentence."""
    ((run, sentences),) = studies.items()
    rows = {}
    for name, explanation in sentences.items():
        label = f"{name}: {' '.join(explanation.tokens[name])}"
        rows[label] = arrays[f"1/{name}/word_features"]
    return draw_feature_weights({run: rows}, f"source2token weights of '{word}'")
