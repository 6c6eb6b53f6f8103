"""What a model looked at: arrays that say what they are about.

A layer declares a `TokenMap` for every tensor that it shows; `TrainedModel.explain`
returns them as an `Explanation`. Figures and the page read these types and know no
model, so the maps of a new model are drawn without a change there.
"""

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from dsa.errors import InputError

MOST_WORDS = 120  # of a drawn map: more labels are illegible


class MapKind(enum.Enum):
    """What the axes of a map's array are, in their order.

    "token" is a token that looks, "looked_at" one that it looks at. The two are tokens
    of the same sentence, unless `TokenMap.over` names another one.
    """

    TOKEN_OVER_TOKEN = ("token", "looked_at")
    TOKEN_OVER_TOKEN_BY_HEAD = ("head", "token", "looked_at")
    TOKEN_OVER_TOKEN_BY_FEATURE = ("token", "looked_at", "feature")
    TOKEN = ("token",)
    TOKEN_BY_FEATURE = ("token", "feature")
    WINNING_TOKEN = ("feature",)  # the position of the token that each feature is of

    @property
    def axes(self):
        """Names of the axes."""
        return self.value


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TokenMap:
    """Numbers about the tokens of one sentence.

    Args:
        what: what the numbers are, a word for a dictionary, such as `gate`.
        kind: the `MapKind`.
        values: the array. In a layer it is a tensor, and the batch is its first axis;
            in an `Explanation` it is a NumPy array without that axis.
        direction: "forward", "backward" or `None`.
        part: the part of the model that the map is from, where several parts have the
            same map, such as `encoding`.
        sentence: the sentence that looks, such as `premise`. An encoder leaves it out.
        over: the sentence that is looked at; `None` for the same one.
        summary: how the features of a `TOKEN_BY_FEATURE` map become one number.
        label: `what` in words, for figures; that of the summary.
        note: what the numbers mean, in words, for figures.
        window: above 1, the map is over windows of so many tokens instead of tokens:
            the first one holds only the first token, the last one only the last.
        tokens: the texts of the sentence's tokens, or windows; an `Explanation` knows
            them.
        looked_at: the same of what is looked at; empty where nothing is.

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
    def name(self):
        """The name among the maps of one sentence, such as `gate_forward`."""
        return "_".join(filter(None, (self.part, self.what, self.direction)))

    @property
    def summary_name(self):
        """The name of the numbers that `by_token` gives."""
        return f"largest_{self.name}" if self.summary == "max" else self.name

    @property
    def title(self):
        """The name in words, such as `gate, forward`."""
        label = self.label or self.what.replace("_", " ")
        return ", ".join(filter(None, (label, self.part, self.direction)))

    @property
    def is_over_tokens(self):
        """Whether each token has a number for each token that it looks at."""
        return "looked_at" in self.kind.axes

    def average(self):
        """Token over token, `(L, K)`: the average over heads or features."""
        others = [n for n, axis in enumerate(self.kind.axes) if axis in _AVERAGED]
        return self.values.mean(axis=tuple(others)) if others else self.values

    def by_head(self):
        """Token over token for each head: a list of arrays `(L, K)`, empty where the
        map has no heads."""
        return list(self.values) if "head" in self.kind.axes else []

    def by_token(self):
        """One number for each token, `(L,)`: the number itself, the `summary` of its
        features, or the share of the features that the token wins.

        Raises: `ValueError` for a map of token over token.
        """
        if self.kind is MapKind.TOKEN:
            return self.values
        if self.kind is MapKind.TOKEN_BY_FEATURE:
            summarize = np.max if self.summary == "max" else np.mean
            return summarize(self.values, axis=-1)
        if self.kind is MapKind.WINNING_TOKEN:
            counts = np.bincount(self.values, minlength=len(self.tokens))
            return counts / len(self.values)
        raise ValueError(
            "A map of token over token has no number for each token. Received: "
            f"{self.name}, {self.kind.name}"
        )

    def to_dict(self):
        """Returns the map as JSON values: a token-over-token map as `average` and, if
        it has heads, `by_head`; any other map as `by_token`."""
        content = {
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
        if heads := self.by_head():
            content["by_head"] = to_float32_list(np.stack(heads))
        return content

    def with_tokens(self, tokens):
        """The same map with the texts of its tokens.

        Args:
            tokens: `{sentence name: texts}`. A map without a sentence is of the only
                one.

        Raises: `ValueError` for an array that does not fit the map's kind and tokens.
        """
        sentence = self.sentence or next(iter(tokens))
        looks = join_windows(tokens[sentence], self.window)
        looked_at = ()
        if self.is_over_tokens:
            looked_at = join_windows(tokens[self.over or sentence], self.window)
        lengths = {"token": len(looks), "looked_at": len(looked_at)}
        axes, shape = self.kind.axes, np.shape(self.values)
        if len(axes) != len(shape) or any(
            size != lengths.get(axis, size)
            for axis, size in zip(axes, shape, strict=False)
        ):
            raise ValueError(
                f"The map '{self.name}' must have the axes ({', '.join(axes)}), with "
                f"{lengths['token']} tokens of '{sentence}' and {lengths['looked_at']} "
                f"that are looked at. Received: shape {shape}"
            )
        return dataclasses.replace(
            self, sentence=sentence, tokens=looks, looked_at=looked_at
        )

    def __repr__(self):
        shape = zip(np.shape(self.values), self.kind.axes, strict=False)
        sizes = " x ".join(f"{size} {axis}" for size, axis in shape)
        return f"<TokenMap {self.name}: {sizes}>"


_AVERAGED = ("head", "feature")
SHOWN_WORDS = 10  # of those that a model does not know


def describe_unknown(words):
    """What a user is told of the words that a model does not know; "" for none.

    Example:
        >>> describe_unknown(["okapi", "zebra"])
        'unknown to this run, all read as one word: okapi, zebra'
    """
    if not words:
        return ""
    more = len(words) - SHOWN_WORDS
    return (
        f"unknown to this run, all read as one word: {', '.join(words[:SHOWN_WORDS])}"
        f"{f' and {more} more' if more > 0 else ''}"
    )


def to_float32_list(array):
    """Returns nested lists of numbers with the shortest digits that are exact in
    float32."""
    return np.asarray(array, np.float32).astype(str).astype(float).tolist()


def join_windows(tokens, width):
    """The texts of all windows of a width that hold at least one token.

    Example:
        >>> join_windows(["a", "man", "sleeps"], 2)
        ('a', 'a man', 'man sleeps', 'sleeps')
    """
    ends = range(1, len(tokens) + width)
    return tuple(" ".join(tokens[max(end - width, 0) : end]) for end in ends)


def describe_maps(maps: list[TokenMap], **where: Any) -> list[TokenMap]:
    """The same maps with more of their fields filled in, such as `direction`."""
    return [dataclasses.replace(one, **where) for one in maps]


def make_gate_map(values: Any) -> TokenMap:
    """The `TokenMap` of a gate's values `(B, L, D)`."""
    note = "1: the word, 0: its context"
    return TokenMap("gate", MapKind.TOKEN_BY_FEATURE, values, note=note)


def call_layer(
    layer: Any,
    maps: list[TokenMap] | None,
    *inputs: Any,
    describe: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Returns the output of a layer, and adds what the layer looked at to a list.

    Args:
        layer: a layer that takes `return_attention`.
        maps: list that the layer's `TokenMap`s are added to; `None` to ask for none.
        inputs, options: arguments of the layer's call.
        describe: fields of the maps to fill in, see `describe_maps`.
    """
    if maps is None:
        return layer(*inputs, **options)
    output, new_maps = layer(*inputs, return_attention=True, **options)
    maps += describe_maps(new_maps, **describe or {})
    return output


class Explanation(Mapping):
    """What a model looked at in a pair or in a sentence: `TokenMap`s by name.

    The maps of a pair are named after their sentence and themselves, as
    `premise.gate_forward`; those of a single sentence only after themselves.

    Attributes:
        tokens: `{sentence name: texts}`.
        answer: the model's, a `Prediction` or a `Score`; `None` if it was not asked.
        logits: `(outputs,)`; `None` as well.
        unknown: the words that the model does not know, which it reads as one word.

    Example:
        >>> tokens = {"sentence": ["A", "man"]}
        >>> gate = TokenMap("gate", MapKind.TOKEN, np.array([1.0, 0.5]))
        >>> explanation = Explanation.build([gate], tokens)
        >>> explanation["gate"].tokens, explanation["gate"].values.tolist()
        (('A', 'man'), [1.0, 0.5])
    """

    def __init__(self, maps, tokens, answer=None, logits=None, unknown=()):
        self.unknown = tuple(unknown)
        self.tokens = {name: tuple(texts) for name, texts in tokens.items()}
        self.answer = answer
        self.logits = logits
        several = len(self.tokens) > 1
        self._maps = {
            f"{one.sentence}.{one.name}" if several else one.name: one for one in maps
        }

    @classmethod
    def build(cls, maps, tokens, answer=None, logits=None, unknown=()):
        """An explanation from maps that do not know their tokens yet.

        Args:
            maps: `TokenMap`s with NumPy arrays, without batch axis.
            tokens, answer, logits, unknown: see above.

        Raises: `ValueError` for an array that does not fit its map's kind.
        """
        maps = [one.with_tokens(tokens) for one in maps]
        return cls(maps, tokens, answer, logits, unknown)

    def to_dict(self):
        """Returns the prediction, the tokens and all maps as JSON values."""
        answer = self.answer._asdict() if self.answer else {}
        return {
            **answer,
            "unknown": self.unknown,
            "tokens": self.tokens,
            "maps": {name: token_map.to_dict() for name, token_map in self.items()},
        }

    def of(self, sentence):
        """The maps of one sentence of a pair, as an `Explanation` of it."""
        if sentence not in self.tokens:
            known = ", ".join(self.tokens)
            raise InputError(f"no sentence '{sentence}'. There are: {known}")
        maps = [one for one in self.values() if one.sentence == sentence]
        tokens = {sentence: self.tokens[sentence]}
        return Explanation(maps, tokens, self.answer, self.logits, self.unknown)

    def __getitem__(self, name):
        if name not in self._maps:
            raise KeyError(f"no map '{name}'. There are: {', '.join(self)}")
        return self._maps[name]

    def __iter__(self):
        return iter(self._maps)

    def __len__(self):
        return len(self._maps)

    def __repr__(self):
        lines = [f"{name}: {' '.join(texts)}" for name, texts in self.tokens.items()]
        if self.answer is not None:
            lines.insert(0, f"answer: {self.answer}")
        if self.unknown:
            lines.append(f"unknown: {' '.join(self.unknown)}")
        lines += [f"  {name!r}: {one}" for name, one in self.items()]
        return "\n".join(["Explanation", *lines])
