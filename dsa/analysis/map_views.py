"""What to draw of an `Explanation`, read from the types of its maps.

L tokens of a sentence that look, K tokens that they look at.
"""

import dataclasses

import numpy as np

from dsa.explanation import Explanation, TokenMap

AVERAGE = "average"
HEADS = "heads"


@dataclasses.dataclass(frozen=True)
class View:
    """Maps of token over token that belong on one figure.

    Args:
        panels: `{panel title: (L, K)}`.
        tokens: the texts of the L tokens, or windows of tokens, that look.
        looked_at: the same of the K ones that they look at.
        by_head: whether the panels are heads; then each run has its own figure.
        unknown: the tokens that a run does not know.
        largest: upper end of the colour scale; `None` for the largest weight.
        title: over the whole figure.
    """

    panels: dict[str, np.ndarray]
    tokens: tuple[str, ...]
    looked_at: tuple[str, ...]
    by_head: bool = False
    unknown: tuple[str, ...] = ()
    largest: float | None = None
    title: str | None = None

    @property
    def columns(self) -> int:
        """Most panels beside each other."""
        return 3 if self.by_head else 2


def collect_views(explanation: Explanation) -> dict[str, View]:
    """Collects what the tokens of a sentence looked at: the averages over heads or
    features, then each map's heads, then the maps over another sentence.

    Args:
        explanation: the `Explanation` of one sentence.

    Returns: `{name: View}`; names are "average", "heads, forward" (or only "heads"),
        and for a map over another sentence its own, such as "alignment".

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> kind = MapKind.TOKEN_OVER_TOKEN_BY_HEAD
        >>> attention = TokenMap("attention", kind, np.ones((3, 2, 2)) / 2)
        >>> look = Explanation.build([attention], {"sentence": ["A", "man"]})
        >>> list(collect_views(look))
        ['average', 'heads']
    """
    maps = [one for one in explanation.values() if one.is_over_tokens]
    within = [one for one in maps if one.over is None]
    across = [one for one in maps if one.over is not None]
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
    for one in across:
        panels = {one.title: one.average()}
        largest = max(1, float(panels[one.title].max(initial=0)))
        views[one.title] = View(
            panels, one.tokens, one.looked_at, False, explanation.unknown, largest
        )
    return views


def collect_maps(explanation: Explanation) -> dict[str, TokenMap]:
    """Collects the maps of token over token of a sentence by a short name: the
    direction where that tells them apart, else the title.

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> kind = MapKind.TOKEN_OVER_TOKEN
        >>> attention = TokenMap("attention", kind, np.ones((2, 2)) / 2, "forward")
        >>> look = Explanation.build([attention], {"sentence": ["A", "man"]})
        >>> collect_maps(look)
        {'forward': <TokenMap attention_forward: 2 token x 2 looked_at>}
    """
    maps = [one for one in explanation.values() if one.is_over_tokens]
    return _shorten(
        maps, lambda one: one.title if one.over else _join(one.part, one.direction)
    )


def collect_word_numbers(explanation: Explanation) -> dict[str, np.ndarray]:
    """Collects one number for each token: gates, pooling weights and the like.

    Args:
        explanation: the `Explanation` of one sentence.

    Returns: `{title: (L,)}`; a map's directions are beside each other.

    Example:
        >>> from dsa.explanation import Explanation, MapKind, TokenMap
        >>> gate = TokenMap("gate", MapKind.TOKEN, np.array([0.25, 0.75]), "forward")
        >>> look = Explanation.build([gate], {"sentence": ["A", "man"]})
        >>> {name: array.tolist() for name, array in collect_word_numbers(look).items()}
        {'gate, forward': [0.25, 0.75]}
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
    """Maps by the short name of each, or by their titles where a short name is empty or
    two are equal."""
    names = [shorten(one) or one.title for one in maps]
    if len(set(names)) < len(names):
        names = [one.title for one in maps]
    return dict(zip(names, maps, strict=True))
