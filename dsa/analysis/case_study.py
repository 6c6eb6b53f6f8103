"""Case studies: attention maps of one or two runs for a sentence or a pair.

The functions take `{run name: {sentence name: Explanation}}`, with one `Explanation`
per sentence. The name of a single sentence is "".

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
        word: a token, in lower case if the tokenizer of the run lower-cases words.
        explanation: the `Explanation` of one sentence.

    Returns: weights of the features, `(S,)`.

    Raises: `InputError` if the sentence does not contain the word, or if the encoder
        has no source2token pooling.

    Reference: Shen et al. 2018, figure 8.
    """
    tokens = _tokens(explanation)
    if word not in tokens:
        raise InputError(f"'{word}' is not a token of the sentence: {' '.join(tokens)}")
    if "source2token" not in explanation:
        raise InputError("the encoder of this run has no source2token pooling")
    return explanation["source2token"].values[tokens.index(word)]


def to_json(studies: Studies) -> str:
    """Returns the maps with one value per token as JSON.

    Token-over-token maps are omitted. For DSA, the values correspond to figures 9 to 11
    of Im & Cho 2017:

    - `gate_<direction>`: mean over the features; 1 selects the word, 0 its context (9);
    - `deactivated_<direction>`: fraction of zeros in the feed-forward hidden layer
      (10a);
    - `largest_output_<direction>`: maximum over the features of LN(x + FFN(x)) (10b);
    - `source2token`: mean of the weights over the features (11a);
    - `max_pooling`: fraction of the features whose maximum is at the word (11b).

    The keys of other maps are their `summary_name`. `unknown` lists the words outside
    the vocabulary.

    Args:
        studies: `{run name: {sentence name: Explanation}}`.
    """
    content = {
        run: {name: _make_record(sentence) for name, sentence in sentences.items()}
        for run, sentences in studies.items()
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _make_record(explanation):
    """Returns the values by token of one sentence."""
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
    """Returns the tokens and the values of all maps as arrays.

    Args:
        studies: see `to_json`.

    Returns: `{key: array}`. A key consists of the number of the run (from 1), the name
        of the sentence and the name of the map, such as `2/premise/gate_forward`, or
        `1/tokens` for the tokens of a single sentence.
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
    """Yields `(file name without suffix, figure)` for each figure of each sentence.

    Args:
        studies: see `to_json`.

    Raises: `InputError` if a sentence is too long for a figure.
    """
    for sentence in _first_run(studies):
        explanations = {run: sentences[sentence] for run, sentences in studies.items()}
        for name, figure in _draw_sentence(explanations):
            yield f"{sentence}_{name}".lstrip("_"), figure


def draw_word(word: str, studies: Studies) -> Figure:
    """Draws the source2token weights of a word for each sentence and run.

    Args:
        word: a token of each sentence.
        studies: see `to_json`.

    Raises: `InputError` in the cases of `find_source2token_weights`.
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
    """Raises `InputError` for tokens that differ between runs, or too many tokens."""
    for name, first in _first_run(studies).items():
        for run, sentences in studies.items():
            if _tokens(sentences[name]) != _tokens(first):
                raise InputError(
                    f"the tokens of the runs must be equal ({run} differs). Draw one "
                    "run at a time"
                )
        word_plots.check_readable_length(_tokens(first))


def _draw_sentence(explanations: Explanations) -> Iterator[tuple[str, Figure]]:
    """Yields `(name, figure)` for the explanations of one sentence by run."""
    for name, view in combine_views(explanations).items():
        file_name = name
        if name.startswith(AVERAGE):
            file_name = name.replace(AVERAGE, "attention", 1)
        file_name = file_name.replace(", ", "_").replace(" ", "_")
        yield file_name, word_plots.draw_attention_maps(view, title=view.title)
    words = {}
    unknown = []
    for run, explanation in explanations.items():
        words[run] = collect_word_numbers(explanation)
        unknown += explanation.unknown
    if any(words.values()):
        tokens = _tokens(next(iter(explanations.values())))
        yield "words", word_plots.draw_word_panels(tokens, words, unknown=unknown)


def _first_run(studies):
    return next(iter(studies.values()))


def _tokens(explanation):
    """Returns the tokens of an `Explanation` with one sentence."""
    (tokens,) = explanation.tokens.values()
    return tokens
