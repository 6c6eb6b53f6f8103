"""Draws a sheet: one figure with all maps of a sentence or a pair.

Each sentence has a band with the weights of its words, followed by its attention maps.
"""

import dataclasses
import math
from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis import word_plots
from dsa.analysis.case_study import ExplanationsByRun, check_drawable
from dsa.analysis.map_views import (
    Explanations,
    View,
    collect_token_values,
    combine_views,
)
from dsa.analysis.style import WIDTH, in_style

BAND_ROW_HEIGHT = 0.3  # inches per row of coloured words
BAND_MARGIN = 1.3  # inches; total height of the title and the words


@in_style
def draw_sheet(studies: ExplanationsByRun) -> Figure | None:
    """Draws one figure with the maps of all sentences and runs. Heads are averaged.

    Args:
        studies: `{run name: {sentence name: Explanation of the sentence}}`.

    Returns: the figure, or `None` if the explanations contain no maps.

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
    for sentence in next(iter(studies.values())):
        explanations = {run: by_name[sentence] for run, by_name in studies.items()}
        parts += _list_parts(sentence, explanations)
    if not parts:
        return None
    heights = [part.height for part in parts]
    figure = Figure((WIDTH, sum(heights) + 0.3), layout="constrained")
    subfigures = figure.subfigures(len(parts), 1, height_ratios=heights, squeeze=False)
    for subfigure, part in zip(subfigures.flat, parts, strict=True):
        part.draw(subfigure)
    predictions = []
    for run, by_name in studies.items():
        answer = next(iter(by_name.values())).answer
        if answer:
            predictions.append(f"{run} answers {answer[0]}")
    if predictions:
        figure.suptitle("; ".join(predictions), parse_math=False)
    return figure


@dataclasses.dataclass
class _Band:
    """Coloured words of a sentence, with a row for each map.

    Args:
        sentence: name of the sentence.
        tokens: texts of the L tokens.
        unknown: tokens outside the vocabulary of any run.
        weights: `{row title: (L,)}`.
    """

    sentence: str
    tokens: Sequence[str]
    unknown: Collection[str]
    weights: dict[str, np.ndarray]

    @property
    def height(self):
        """Height in inches."""
        return BAND_ROW_HEIGHT * len(self.weights) + BAND_MARGIN

    def draw(self, subfigure):
        axes = subfigure.subplots()
        band = np.stack(list(self.weights.values()))
        image = axes.imshow(band, vmin=min(0, float(band.min())), aspect="auto")
        axes.spines[:].set_visible(True)
        axes.set_yticks(range(len(band)), list(self.weights), parse_math=False)
        length = len(self.tokens) * word_plots.LINE_HEIGHT
        step = max(1, math.ceil(length / (WIDTH - 3)))
        word_plots.label_words(axes.xaxis, self.tokens, self.unknown, step)
        axes.set_title(_add_sentence_name(self.sentence, "weight of each word"))
        subfigure.colorbar(image, ax=axes)


@dataclasses.dataclass
class _Maps:
    """Attention maps of a sentence.

    Args:
        sentence: name of the sentence, which is added to the titles.
        view: the maps.
    """

    sentence: str
    view: View

    @property
    def height(self):
        """Height in inches."""
        _, height = word_plots.compute_figure_size(self.view)
        return height

    def draw(self, subfigure):
        panels = {}
        for title, weights in self.view.panels.items():
            panels[_add_sentence_name(self.sentence, title)] = weights
        view = dataclasses.replace(self.view, panels=panels)
        word_plots.draw_maps_into(subfigure, view)


def _list_parts(sentence: str, explanations: Explanations) -> list[_Band | _Maps]:
    """Returns the parts of a sheet for one sentence.

    Args:
        sentence: name of the sentence.
        explanations: `{run name: Explanation of the sentence}`.
    """
    parts: list[_Band | _Maps] = []
    weights = collect_word_weights(explanations)
    if weights:
        (tokens,) = next(iter(explanations.values())).tokens.values()
        unknown = set()
        for explanation in explanations.values():
            unknown.update(explanation.unknown)
        parts.append(_Band(sentence, tokens, unknown, weights))
    for view in combine_views(explanations).values():
        if not view.by_head:
            parts.append(_Maps(sentence, view))
    return parts


def collect_word_weights(explanations: Explanations) -> dict[str, np.ndarray]:
    """Returns the weights of the words in all runs.

    Args:
        explanations: `{run name: Explanation of the sentence}`.

    Returns: `{title: (L,)}`, the values that are weights: not negative, with the sum 1.
        If there are none, all values per token, such as gates.
    """
    all_values = {}
    for run, explanation in explanations.items():
        for title, values in collect_token_values(explanation).items():
            if len(explanations) > 1:
                title = f"{title}: {run}"
            all_values[title] = values
    weights = {}
    for title, values in all_values.items():
        if np.min(values) >= 0 and abs(np.sum(values) - 1) < 0.01:
            weights[title] = values
    return weights or all_values


def _add_sentence_name(sentence, title):
    """Returns a title with the name of its sentence; "" is no name."""
    return f"{sentence}, {title}" if sentence else title
