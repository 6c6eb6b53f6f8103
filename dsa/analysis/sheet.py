"""Sheet: one figure with all maps of a sentence or a pair.

For each sentence, the weights of the words are followed by the attention maps.
"""

import dataclasses
import math

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis import word_plots
from dsa.analysis.case_study import Studies, check_drawable
from dsa.analysis.map_views import Explanations, collect_word_numbers, combine_views
from dsa.analysis.style import WIDTH, in_style

BAND_HEIGHT = 0.3  # inches; height of a row of coloured words
BAND_MARGIN = 1.3  # inches; height of the title and the words


@in_style
def draw_sheet(studies: Studies) -> Figure | None:
    """Draws one figure with all sentences and runs. Heads are averaged.

    Args:
        studies: `{run name: {sentence name: Explanation of the sentence}}`.

    Returns: the figure, or `None` for models without maps.

    Raises: `InputError`, see `check_drawable`.

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> near = TokenMap("near", MapKind.TOKEN_OVER_TOKEN, np.eye(2))
        >>> explanation = Explanation.build([near], {"sentence": ["A", "man"]})
        >>> figure = draw_sheet({"dsa": {"": explanation}})
        >>> [part.axes[0].get_title() for part in figure.subfigs]
        ['near']
    """
    check_drawable(studies)
    parts = []
    for name in next(iter(studies.values())):
        explanations = {run: sentences[name] for run, sentences in studies.items()}
        parts += _list_parts(name, explanations)
    if not parts:
        return None
    heights = [height for height, *_ in parts]
    figure = Figure((WIDTH, sum(heights) + 0.3), layout="constrained")
    subfigures = figure.subfigures(len(parts), 1, height_ratios=heights, squeeze=False)
    for subfigure, (_, draw, *arguments) in zip(subfigures.flat, parts, strict=True):
        draw(subfigure, *arguments)
    predictions = []
    for run, explanations in studies.items():
        answer = next(iter(explanations.values())).answer
        if answer:
            predictions.append(f"{run} answers {answer[0]}")
    if predictions:
        figure.suptitle("; ".join(predictions), parse_math=False)
    return figure


def _list_parts(name: str, explanations: Explanations) -> list:
    """Returns the parts of a sentence: height in inches, draw function, arguments."""
    parts = []
    numbers = collect_numbers(explanations)
    if numbers:
        height = BAND_HEIGHT * len(numbers) + BAND_MARGIN
        parts.append((height, _draw_band, name, explanations, numbers))
    for view in combine_views(explanations).values():
        if not view.by_head:
            _, height = word_plots.measure_maps(view)
            parts.append((height, _draw_maps, name, view))
    return parts


def collect_numbers(explanations: Explanations) -> dict[str, np.ndarray]:
    """Returns the weights of the words in all runs.

    Args:
        explanations: `{run name: Explanation of the sentence}`.

    Returns: `{title: (L,)}`. Numbers that sum to 1, such as pooling weights, or all
        numbers if none sum to 1.
    """
    numbers = {}
    for run, explanation in explanations.items():
        for title, values in collect_word_numbers(explanation).items():
            if len(explanations) > 1:
                title = f"{title}: {run}"
            numbers[title] = values
    shares = {
        title: values
        for title, values in numbers.items()
        if np.min(values) >= 0 and abs(np.sum(values) - 1) < 0.01
    }
    return shares or numbers


def _draw_band(subfigure, name, explanations, numbers):
    """Draws the coloured words of a sentence, with a row for each map."""
    (tokens,) = next(iter(explanations.values())).tokens.values()
    unknown = set()
    for explanation in explanations.values():
        unknown.update(explanation.unknown)
    axes = subfigure.subplots()
    band = np.stack(list(numbers.values()))
    image = axes.imshow(band, vmin=min(0, float(band.min())), aspect="auto")
    axes.spines[:].set_visible(True)
    axes.set_yticks(range(len(numbers)), list(numbers), parse_math=False)
    step = max(1, math.ceil(len(tokens) * word_plots.LETTER / (WIDTH - 3)))
    word_plots.label_words(axes.xaxis, tokens, unknown, step)
    axes.set_title(_join(name, "weight of each word"))
    subfigure.colorbar(image, ax=axes)


def _draw_maps(subfigure, name, view):
    """Draws the maps of a sentence, with the name of the sentence in the titles."""
    panels = {_join(name, title): weights for title, weights in view.panels.items()}
    word_plots.draw_maps_into(subfigure, dataclasses.replace(view, panels=panels))


def _join(sentence, title):
    return f"{sentence}, {title}" if sentence else title
