"""What one or two runs looked at in a sentence or a pair, by word: numbers and figures
(Im & Cho 2017, section 5.5 and appendix).

A case study is `{run name: {sentence name: Explanation of the sentence}}`; a sentence
that needs no name has the name "".
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis import word_plots
from dsa.analysis.map_views import AVERAGE, View, collect_views, collect_word_numbers
from dsa.errors import InputError
from dsa.explanation import Explanation

Looks = Mapping[str, Explanation]  # by the name of a sentence, or of a run
Studies = Mapping[str, Looks]


def find_source2token_weights(word: str, explanation: Explanation) -> np.ndarray:
    """The source2token weights of a word's first occurrence, `(S,)`, one a feature
    (Shen et al. 2018, figure 8).

    Args:
        word: a token, in the run's case.
        explanation: the `Explanation` of one sentence.

    Raises: `InputError` for a word that is no token of the sentence, and for an encoder
        without source2token pooling.
    """
    tokens = _tokens(explanation)
    if word not in tokens:
        raise InputError(f"'{word}' is none of the tokens {' '.join(tokens)}")
    if "source2token" not in explanation:
        raise InputError("this run's encoder has no source2token pooling")
    return explanation["source2token"].values[tokens.index(word)]


def to_json(studies: Studies) -> str:
    """The numbers by word of several runs, as JSON, without maps of token over token.

    The numbers of DSA are those of the figures of Im & Cho 2017:

    - `gate_<direction>`: average over the features, 1 for the word itself and 0 for its
      context (figure 9);
    - `deactivated_<direction>`: share of zeros in the feed-forward hidden layer (10a);
    - `largest_output_<direction>`: the largest feature of LN(x + FFN(x)) (10b);
    - `source2token`: weights averaged over the features (11a);
    - `max_pooling`: share of the features whose maximum is the word's (11b);

    and those of every other `TokenMap` of the model, under its `summary_name`. Where
    there are words that the run does not know, they are `unknown`.

    Args:
        studies: `{run name: {sentence name: Explanation of the sentence}}`.
    """
    content = {
        run: {name: _to_record(look) for name, look in sentences.items()}
        for run, sentences in studies.items()
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _to_record(explanation):
    tokens = _tokens(explanation)
    record = {"tokens": list(tokens)}
    unknown = [word for word in explanation.unknown if word in tokens]
    if unknown:
        record["unknown"] = unknown
    for one in explanation.values():
        if not one.is_over_tokens:
            numbers = [round(float(number), 6) for number in one.by_token()]
            record[one.summary_name] = numbers
    return record


def to_arrays(studies: Studies) -> dict[str, np.ndarray]:
    """Every array of several runs by name: the run's number, the sentence and the map.

    Args:
        studies: as `to_json`.
    """
    arrays = {}
    for number, sentences in enumerate(studies.values(), start=1):
        for sentence, explanation in sentences.items():
            folder = "/".join(filter(None, (str(number), sentence)))
            tokens = _tokens(explanation)
            arrays[f"{folder}/tokens"] = np.array(tokens)
            for name, one in explanation.items():
                arrays[f"{folder}/{name}"] = one.values
    return arrays


def draw_case_study(studies: Studies) -> Iterator[tuple[str, Figure]]:
    """Yields (file name without ending, figure) for every sentence.

    Raises: `InputError` for more tokens than a figure can hold.
    """
    for sentence in _first_run(studies):
        looks = {run: sentences[sentence] for run, sentences in studies.items()}
        for name, figure in _draw_sentence(looks):
            yield f"{sentence}_{name}".lstrip("_"), figure


def draw_word(word: str, studies: Studies) -> Figure:
    """Draws a word's source2token weights in every sentence and run.

    Raises: `InputError` for a word that a sentence lacks, and for an encoder without
        source2token pooling.
    """
    weights = {
        run: {
            f"{number}: {' '.join(_tokens(look))} ({run})": find_source2token_weights(
                word, look
            )
            for number, look in sentences.items()
        }
        for run, sentences in studies.items()
    }
    title = f"source2token weights of '{word}'"
    return word_plots.draw_feature_weights(weights, title)


def check_drawable(studies: Studies) -> None:
    """Raises an error if runs split a text into different tokens, or it has too many to
    read.

    Raises: `InputError`.
    """
    for sentence, look in _first_run(studies).items():
        for run, sentences in studies.items():
            if _tokens(sentences[sentence]) != _tokens(look):
                raise InputError(
                    f"the runs split the text into different tokens ({run}), so their "
                    "figures cannot be drawn beside each other: draw one at a time"
                )
        word_plots.check_readable_length(_tokens(look))


def _draw_sentence(looks: Looks) -> Iterator[tuple[str, Figure]]:
    """Yields (name, figure) for one sentence; `looks` are `{run name: Explanation}`."""
    for name, view in combine_views(looks).items():
        yield _file_name(name), word_plots.draw_attention_maps(view, title=view.title)
    words = {run: collect_word_numbers(look) for run, look in looks.items()}
    if any(words.values()):
        tokens = _tokens(next(iter(looks.values())))
        unknown = tuple(word for look in looks.values() for word in look.unknown)
        yield "words", word_plots.draw_word_panels(tokens, words, unknown=unknown)


def combine_views(looks: Looks) -> dict[str, View]:
    """Combines the views of a sentence: the maps of all runs are on one `View`, those
    of heads on one for each run.

    Args:
        looks: `{run name: Explanation of the sentence}`.

    Returns: `{name: View}`. With several runs the name of heads, and of windows of
        other widths, ends with a run's number.
    """
    several = len(looks) > 1
    unknown = tuple(word for look in looks.values() for word in look.unknown)
    views = {run: collect_views(look) for run, look in looks.items()}
    numbers = {run: number for number, run in enumerate(looks, start=1)}
    combined = {}
    for name in dict.fromkeys(name for maps in views.values() for name in maps):
        named = {run: maps[name] for run, maps in views.items() if name in maps}
        by_head = next(iter(named.values())).by_head
        groups = [{run: named[run]} for run in named] if by_head else []
        groups = groups or _group_by_tokens(named)
        for alike in groups:
            panels = {
                f"{title}: {run}" if several and not by_head else title: weights
                for run, view in alike.items()
                for title, weights in view.panels.items()
            }
            run, view = next(iter(alike.items()))
            is_numbered = several if by_head else len(groups) > 1
            suffix = f" {numbers[run]}" if is_numbered else ""
            combined[f"{name}{suffix}"] = dataclasses.replace(
                view,
                panels=panels,
                unknown=unknown,
                title=f"{name}: {run}" if by_head else None,
            )
    return combined


def _group_by_tokens(views: dict[str, View]) -> list[dict[str, View]]:
    """`{run name: View}` as a list of such dictionaries, each of views with the same
    tokens: windows of other widths are others, and have a figure of their own."""
    groups = {}
    for run, view in views.items():
        groups.setdefault((view.tokens, view.looked_at), {})[run] = view
    return list(groups.values())


def _file_name(view):
    name = view.replace(AVERAGE, "attention", 1) if view.startswith(AVERAGE) else view
    return name.replace(", ", "_").replace(" ", "_")


def _first_run(studies):
    return next(iter(studies.values()))


def _tokens(explanation):
    """The texts of the only sentence of an `Explanation`."""
    (tokens,) = explanation.tokens.values()
    return tokens
