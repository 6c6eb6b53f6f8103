"""Attention maps of one or two runs on a sentence or a pair: numbers and figures.

A case study is `{run name: {sentence name: Explanation of the sentence}}`; a single
sentence has the name "".

Reference: Im & Cho 2017, section 5.5 and appendix.
"""

import json
from collections.abc import Iterator, Mapping

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis import word_plots
from dsa.analysis.map_views import (
    AVERAGE,
    Explanations,
    collect_word_numbers,
    combine_views,
)
from dsa.errors import InputError
from dsa.explanation import Explanation

Studies = Mapping[str, Explanations]


def find_source2token_weights(word: str, explanation: Explanation) -> np.ndarray:
    """Returns the source2token weights of the first occurrence of a word.

    Args:
        word: a token, in the case of the run's tokenizer.
        explanation: the `Explanation` of one sentence.

    Returns: array `(S,)`, a weight for each feature.

    Raises: `InputError` if the sentence does not contain the word, and for an encoder
        without source2token pooling.

    Reference: Shen et al. 2018, figure 8.
    """
    tokens = _tokens(explanation)
    if word not in tokens:
        raise InputError(f"'{word}' is not a token of: {' '.join(tokens)}")
    if "source2token" not in explanation:
        raise InputError("this run's encoder has no source2token pooling")
    return explanation["source2token"].values[tokens.index(word)]


def to_json(studies: Studies) -> str:
    """Returns the numbers per word of several runs as JSON.

    Maps of token over token are left out. DSA has the numbers of the figures of Im &
    Cho 2017:

    - `gate_<direction>`: average over the features, 1 for the word itself and 0 for its
      context (figure 9);
    - `deactivated_<direction>`: share of zeros in the feed-forward hidden layer (10a);
    - `largest_output_<direction>`: the largest feature of LN(x + FFN(x)) (10b);
    - `source2token`: weights averaged over the features (11a);
    - `max_pooling`: share of the features whose maximum is at the word (11b).

    Other `TokenMap`s of a model are listed by their `summary_name`, and words outside
    the vocabulary under `unknown`.

    Args:
        studies: `{run name: {sentence name: Explanation of the sentence}}`.
    """
    content = {
        run: {name: _make_record(sentence) for name, sentence in sentences.items()}
        for run, sentences in studies.items()
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _make_record(explanation):
    tokens = _tokens(explanation)
    record = {"tokens": list(tokens)}
    unknown = [word for word in explanation.unknown if word in tokens]
    if unknown:
        record["unknown"] = unknown
    for token_map in explanation.values():
        if not token_map.is_over_tokens:
            numbers = [round(float(number), 6) for number in token_map.by_token()]
            record[token_map.summary_name] = numbers
    return record


def to_arrays(studies: Studies) -> dict[str, np.ndarray]:
    """Returns all arrays of several runs, by run number, sentence and map.

    Args:
        studies: see `to_json`.

    Example keys: `1/tokens`, `2/premise/gate_forward`.
    """
    arrays = {}
    for number, sentences in enumerate(studies.values(), start=1):
        for sentence, explanation in sentences.items():
            folder = "/".join(filter(None, (str(number), sentence)))
            tokens = _tokens(explanation)
            arrays[f"{folder}/tokens"] = np.array(tokens)
            for name, token_map in explanation.items():
                arrays[f"{folder}/{name}"] = token_map.values
    return arrays


def draw_case_study(studies: Studies) -> Iterator[tuple[str, Figure]]:
    """Yields the figures of every sentence, with their file names without suffix.

    Raises: `InputError` for more tokens than fit into a figure.
    """
    for sentence in _first_run(studies):
        explanations = {run: sentences[sentence] for run, sentences in studies.items()}
        for name, figure in _draw_sentence(explanations):
            yield f"{sentence}_{name}".lstrip("_"), figure


def draw_word(word: str, studies: Studies) -> Figure:
    """Draws the source2token weights of a word in every sentence and run.

    Raises: `InputError`, see `find_source2token_weights`.
    """
    weights = {}
    for run, sentences in studies.items():
        weights[run] = {}
        for number, sentence in sentences.items():
            title = f"{number}: {' '.join(_tokens(sentence))} ({run})"
            weights[run][title] = find_source2token_weights(word, sentence)
    title = f"source2token weights of '{word}'"
    return word_plots.draw_feature_weights(weights, title)


def check_drawable(studies: Studies) -> None:
    """Raises `InputError` if the tokens of the runs differ or are too many to read."""
    for name, first in _first_run(studies).items():
        for run, sentences in studies.items():
            if _tokens(sentences[name]) != _tokens(first):
                raise InputError(
                    f"the runs split the text into different tokens ({run}), so their "
                    "figures cannot be drawn side by side: draw one run at a time"
                )
        word_plots.check_readable_length(_tokens(first))


def _draw_sentence(explanations: Explanations) -> Iterator[tuple[str, Figure]]:
    """Yields the figures of one sentence, explained by several runs, with names."""
    for name, view in combine_views(explanations).items():
        file_name = name
        if name.startswith(AVERAGE):
            file_name = name.replace(AVERAGE, "attention", 1)
        file_name = file_name.replace(", ", "_").replace(" ", "_")
        yield file_name, word_plots.draw_attention_maps(view, title=view.title)
    words = {run: collect_word_numbers(one) for run, one in explanations.items()}
    if any(words.values()):
        tokens = _tokens(next(iter(explanations.values())))
        unknown = tuple(word for one in explanations.values() for word in one.unknown)
        yield "words", word_plots.draw_word_panels(tokens, words, unknown=unknown)


def _first_run(studies):
    return next(iter(studies.values()))


def _tokens(explanation):
    """Returns the tokens of an `Explanation` with one sentence."""
    (tokens,) = explanation.tokens.values()
    return tokens
