"""Figures of an `Explanation`, determined by the types of its maps.

L query tokens, K key tokens.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from dsa.explanation import Explanation, TokenMap

AVERAGE = "average"
HEADS = "heads"

Explanations = Mapping[str, Explanation]  # by run or by sentence


@dataclasses.dataclass(frozen=True)
class View:
    """Maps of token over token on one figure.

    Args:
        panels: `{panel title: (L, K)}`.
        tokens: texts of the L query tokens, or windows of tokens.
        looked_at: texts of the K key tokens, or windows of tokens.
        by_head: whether the panels are the heads of one run.
        unknown: tokens outside the vocabulary of a run.
        largest: upper end of the colour scale; `None` for the largest weight.
        title: of the figure.
        measure: quantity of the panels, the label of the colour scale.
    """

    panels: dict[str, np.ndarray]
    tokens: tuple[str, ...]
    looked_at: tuple[str, ...]
    by_head: bool = False
    unknown: tuple[str, ...] = ()
    largest: float | None = None
    title: str | None = None
    measure: str = "attention weight"

    @property
    def columns(self) -> int:
        """Maximum number of panels in a row."""
        return 3 if self.by_head else 2


def collect_views(explanation: Explanation) -> dict[str, View]:
    """Collects the figures of a sentence: averages over heads or features, heads, and
    maps over another sentence.

    Args:
        explanation: the `Explanation` of one sentence.

    Returns: `{name: View}`. The names are "average", "heads, forward" (or "heads"), and
        titles such as "alignment".

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        >>> attention = TokenMap("attention", kind, np.ones((3, 2, 2)) / 2)
        >>> explanation = Explanation.build([attention], {"sentence": ["A", "man"]})
        >>> list(collect_views(explanation))
        ['average', 'heads']
    """
    maps = [one for one in explanation.values() if one.is_over_tokens]
    within = [one for one in maps if one.over is None]
    views = {}
    if within:
        titles = _shorten(within, lambda one: _join(one.part, one.direction))
        panels = {title: one.average() for title, one in titles.items()}
        views[AVERAGE] = View(
            panels, within[0].tokens, within[0].looked_at, unknown=explanation.unknown
        )
    with_heads = [one for one in maps if one.by_head()]
    names = _shorten(with_heads, lambda one: _join(HEADS, one.part, one.direction))
    for name, one in names.items():
        heads = enumerate(one.by_head(), start=1)
        panels = {f"head {number}": weights for number, weights in heads}
        views[name] = View(panels, one.tokens, one.looked_at, True, explanation.unknown)
    for one in maps:
        if one.over is not None:
            average = one.average()
            largest = max(1, float(average.max(initial=0)))
            panels = {one.title: average}
            view = View(
                panels, one.tokens, one.looked_at, False, explanation.unknown, largest
            )
            if one.what.endswith(("match", "attention")):  # of BCNN and ABCNN
                view = dataclasses.replace(view, measure="match score")
            views[one.title] = view
    return views


def combine_views(explanations: Explanations) -> dict[str, View]:
    """Collects the figures of a sentence in several runs; see `collect_views`.

    The maps of all runs share a `View`; heads have one for each run.

    Args:
        explanations: `{run name: Explanation of the sentence}`.

    Returns: `{name: View}`. With several runs, the name of heads, and of maps over
        windows of different widths, ends with the number of the run.
    """
    numbers = {run: number for number, run in enumerate(explanations, start=1)}
    unknown = tuple(word for one in explanations.values() for word in one.unknown)
    by_name: dict[str, dict[str, View]] = {}  # name -> run -> view
    for run, explanation in explanations.items():
        for name, view in collect_views(explanation).items():
            by_name.setdefault(name, {})[run] = view
    combined = {}
    for name, views in by_name.items():
        by_head = next(iter(views.values())).by_head
        groups: dict[Any, dict[str, View]] = {}  # the runs on one figure
        for run, view in views.items():
            key = run if by_head else (view.tokens, view.looked_at)
            groups.setdefault(key, {})[run] = view
        for group in groups.values():
            panels = {}
            for run, view in group.items():
                for title, weights in view.panels.items():
                    if len(explanations) > 1 and not by_head:
                        title = f"{title}: {run}"
                    panels[title] = weights
            run, view = next(iter(group.items()))
            is_numbered = len(groups) > 1 or (by_head and len(explanations) > 1)
            key = f"{name} {numbers[run]}" if is_numbered else name
            title = f"{name}: {run}" if by_head else None
            combined[key] = dataclasses.replace(
                view, panels=panels, unknown=unknown, title=title
            )
    return combined


def collect_maps(explanation: Explanation) -> dict[str, TokenMap]:
    """Returns the maps of token over token of a sentence by short names.

    The name is the direction if it is unique, otherwise the title.

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> kind = MapKind.TOKEN_OVER_TOKEN
        >>> attention = TokenMap("attention", kind, np.ones((2, 2)) / 2, "forward")
        >>> explanation = Explanation.build([attention], {"sentence": ["A", "man"]})
        >>> collect_maps(explanation)
        {'forward': <TokenMap attention_forward: 2 token x 2 looked_at>}
    """
    maps = [one for one in explanation.values() if one.is_over_tokens]
    return _shorten(
        maps, lambda one: one.title if one.over else _join(one.part, one.direction)
    )


def collect_word_numbers(explanation: Explanation) -> dict[str, np.ndarray]:
    """Returns the maps with one number for each token, such as gates.

    Args:
        explanation: the `Explanation` of one sentence.

    Returns: `{title: (L,)}`, with the directions of a map next to each other.

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> gate = TokenMap("gate", MapKind.TOKEN, np.array([0.25, 0.75]), "forward")
        >>> explanation = Explanation.build([gate], {"sentence": ["A", "man"]})
        >>> collect_word_numbers(explanation)["gate, forward"].tolist()
        [0.25, 0.75]
    """
    maps = [one for one in explanation.values() if not one.is_over_tokens]
    order = list(dict.fromkeys((one.part, one.what) for one in maps))
    maps.sort(key=lambda one: order.index((one.part, one.what)))
    return {
        f"{one.title} ({one.note})" if one.note else one.title: one.by_token()
        for one in maps
    }


def _join(*words):
    return ", ".join(filter(None, words))


def _shorten(maps, shorten):
    """Returns `{name: map}` with short names, or with titles if two names are equal."""
    names = [shorten(one) or one.title for one in maps]
    if len(set(names)) < len(names):
        names = [one.title for one in maps]
    return dict(zip(names, maps, strict=True))
