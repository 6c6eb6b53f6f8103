"""Case studies: attention maps of one or several runs for a sentence or a pair.

`ExplanationsByRun` is `{run name: {sentence name: Explanation}}`, with one
`Explanation` per sentence. If there is only one sentence, its name is "".

Reference: Im & Cho 2017, section 5.5 and appendix.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis import word_plots
from dsa.analysis.map_views import (
    AVERAGE,
    Explanations,
    collect_token_values,
    combine_views,
    compute_word_values,
)
from dsa.analysis.word_panels import draw_word_panels
from dsa.errors import InputError
from dsa.explanation import Explanation

ExplanationsByRun = Mapping[str, Explanations]


def find_source2token_weights(word: str, explanation: Explanation) -> np.ndarray:
    """Returns the source2token weights of the first occurrence of a word.

    Args:
        word: a token, in lower case if the tokenizer of the run lower-cases words.
        explanation: the `Explanation` of one sentence.

    Returns: array `(S,)`, the weight of the word for each of the S features of the
        sentence vector.

    Raises: `InputError` if the sentence does not contain the word, or if the encoder
        has no source2token pooling.

    Reference: Shen et al. 2018, figure 8.
    """
    tokens = _get_tokens(explanation)
    if word not in tokens:
        raise InputError(f"'{word}' is not a token of the sentence: {' '.join(tokens)}")
    if "source2token" not in explanation:
        raise InputError("the encoder of this run has no source2token pooling")
    return explanation["source2token"].values[tokens.index(word)]


def to_json(studies: ExplanationsByRun) -> str:
    """Serializes the values per token of each run and sentence to JSON.

    Token-over-token maps are omitted. For DSA, the values correspond to figures 9 to 11
    of Im & Cho 2017:

    - `gate_<direction>`, figure 9: mean over the features. 1 selects the word, 0 its
      context.
    - `deactivated_<direction>`, figure 10a: fraction of zeros in the hidden layer of
      the feed-forward network.
    - `largest_output_<direction>`, figure 10b: maximum over the features of
      LN(x + FFN(x)).
    - `source2token`, figure 11a: mean of the weights over the features.
    - `max_pooling`, figure 11b: fraction of the features whose maximum is at the word.

    The keys of other maps are their `summary_name`. `unknown` lists the words outside
    the vocabulary.

    Args:
        studies: `{run name: {sentence name: Explanation}}`.
    """
    content: dict[str, dict[str, Any]] = {}
    for run, explanations in studies.items():
        content[run] = {}
        for sentence, explanation in explanations.items():
            content[run][sentence] = _make_record(explanation)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _make_record(explanation):
    """Returns the tokens, the unknown words and the values per token of a sentence."""
    tokens = _get_tokens(explanation)
    record = {"tokens": list(tokens)}
    unknown = [word for word in explanation.unknown if word in tokens]
    if unknown:
        record["unknown"] = unknown
    for token_map in explanation.values():
        if not token_map.is_over_tokens:
            values = compute_word_values(token_map)
            record[token_map.summary_name] = [
                round(float(value), 6) for value in values
            ]
    return record


def to_arrays(studies: ExplanationsByRun) -> dict[str, np.ndarray]:
    """Returns the tokens and the values of all maps as arrays.

    Args:
        studies: see `to_json`.

    Returns: `{key: array}`. A key consists of the number of the run (from 1), the name
        of the sentence and the name of the map, such as `2/premise/gate_forward`. The
        key of the tokens of a single sentence is `1/tokens`.
    """
    arrays = {}
    for number, explanations in enumerate(studies.values(), start=1):
        for sentence, explanation in explanations.items():
            prefix = f"{number}/{sentence}" if sentence else f"{number}"
            arrays[f"{prefix}/tokens"] = np.array(_get_tokens(explanation))
            for name, token_map in explanation.items():
                arrays[f"{prefix}/{name}"] = token_map.values
    return arrays


def draw_case_study(studies: ExplanationsByRun) -> Iterator[tuple[str, Figure]]:
    """Yields `(file name without suffix, figure)` for each figure of each sentence.

    Args:
        studies: see `to_json`.

    Raises: `InputError`, see `check_drawable`.
    """
    check_drawable(studies)
    for sentence in _get_first_run(studies):
        explanations = {run: by_name[sentence] for run, by_name in studies.items()}
        for name, figure in _draw_sentence(explanations):
            yield f"{sentence}_{name}" if sentence else name, figure


def draw_word(word: str, studies: ExplanationsByRun) -> Figure:
    """Draws the source2token weights of a word, with a panel per run and sentence.

    Args:
        word: a token of each sentence.
        studies: see `to_json`.

    Raises: `InputError`, see `find_source2token_weights`.
    """
    weights: dict[str, dict[str, np.ndarray]] = {}
    for run, explanations in studies.items():
        weights[run] = {}
        for sentence, explanation in explanations.items():
            text = " ".join(_get_tokens(explanation))
            panel_title = f"{sentence}: {text} ({run})"
            weights[run][panel_title] = find_source2token_weights(word, explanation)
    return word_plots.draw_feature_weights(weights, f"source2token weights of '{word}'")


def check_drawable(studies: ExplanationsByRun) -> None:
    """Raises `InputError` if a case study cannot be drawn.

    The tokens of a sentence must be equal in all runs, and the sentence must have at
    most `MAX_WORDS` tokens.
    """
    for sentence, first in _get_first_run(studies).items():
        for run, explanations in studies.items():
            if _get_tokens(explanations[sentence]) != _get_tokens(first):
                description = f"sentence '{sentence}'" if sentence else "the sentence"
                raise InputError(
                    f"the tokens of the runs must be equal, but {run} splits "
                    f"{description} into other tokens. Draw one run at a time"
                )
        word_plots.check_readable_length(_get_tokens(first))


def _draw_sentence(explanations: Explanations) -> Iterator[tuple[str, Figure]]:
    """Yields `(figure name, figure)` for a sentence.

    Args:
        explanations: `{run name: Explanation of the sentence}`, with equal tokens.
    """
    for name, view in combine_views(explanations).items():
        figure = word_plots.draw_attention_maps(view, title=view.title)
        yield _make_file_name(name), figure
    values_by_run = {}
    unknown = set()
    for run, explanation in explanations.items():
        values_by_run[run] = collect_token_values(explanation)
        unknown.update(explanation.unknown)
    if any(values_by_run.values()):
        tokens = _get_tokens(next(iter(explanations.values())))
        yield "words", draw_word_panels(tokens, values_by_run, unknown=unknown)


def _make_file_name(view_name):
    """Returns the file name of a view, such as "heads_forward" for "heads, forward"."""
    if view_name.startswith(AVERAGE):
        view_name = "attention" + view_name.removeprefix(AVERAGE)
    return view_name.replace(", ", "_").replace(" ", "_")


def _get_first_run(studies):
    """Returns `{sentence name: Explanation}` of the first run."""
    return next(iter(studies.values()))


def _get_tokens(explanation):
    """Returns the tokens of an `Explanation` with one sentence."""
    (tokens,) = explanation.tokens.values()
    return tokens
