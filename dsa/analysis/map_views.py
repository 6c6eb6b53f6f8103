"""Views of an `Explanation`: its maps, grouped into figures.

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
    """Token-over-token maps of one figure.

    Args:
        panels: `{panel title: (L, K)}`.
        tokens: texts of the L query tokens, or windows of tokens.
        looked_at: texts of the K key tokens, or windows of tokens.
        by_head: whether the panels are the heads of one run.
        unknown: tokens outside the vocabulary of a run.
        largest: upper end of the colour scale; `None` for the largest weight.
        title: title of the figure; `None` for no title.
        measure: quantity of the panels, as label of the colour scale.
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
    """Returns the views of a sentence.

    These are the maps averaged over heads or features, the heads of each map, and maps
    over another sentence.

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
    maps = [token_map for token_map in explanation.values() if token_map.is_over_tokens]
    unknown = explanation.unknown
    views = {}
    within_sentence = [token_map for token_map in maps if token_map.over is None]
    if within_sentence:
        views[AVERAGE] = View(
            panels={
                title: token_map.average()
                for title, token_map in _shorten(within_sentence, _name_part).items()
            },
            tokens=within_sentence[0].tokens,
            looked_at=within_sentence[0].looked_at,
            unknown=unknown,
        )
    with_heads = [token_map for token_map in maps if token_map.by_head()]
    for name, token_map in _shorten(with_heads, _name_heads).items():
        views[name] = View(
            panels={
                f"head {number}": weights
                for number, weights in enumerate(token_map.by_head(), start=1)
            },
            tokens=token_map.tokens,
            looked_at=token_map.looked_at,
            by_head=True,
            unknown=unknown,
        )
    for token_map in maps:
        if token_map.over is None:
            continue
        average = token_map.average()
        view = View(
            panels={token_map.title: average},
            tokens=token_map.tokens,
            looked_at=token_map.looked_at,
            unknown=unknown,
            largest=max(1, float(average.max(initial=0))),
        )
        if token_map.what.endswith(("match", "attention")):  # maps of BCNN and ABCNN
            view = dataclasses.replace(view, measure="match score")
        views[token_map.title] = view
    return views


def combine_views(explanations: Explanations) -> dict[str, View]:
    """Returns the views of a sentence in several runs; see `collect_views`.

    The maps of all runs are combined into one `View`, except heads.

    Args:
        explanations: `{run name: Explanation of the sentence}`.

    Returns: `{name: View}`. With several runs, the names of heads, and of maps over
        windows of different widths, end with the number of the run.
    """
    numbers = {run: number for number, run in enumerate(explanations, start=1)}
    unknown = []
    by_name: dict[str, dict[str, View]] = {}  # name -> run -> view
    for run, explanation in explanations.items():
        unknown += explanation.unknown
        for name, view in collect_views(explanation).items():
            by_name.setdefault(name, {})[run] = view
    combined = {}
    for name, views in by_name.items():
        by_head = next(iter(views.values())).by_head
        groups: dict[Any, dict[str, View]] = {}  # runs of one figure
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
                view, panels=panels, unknown=tuple(unknown), title=title
            )
    return combined


def collect_maps(explanation: Explanation) -> dict[str, TokenMap]:
    """Returns the token-over-token maps of a sentence by short names.

    The name is the part and the direction of the map, or the title if two maps have the
    same name.

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> kind = MapKind.TOKEN_OVER_TOKEN
        >>> attention = TokenMap("attention", kind, np.ones((2, 2)) / 2, "forward")
        >>> explanation = Explanation.build([attention], {"sentence": ["A", "man"]})
        >>> collect_maps(explanation)
        {'forward': <TokenMap attention_forward: 2 token x 2 looked_at>}
    """

    def name_map(token_map):
        return token_map.title if token_map.over else _name_part(token_map)

    maps = [token_map for token_map in explanation.values() if token_map.is_over_tokens]
    return _shorten(maps, name_map)


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
    groups: dict[Any, list[TokenMap]] = {}  # directions of a map
    for token_map in explanation.values():
        if not token_map.is_over_tokens:
            key = token_map.part, token_map.what
            groups.setdefault(key, []).append(token_map)
    numbers = {}
    for group in groups.values():
        for token_map in group:
            title = token_map.title
            if token_map.note:
                title += f" ({token_map.note})"
            numbers[title] = token_map.by_token()
    return numbers


def _name_part(token_map):
    """Returns the part and the direction of a map, such as "forward"."""
    return _join(token_map.part, token_map.direction)


def _name_heads(token_map):
    return _join(HEADS, token_map.part, token_map.direction)


def _join(*words):
    """Joins the words that are not empty."""
    return ", ".join(word for word in words if word)


def _shorten(maps, make_name):
    """Returns `{short name: map}`, or `{title: map}` if two short names are equal."""
    names = [make_name(token_map) or token_map.title for token_map in maps]
    if len(set(names)) < len(names):
        names = [token_map.title for token_map in maps]
    return dict(zip(names, maps, strict=True))
