"""Attention maps and other per-token arrays, labelled with axes and tokens.

A layer returns a `TokenMap` for each tensor to display. `TrainedModel.explain` returns
the maps as a `dsa.explanation.Explanation`. Figures and the web page depend only on
these two types, so they can draw the maps of any model.
"""

import dataclasses
import enum
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike


class MapKind(enum.Enum):
    """Axes of the array of a `TokenMap`, from first to last.

    "token" is the axis of the query tokens, and "looked_at" is the axis of the key
    tokens, to which the queries attend. Queries and keys are tokens of the same
    sentence, unless `TokenMap.over` is the name of another sentence.
    """

    TOKEN_OVER_TOKEN = ("token", "looked_at")
    TOKEN_OVER_TOKEN_BY_HEAD = ("head", "token", "looked_at")
    TOKEN_OVER_TOKEN_BY_FEATURE = ("token", "looked_at", "feature")
    TOKEN = ("token",)
    TOKEN_BY_FEATURE = ("token", "feature")
    WINNING_TOKEN = ("feature",)  # index of the token with the maximum of the feature

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the axes."""
        return self.value


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TokenMap:
    """An array over the tokens of a sentence, such as attention weights or a gate.

    Args:
        what: identifier of the quantity, such as `gate`.
        kind: the `MapKind`, which determines the axes of `values`.
        values: array with the axes of `kind`. Layers return a tensor with an additional
            batch axis in front; an `Explanation` contains NumPy arrays without it.
        direction: "forward", "backward" or `None`.
        part: part of the model, such as `encoding`, if several parts return the same
            quantity; otherwise `None`.
        sentence: name of the sentence that contains the query tokens, such as
            `premise`; `None` for the first sentence. Encoders return maps with `None`.
        over: name of the sentence that contains the key tokens; `None` if the key
            tokens belong to `sentence`.
        summary: reduction over the features of a `TOKEN_BY_FEATURE` map, "mean" or
            "max".
        label: label of the (reduced) quantity in figures; by default, `what`.
        note: explanation of the values, shown in figures; `None` for no explanation.
        window: number of tokens per window, for maps over windows of tokens. The first
            window only contains the first token, and the last window only the last
            token.
        tokens: query tokens or windows, strings; set by `Explanation.build`.
        looked_at: key tokens or windows, strings; empty for maps without keys.

    Example:
        >>> gate = TokenMap("gate", MapKind.TOKEN, np.array([1.0, 0.5]), "forward")
        >>> gate
        <TokenMap gate_forward: 2 token>
    """

    what: str
    kind: MapKind
    values: Any
    direction: str | None = None
    part: str | None = None
    sentence: str | None = None
    over: str | None = None
    summary: Literal["mean", "max"] = "mean"
    label: str | None = None
    note: str | None = None
    window: int = 1
    tokens: tuple[str, ...] = ()
    looked_at: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Unique name among the maps of a sentence, such as `gate_forward`."""
        parts = (self.part, self.what, self.direction)
        return "_".join(part for part in parts if part)

    @property
    def summary_name(self) -> str:
        """Name of the values of `by_token`, such as `largest_output`."""
        if self.summary == "max":
            return f"largest_{self.name}"
        return self.name

    @property
    def title(self) -> str:
        """Title in figures, such as `gate, forward`."""
        label = self.label or self.what.replace("_", " ")
        parts = (label, self.part, self.direction)
        return ", ".join(part for part in parts if part)

    @property
    def is_over_tokens(self) -> bool:
        """Whether the map has a value for each pair of query and key token."""
        return "looked_at" in self.kind.axes

    def average(self) -> np.ndarray:
        """Returns the mean over heads or features, an array `(L, K)` of L query tokens
        and K key tokens."""
        for name in ("head", "feature"):
            if name in self.kind.axes:
                return self.values.mean(axis=self.kind.axes.index(name))
        return self.values

    def by_head(self) -> list[np.ndarray]:
        """Returns a list with an array `(L, K)` per head; empty for maps without
        heads."""
        if "head" in self.kind.axes:
            return list(self.values)
        return []

    def by_token(self) -> np.ndarray:
        """Returns an array with one value per token, `(L,)`.

        The value is an element of the array for a `TOKEN` map, the `summary` over the
        features for a `TOKEN_BY_FEATURE` map, and the fraction of features whose arg
        max is the token for a `WINNING_TOKEN` map.

        Raises: `ValueError` if the map has a value per pair of query and key token.
        """
        if self.kind is MapKind.TOKEN:
            return self.values
        if self.kind is MapKind.TOKEN_BY_FEATURE:
            if self.summary == "max":
                return np.max(self.values, axis=-1)
            return np.mean(self.values, axis=-1)
        if self.kind is MapKind.WINNING_TOKEN:
            counts = np.bincount(self.values, minlength=len(self.tokens))
            return counts / len(self.values)
        raise ValueError(
            "A map of query and key tokens has no value per token. Received: "
            f"{self.name}, {self.kind.name}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Converts the map to a dictionary of JSON values.

        The arrays of a map over pairs of query and key tokens have the key `average`
        and, if the map has heads, `by_head`. The array of another map has the key
        `by_token`.
        """
        content: dict[str, Any] = {
            "what": self.title,
            "sentence": self.sentence,
            "over": None,
            "tokens": self.tokens,
            "looked_at": self.looked_at,
        }
        if not self.is_over_tokens:
            return {**content, "by_token": to_float32_list(self.by_token())}
        content["over"] = self.over or self.sentence
        content["average"] = to_float32_list(self.average())
        heads = self.by_head()
        if heads:
            content["by_head"] = to_float32_list(np.stack(heads))
        return content

    def with_tokens(self, tokens: Mapping[str, Sequence[str]]) -> "TokenMap":
        """Returns a copy of the map with `tokens` and `looked_at`.

        Args:
            tokens: `{sentence name: tokens}`. A map whose `sentence` is `None` gets the
                first sentence.

        Raises: `ValueError` if the shape of the array does not match the map's kind and
            the numbers of tokens.
        """
        sentence = self.sentence or next(iter(tokens))
        queries = join_windows(tokens[sentence], self.window)
        keys = ()
        if self.is_over_tokens:
            keys = join_windows(tokens[self.over or sentence], self.window)
        lengths = {"token": len(queries), "looked_at": len(keys)}
        axes = self.kind.axes
        shape = np.shape(self.values)
        expected = tuple(
            lengths.get(axis, size) for axis, size in zip(axes, shape, strict=False)
        )
        if len(axes) != len(shape) or shape != expected:
            raise ValueError(
                f"The map '{self.name}' must have the axes ({', '.join(axes)}), with "
                f"{len(queries)} query tokens of '{sentence}' and {len(keys)} key "
                f"tokens. Received: shape {shape}"
            )
        return dataclasses.replace(
            self, sentence=sentence, tokens=queries, looked_at=keys
        )

    def __repr__(self) -> str:
        axes = zip(np.shape(self.values), self.kind.axes, strict=False)
        sizes = " x ".join(f"{size} {axis}" for size, axis in axes)
        return f"<TokenMap {self.name}: {sizes}>"


def to_float32_list(array: ArrayLike) -> list[Any]:
    """Converts an array to nested lists of floats, which print with the shortest digits
    that identify the float32 value."""
    return np.asarray(array, np.float32).astype(str).astype(float).tolist()


def join_windows(tokens: Sequence[str], width: int) -> tuple[str, ...]:
    """Returns the text of each window of `width` tokens, with partial windows at both
    ends of the sentence.

    Example:
        >>> join_windows(["a", "man", "sleeps"], 2)
        ('a', 'a man', 'man sleeps', 'sleeps')
    """
    ends = range(1, len(tokens) + width)
    return tuple(" ".join(tokens[max(end - width, 0) : end]) for end in ends)
