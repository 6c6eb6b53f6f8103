"""One sheet that answers what runs looked at in a sentence or a pair: for each sentence
the words on colours, then its maps."""

import numpy as np
from matplotlib.figure import Figure

from dsa.analysis import word_plots
from dsa.analysis.case_study import Looks, Studies, check_drawable, combine_views
from dsa.analysis.map_views import collect_word_numbers
from dsa.analysis.style import WIDTH, in_style

BAND = 0.3  # inches of a row of colours
ROOM_OF_A_BAND = 1.3  # inches: its title, and the words below it


@in_style
def draw_sheet(studies: Studies) -> Figure:
    """Draws one sheet of all sentences and runs. Heads are averaged.

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
    shares = find_shares(looks)
    if shares:
        height = BAND * len(shares) + ROOM_OF_A_BAND
        parts.append((height, _draw_band, name, looks, shares))
    for view in combine_views(looks).values():
        if not view.by_head:
            _, height = word_plots.measure_maps(view)
            parts.append((height + (0.4 if name else 0), _draw_maps, name, view))
    return parts


def find_shares(looks: Looks) -> dict[str, np.ndarray]:
    """Finds how much of a sentence's vector each word has: `{title: (L,)}`, the numbers
    by word that are shares of 1, of all runs.

    Args:
        looks: `{run name: Explanation of the sentence}`.
    """
    return {
        f"{title}: {run}" if len(looks) > 1 else title: numbers
        for run, look in looks.items()
        for title, numbers in collect_word_numbers(look).items()
        if np.min(numbers) >= 0 and abs(np.sum(numbers) - 1) < 0.01
    }


def _draw_band(place, name, looks, shares):
    """Draws the words of a sentence on colours, a row for each kind of share."""
    look = next(iter(looks.values()))
    (tokens,) = look.tokens.values()
    unknown = {word for look in looks.values() for word in look.unknown}
    axes = place.subplots()
    image = axes.imshow(np.stack(list(shares.values())), vmin=0, aspect="auto")
    axes.spines[:].set_visible(True)
    axes.set_yticks(range(len(shares)), list(shares), parse_math=False)
    step = max(1, -int(-len(tokens) * word_plots.LETTER // (WIDTH - 3)))
    word_plots.label_words(axes.xaxis, tokens, unknown, step)
    axes.set_title(_join(name, "share of each word in the sentence's vector"))
    place.colorbar(image, ax=axes)


def _draw_maps(place, name, view):
    word_plots.draw_maps_into(place, view)
    if name:
        place.suptitle(_join(name, "what each word looks at"))


def _join(*parts):
    return ": ".join(filter(None, parts))


def _describe_answers(studies: Studies) -> str:
    """What each run answered, in one line; "" where none was asked."""
    answers = {run: next(iter(looks.values())).answer for run, looks in studies.items()}
    return "; ".join(
        f"{run} answers {answer[0]}" for run, answer in answers.items() if answer
    )
