"""Attention maps and other per-token arrays, labelled with axes and tokens.

A layer returns a `TokenMap` for each tensor to display. `TrainedModel.explain` returns
the maps as an `Explanation`. Figures and the page depend only on these types, so they
can draw the maps of any model.
"""

import dataclasses
import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dsa.errors import InputError

MAX_WORDS = 120  # maximum number of words in a figure, limited by legible labels
SHOWN_WORDS = 10  # maximum number of unknown words in a message


class MapKind(enum.Enum):
    """Axes of the array of a `TokenMap`, in order.

    "token" is the axis of the query tokens, and "looked_at" is the axis of the key
    tokens, to which the queries attend. Queries and keys are tokens of the same
    sentence, unless `TokenMap.over` is the name of another sentence.
    """

    TOKEN_OVER_TOKEN = ("token", "looked_at")
    TOKEN_OVER_TOKEN_BY_HEAD = ("head", "token", "looked_at")
    TOKEN_OVER_TOKEN_BY_FEATURE = ("token", "looked_at", "feature")
    TOKEN = ("token",)
    TOKEN_BY_FEATURE = ("token", "feature")
    WINNING_TOKEN = ("feature",)  # arg max over tokens, for each feature

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the axes."""
        return self.value


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TokenMap:
    """An array over the tokens of a sentence, such as attention weights or a gate.

    Args:
        what: identifier of the quantity, such as `gate`.
        kind: the `MapKind`.
        values: the array. Layers return a tensor whose first axis is the batch; an
            `Explanation` contains NumPy arrays without a batch axis.
        direction: "forward", "backward" or `None`.
        part: part of the model, such as `encoding`, if several parts return the same
            quantity; otherwise `None`.
        sentence: name of the sentence that contains the query tokens, such as
            `premise`; `None` for the first sentence. Encoders return maps with `None`.
        over: name of the sentence that contains the key tokens; `None` if it is
            `sentence`.
        summary: reduction over the features of a `TOKEN_BY_FEATURE` map.
        label: label of the (reduced) quantity in figures; by default, `what`.
        note: explanation of the values in figures.
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
        """Returns the mean over heads or features: query by key tokens, `(L, K)`."""
        for name in ("head", "feature"):
            if name in self.kind.axes:
                return self.values.mean(axis=self.kind.axes.index(name))
        return self.values

    def by_head(self) -> list[np.ndarray]:
        """Returns one array `(L, K)` per head; an empty list for maps without heads."""
        if "head" in self.kind.axes:
            return list(self.values)
        return []

    def by_token(self) -> np.ndarray:
        """Returns one value per token, `(L,)`.

        The value is an element of the array for a `TOKEN` map, the `summary` over the
        features for a `TOKEN_BY_FEATURE` map, and the fraction of features whose arg
        max is the token for a `WINNING_TOKEN` map.

        Raises: `ValueError` for maps of query by key tokens.
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
            "A map of query by key tokens has no value per token. Received: "
            f"{self.name}, {self.kind.name}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Converts the map to a dictionary of JSON values.

        A map of query by key tokens has the key `average` and, if it has heads,
        `by_head`. Other maps have the key `by_token`.
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


def describe_unknown(words: Sequence[str]) -> str:
    """Returns a message that lists unknown words, or "" for an empty list.

    Example:
        >>> describe_unknown(["okapi", "zebra"])
        'not in the vocabulary, read as the unknown word: okapi, zebra'
    """
    if not words:
        return ""
    shown = ", ".join(words[:SHOWN_WORDS])
    if len(words) > SHOWN_WORDS:
        shown += f" and {len(words) - SHOWN_WORDS} more"
    return f"not in the vocabulary, read as the unknown word: {shown}"


def to_float32_list(array: ArrayLike) -> list[Any]:
    """Converts an array to nested lists of floats with the digits of float32."""
    return np.asarray(array, np.float32).astype(str).astype(float).tolist()


def join_windows(tokens: Sequence[str], width: int) -> tuple[str, ...]:
    """Joins the tokens of each window of `width` tokens, including partial windows at
    both ends of the sentence.

    Example:
        >>> join_windows(["a", "man", "sleeps"], 2)
        ('a', 'a man', 'man sleeps', 'sleeps')
    """
    ends = range(1, len(tokens) + width)
    return tuple(" ".join(tokens[max(end - width, 0) : end]) for end in ends)


class Explanation(Mapping):
    """Mapping from names to the `TokenMap`s of a pair or a sentence.

    The keys are `<sentence>.<map>` for a pair, such as `premise.gate_forward`, and
    `<map>` for a single sentence.

    Attributes:
        tokens: `{sentence name: tokens}`.
        answer: prediction of the model, such as a `Prediction` or a `Score`; `None` for
            the explanation of an encoder.
        logits: array `(outputs,)`; `None` for the explanation of an encoder.
        unknown: words that are not in the vocabulary of the model.

    Example:
        >>> tokens = {"sentence": ["A", "man"]}
        >>> gate = TokenMap("gate", MapKind.TOKEN, np.array([1.0, 0.5]))
        >>> explanation = Explanation.build([gate], tokens)
        >>> explanation["gate"].tokens, explanation["gate"].values.tolist()
        (('A', 'man'), [1.0, 0.5])
    """

    def __init__(
        self,
        maps: Iterable[TokenMap],
        tokens: Mapping[str, Iterable[str]],
        answer: Any = None,
        logits: np.ndarray | None = None,
        unknown: Iterable[str] = (),
    ) -> None:
        self.unknown = tuple(unknown)
        self.tokens = {name: tuple(words) for name, words in tokens.items()}
        self.answer = answer
        self.logits = logits
        self._maps = {}
        for token_map in maps:
            name = token_map.name
            if len(self.tokens) > 1:
                name = f"{token_map.sentence}.{name}"
            self._maps[name] = token_map

    @classmethod
    def build(
        cls,
        maps: Iterable[TokenMap],
        tokens: Mapping[str, Sequence[str]],
        answer: Any = None,
        logits: np.ndarray | None = None,
        unknown: Iterable[str] = (),
    ) -> "Explanation":
        """Builds an explanation from maps whose field `tokens` is not set.

        Args:
            maps: `TokenMap`s with NumPy arrays, without a batch axis.
            tokens, answer, logits, unknown: see the attributes.

        Raises: `ValueError` if the shape of an array does not match the kind of the map
            and the numbers of tokens.
        """
        maps = [token_map.with_tokens(tokens) for token_map in maps]
        return cls(maps, tokens, answer, logits, unknown)

    def to_dict(self) -> dict[str, Any]:
        """Converts the answer, the tokens and all maps to a dictionary of JSON
        values."""
        answer = {}
        if self.answer is not None:
            answer = self.answer._asdict()
        return {
            **answer,
            "unknown": self.unknown,
            "tokens": self.tokens,
            "maps": {name: token_map.to_dict() for name, token_map in self.items()},
        }

    def of(self, sentence: str) -> "Explanation":
        """Returns an `Explanation` with the maps of one sentence of a pair.

        Raises: `InputError` if the sentence name is unknown.
        """
        if sentence not in self.tokens:
            names = ", ".join(self.tokens)
            raise InputError(f"no sentence '{sentence}'. Sentences: {names}")
        maps = [
            token_map for token_map in self.values() if token_map.sentence == sentence
        ]
        tokens = {sentence: self.tokens[sentence]}
        return Explanation(maps, tokens, self.answer, self.logits, self.unknown)

    def __getitem__(self, name: str) -> TokenMap:
        if name not in self._maps:
            raise KeyError(f"no map '{name}'. Maps: {', '.join(self)}")
        return self._maps[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._maps)

    def __len__(self) -> int:
        return len(self._maps)

    def __repr__(self) -> str:
        lines = [f"{name}: {' '.join(words)}" for name, words in self.tokens.items()]
        if self.answer is not None:
            lines.insert(0, f"answer: {self.answer}")
        if self.unknown:
            lines.append(f"unknown: {' '.join(self.unknown)}")
        lines += [f"  {name!r}: {token_map}" for name, token_map in self.items()]
        return "\n".join(["Explanation", *lines])
