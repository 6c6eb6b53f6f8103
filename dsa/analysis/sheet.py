"""One sheet that answers what runs looked at in a sentence or a pair: for each sentence
the words on colours, then its maps."""

import dataclasses

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis import word_plots
from dsa.analysis.case_study import Looks, Studies, check_drawable, combine_views
from dsa.analysis.map_views import collect_word_numbers
from dsa.analysis.style import WIDTH, in_style

BAND = 0.3  # inches of a row of colours
ROOM_OF_A_BAND = 1.3  # inches: its title, and the words below it


@in_style
def draw_sheet(studies: Studies) -> Figure | None:
    """Draws one sheet of all sentences and runs; `None` for models that show nothing.
    Heads are averaged.

    Args:
        studies: `{run name: {sentence name: Explanation of the sentence}}`.

    Raises: `InputError` for runs that split a text into different tokens, and for more
        of them than a figure can hold.

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> near = TokenMap("near", MapKind.TOKEN_OVER_TOKEN, np.eye(2))
        >>> look = Explanation.build([near], {"sentence": ["A", "man"]})
        >>> figure = draw_sheet({"dsa": {"": look}})
        >>> [part.axes[0].get_title() for part in figure.subfigs]
        ['near']
    """
    check_drawable(studies)
    parts = []
    for name in next(iter(studies.values())):
        looks = {run: sentences[name] for run, sentences in studies.items()}
        parts += _plan_sentence(name, looks)
    if not parts:
        return None
    heights = [height for height, *_ in parts]
    figure = Figure((WIDTH, sum(heights) + 0.3), layout="constrained")
    places = figure.subfigures(len(parts), 1, height_ratios=heights, squeeze=False)
    for place, (_, draw, *arguments) in zip(places.flat, parts, strict=True):
        draw(place, *arguments)
    answers = _describe_answers(studies)
    if answers:
        figure.suptitle(answers, parse_math=False)
    return figure


def _plan_sentence(name: str, looks: Looks) -> list:
    """What is drawn of a sentence, in order: (inches, function, its arguments)."""
    parts = []
    numbers = collect_numbers(looks)
    if numbers:
        height = BAND * len(numbers) + ROOM_OF_A_BAND
        parts.append((height, _draw_band, name, looks, numbers))
    for view in combine_views(looks).values():
        if not view.by_head:
            _, height = word_plots.measure_maps(view)
            parts.append((height, _draw_maps, name, view))
    return parts


def collect_numbers(looks: Looks) -> dict[str, np.ndarray]:
    """Collects the weights of the words, `{title: (L,)}`, of all runs: the numbers by
    word that are shares of 1, such as those of a pooling, or all where none is.

    Args:
        looks: `{run name: Explanation of the sentence}`.
    """
    numbers = {
        f"{title}: {run}" if len(looks) > 1 else title: of_words
        for run, look in looks.items()
        for title, of_words in collect_word_numbers(look).items()
    }
    shares = {
        title: of_words
        for title, of_words in numbers.items()
        if np.min(of_words) >= 0 and abs(np.sum(of_words) - 1) < 0.01
    }
    return shares or numbers


def _draw_band(place, name, looks, numbers):
    """Draws the words of a sentence on colours, a row for each kind of number."""
    look = next(iter(looks.values()))
    (tokens,) = look.tokens.values()
    unknown = {word for look in looks.values() for word in look.unknown}
    axes = place.subplots()
    band = np.stack(list(numbers.values()))
    image = axes.imshow(band, vmin=min(0, float(band.min())), aspect="auto")
    axes.spines[:].set_visible(True)
    axes.set_yticks(range(len(numbers)), list(numbers), parse_math=False)
    step = max(1, -int(-len(tokens) * word_plots.LETTER // (WIDTH - 3)))
    word_plots.label_words(axes.xaxis, tokens, unknown, step)
    axes.set_title(_join(name, "weight of each word"))
    place.colorbar(image, ax=axes)


def _draw_maps(place, name, view):
    panels = {_join(name, title): weights for title, weights in view.panels.items()}
    word_plots.draw_maps_into(place, dataclasses.replace(view, panels=panels))


def _join(*parts):
    return ", ".join(filter(None, parts))


def _describe_answers(studies: Studies) -> str:
    """What each run answered, in one line; "" where none was asked."""
    answers = {run: next(iter(looks.values())).answer for run, looks in studies.items()}
    return "; ".join(
        f"{run} answers {answer[0]}" for run, answer in answers.items() if answer
    )
