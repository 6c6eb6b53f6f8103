"""Groups the maps of an `Explanation` into the views of figures.

Axes: L query tokens, K key tokens.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from dsa.explanation import Explanation, TokenMap

AVERAGE = "average"
HEADS = "heads"

Explanations = Mapping[str, Explanation]  # by run name or by sentence name


@dataclasses.dataclass(frozen=True)
class View:
    """Token-over-token maps of one figure.

    Args:
        panels: `{panel title: (L, K)}`.
        tokens: texts of the L query tokens, or of L windows of tokens.
        attended_tokens: texts of the K key tokens, or of K windows of tokens, to which
            the queries attend.
        by_head: whether each panel is an attention head of one run.
        unknown: tokens outside the vocabulary of any run.
        max_value: upper end of the colour scale; `None` for the largest weight.
        title: title of the figure; `None` for no title.
        measure: name of the drawn quantity, used as the label of the colour scale.
    """

    panels: dict[str, np.ndarray]
    tokens: tuple[str, ...]
    attended_tokens: tuple[str, ...]
    by_head: bool = False
    unknown: tuple[str, ...] = ()
    max_value: float | None = None
    title: str | None = None
    measure: str = "attention weight"

    @property
    def columns(self) -> int:
        """Maximum number of panels in a row."""
        return 3 if self.by_head else 2


def collect_views(explanation: Explanation) -> dict[str, View]:
    """Returns the views of a sentence.

    There are three kinds of views: one view of all maps, averaged over heads or
    features; a view of the heads of each map; and a view of each map over another
    sentence.

    Args:
        explanation: the `Explanation` of one sentence.

    Returns: `{name: View}`. The three kinds of views have the names "average", "heads,
        forward" (or "heads"), and the title of the map, such as "alignment".

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
        panels = {}
        for name, token_map in _index_by_name(within_sentence, _name_part).items():
            panels[name] = token_map.average()
        views[AVERAGE] = View(
            panels=panels,
            tokens=within_sentence[0].tokens,
            attended_tokens=within_sentence[0].looked_at,
            unknown=unknown,
        )
    with_heads = [token_map for token_map in maps if token_map.by_head()]
    for name, token_map in _index_by_name(with_heads, _name_heads).items():
        panels = {}
        for number, weights in enumerate(token_map.by_head(), start=1):
            panels[f"head {number}"] = weights
        views[name] = View(
            panels=panels,
            tokens=token_map.tokens,
            attended_tokens=token_map.looked_at,
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
            attended_tokens=token_map.looked_at,
            unknown=unknown,
            max_value=max(1, float(average.max(initial=0))),
        )
        if token_map.what.endswith(("match", "attention")):  # maps of BCNN and ABCNN
            view = dataclasses.replace(view, measure="match score")
        views[token_map.title] = view
    return views


def combine_views(explanations: Explanations) -> dict[str, View]:
    """Returns the views of a sentence in several runs; see `collect_views`.

    Views of the same name and tokens are combined into one `View` with the panels of
    all runs. Views of heads are not combined.

    Args:
        explanations: `{run name: Explanation of the sentence}`.

    Returns: `{name: View}`. If there are several runs, the name of a view of heads ends
        with the number of its run, such as "heads, forward 2". The same holds for views
        whose tokens differ between runs, such as windows of different widths.
    """
    run_numbers = {run: number for number, run in enumerate(explanations, start=1)}
    has_several_runs = len(explanations) > 1
    unknown: dict[str, None] = {}  # an ordered set
    views_by_name: dict[str, dict[str, View]] = {}  # {view name: {run name: View}}
    for run, explanation in explanations.items():
        unknown.update(dict.fromkeys(explanation.unknown))
        for name, view in collect_views(explanation).items():
            views_by_name.setdefault(name, {})[run] = view
    combined = {}
    for name, views in views_by_name.items():
        by_head = next(iter(views.values())).by_head
        groups: dict[Any, dict[str, View]] = {}  # each group is drawn as one figure
        for run, view in views.items():
            group_key = run if by_head else (view.tokens, view.attended_tokens)
            groups.setdefault(group_key, {})[run] = view
        for group in groups.values():
            panels = {}
            for run, view in group.items():
                for panel_title, weights in view.panels.items():
                    if has_several_runs and not by_head:
                        panel_title = f"{panel_title}: {run}"
                    panels[panel_title] = weights
            first_run, first_view = next(iter(group.items()))
            combined_name = name
            if len(groups) > 1 or (by_head and has_several_runs):
                combined_name = f"{name} {run_numbers[first_run]}"
            combined[combined_name] = dataclasses.replace(
                first_view,
                panels=panels,
                unknown=tuple(unknown),
                title=f"{name}: {first_run}" if by_head else None,
            )
    return combined


def collect_maps(explanation: Explanation) -> dict[str, TokenMap]:
    """Returns the token-over-token maps of a sentence, `{short name: TokenMap}`.

    The short name of a map consists of its part and its direction. If two short names
    are equal, all maps have their title as name.

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
    return _index_by_name(maps, name_map)


def collect_token_values(explanation: Explanation) -> dict[str, np.ndarray]:
    """Returns the values of the maps with one value per token, such as gates.

    Args:
        explanation: the `Explanation` of one sentence.

    Returns: `{title: (L,)}`. The directions of a map follow each other.

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> gate = TokenMap("gate", MapKind.TOKEN, np.array([0.25, 0.75]), "forward")
        >>> explanation = Explanation.build([gate], {"sentence": ["A", "man"]})
        >>> collect_token_values(explanation)["gate, forward"].tolist()
        [0.25, 0.75]
    """
    groups: dict[Any, list[TokenMap]] = {}  # directions of a map
    for token_map in explanation.values():
        if not token_map.is_over_tokens:
            key = token_map.part, token_map.what
            groups.setdefault(key, []).append(token_map)
    values = {}
    for group in groups.values():
        for token_map in group:
            title = token_map.title
            if token_map.note:
                title += f" ({token_map.note})"
            values[title] = compute_word_values(token_map)
    return values


def compute_word_values(token_map: TokenMap) -> np.ndarray:
    """Returns one value per word of a map with one value per word or window, `(L,)`.

    The value of a window of words is divided equally between its words.

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> windows = TokenMap("pooling", MapKind.TOKEN, np.array([0, 1, 0]), window=2)
        >>> explanation = Explanation.build([windows], {"sentence": ["A", "man"]})
        >>> compute_word_values(explanation["pooling"]).tolist()
        [0.5, 0.5]
    """
    values = token_map.by_token()
    if token_map.window == 1:
        return values
    word_values = np.zeros(len(values) - token_map.window + 1)
    for last, value in enumerate(values):
        words = word_values[max(last + 1 - token_map.window, 0) : last + 1]
        words += value / len(words)
    return word_values


def _name_part(token_map):
    """Returns the part and the direction of a map, such as "encoding, forward"."""
    return _join_words(token_map.part, token_map.direction)


def _name_heads(token_map):
    """Returns the view name of the heads of a map, such as "heads, forward"."""
    return _join_words(HEADS, token_map.part, token_map.direction)


def _join_words(*words):
    """Joins words by commas, without empty words and `None`."""
    return ", ".join(word for word in words if word)


def _index_by_name(maps, make_name):
    """Returns `{name: map}`.

    Args:
        maps: list of `TokenMap`s.
        make_name: function that returns the short name of a map. The title replaces an
            empty name, and all names if two names are equal.
    """
    names = [make_name(token_map) or token_map.title for token_map in maps]
    if len(set(names)) < len(names):
        names = [token_map.title for token_map in maps]
    return dict(zip(names, maps, strict=True))
