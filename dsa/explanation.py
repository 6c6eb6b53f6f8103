"""Attention maps and other per-token arrays, labelled with axes and tokens.

A layer returns a `TokenMap` for each tensor to display; `TrainedModel.explain` returns
the maps as an `Explanation`. Figures and the page only depend on these types, so that
they can draw the maps of any model.
"""

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from dsa.errors import InputError

MAX_WORDS = 120  # maximum number of words in a drawn map; more labels are illegible
SHOWN_WORDS = 10  # maximum number of unknown words in a message


class MapKind(enum.Enum):
    """Axes of a map's array, in order.

    "token" is the axis of the query tokens, and "looked_at" is the axis of the key
    tokens, to which the queries attend. Both are tokens of the same sentence, unless
    `TokenMap.over` is the name of another sentence.
    """

    TOKEN_OVER_TOKEN = ("token", "looked_at")
    TOKEN_OVER_TOKEN_BY_HEAD = ("head", "token", "looked_at")
    TOKEN_OVER_TOKEN_BY_FEATURE = ("token", "looked_at", "feature")
    TOKEN = ("token",)
    TOKEN_BY_FEATURE = ("token", "feature")
    WINNING_TOKEN = ("feature",)  # arg max over tokens, for each feature

    @property
    def axes(self):
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
        sentence: name of the sentence of the query tokens, such as `premise`; `None`
            for the first sentence. Encoders return maps with `None`.
        over: name of the sentence of the key tokens; `None` for `sentence`.
        summary: reduction over the features of a `TOKEN_BY_FEATURE` map.
        label: label of the (reduced) quantity in figures; by default, `what`.
        note: explanation of the values in figures.
        window: number of tokens per window, for maps over windows of tokens. The first
            window only contains the first token, and the last window only the last
            token.
        tokens: texts of the query tokens or windows; set by `Explanation.build`.
        looked_at: texts of the key tokens or windows; empty for maps without keys.

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
        """Unique name among the maps of a sentence, such as `gate_forward`."""
        return "_".join(filter(None, (self.part, self.what, self.direction)))

    @property
    def summary_name(self):
        """Name of the values of `by_token`."""
        return f"largest_{self.name}" if self.summary == "max" else self.name

    @property
    def title(self):
        """Title in figures, such as `gate, forward`."""
        label = self.label or self.what.replace("_", " ")
        return ", ".join(filter(None, (label, self.part, self.direction)))

    @property
    def is_over_tokens(self):
        """Whether the map has a value for each pair of query and key token."""
        return "looked_at" in self.kind.axes

    def average(self):
        """Returns the average over heads or features: query by key tokens, `(L, K)`."""
        axes = [
            number
            for number, axis in enumerate(self.kind.axes)
            if axis in ("head", "feature")
        ]
        return self.values.mean(axis=tuple(axes)) if axes else self.values

    def by_head(self):
        """Returns a list of arrays `(L, K)`, one per head; empty for maps without
        heads."""
        return list(self.values) if "head" in self.kind.axes else []

    def by_token(self):
        """Returns one value per token, `(L,)`.

        For a `TOKEN` map, these are the values of the array; for a `TOKEN_BY_FEATURE`
        map, the `summary` over the features; for a `WINNING_TOKEN` map, the share of
        the features whose arg max is the token.

        Raises: `ValueError` for maps of query by key tokens.
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
            "A map of query by key tokens has no value per token. Received: "
            f"{self.name}, {self.kind.name}"
        )

    def to_dict(self):
        """Returns the map as a dictionary of JSON values.

        A map of query by key tokens has the key `average` and, if it has heads,
        `by_head`. Other maps have the key `by_token`.
        """
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
        heads = self.by_head()
        if heads:
            content["by_head"] = to_float32_list(np.stack(heads))
        return content

    def with_tokens(self, tokens):
        """Returns a copy of the map with the texts of its tokens.

        Args:
            tokens: `{sentence name: texts}`. The first sentence is assigned to a map
                whose `sentence` is `None`.

        Raises: `ValueError` if the shape of the array does not match the map's kind and
            the numbers of tokens.
        """
        sentence = self.sentence or next(iter(tokens))
        queries = join_windows(tokens[sentence], self.window)
        keys = ()
        if self.is_over_tokens:
            keys = join_windows(tokens[self.over or sentence], self.window)
        lengths = {"token": len(queries), "looked_at": len(keys)}
        axes, shape = self.kind.axes, np.shape(self.values)
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

    def __repr__(self):
        shape = zip(np.shape(self.values), self.kind.axes, strict=False)
        sizes = " x ".join(f"{size} {axis}" for size, axis in shape)
        return f"<TokenMap {self.name}: {sizes}>"


def describe_unknown(words):
    """Returns a message that lists unknown words; "" for no words.

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


def to_float32_list(array):
    """Returns an array as nested lists. Numbers have as many digits as float32
    requires."""
    return np.asarray(array, np.float32).astype(str).astype(float).tolist()


def join_windows(tokens, width):
    """Returns the texts of all windows of `width` tokens, including partial windows at
    both ends.

    Example:
        >>> join_windows(["a", "man", "sleeps"], 2)
        ('a', 'a man', 'man sleeps', 'sleeps')
    """
    ends = range(1, len(tokens) + width)
    return tuple(" ".join(tokens[max(end - width, 0) : end]) for end in ends)


def describe_maps(maps: list[TokenMap], **fields: Any) -> list[TokenMap]:
    """Returns copies of the maps with the given fields, such as `direction`."""
    return [dataclasses.replace(token_map, **fields) for token_map in maps]


def make_gate_map(values: Any) -> TokenMap:
    """Returns the `TokenMap` of a fusion gate with values `(B, L, D)`."""
    return TokenMap(
        "gate",
        MapKind.TOKEN_BY_FEATURE,
        values,
        note="1: the word, 0: its context",
    )


def call_layer(
    layer: Any,
    maps: list[TokenMap] | None,
    *inputs: Any,
    describe: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Calls a layer, appends its `TokenMap`s to a list, and returns the output.

    Args:
        layer: a layer with the call argument `return_attention`.
        maps: list to which the maps are appended; `None` to skip their computation.
        inputs, options: call arguments of the layer.
        describe: fields to set in the maps, see `describe_maps`.
    """
    if maps is None:
        return layer(*inputs, **options)
    output, new_maps = layer(*inputs, return_attention=True, **options)
    maps += describe_maps(new_maps, **describe or {})
    return output


class Explanation(Mapping):
    """Mapping from names to the `TokenMap`s of a pair or a sentence.

    The keys are `<sentence>.<map>` for a pair, such as `premise.gate_forward`, and
    `<map>` for a single sentence.

    Attributes:
        tokens: `{sentence name: texts}`.
        answer: answer of the model, such as a `Prediction` or a `Score`; `None` for an
            encoded sentence.
        logits: array `(outputs,)`; `None` for an encoded sentence.
        unknown: words that are not in the vocabulary of the model.

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
        self._maps = {}
        for token_map in maps:
            name = token_map.name
            if len(self.tokens) > 1:
                name = f"{token_map.sentence}.{name}"
            self._maps[name] = token_map

    @classmethod
    def build(cls, maps, tokens, answer=None, logits=None, unknown=()):
        """Builds an explanation from maps without token texts.

        Args:
            maps: `TokenMap`s with NumPy arrays, without a batch axis.
            tokens, answer, logits, unknown: see the attributes.

        Raises: `ValueError` if the shape of an array does not match the kind of the map
            and the numbers of tokens.
        """
        maps = [token_map.with_tokens(tokens) for token_map in maps]
        return cls(maps, tokens, answer, logits, unknown)

    def to_dict(self):
        """Returns the answer, the tokens and all maps as a dictionary of JSON
        values."""
        answer = self.answer._asdict() if self.answer else {}
        return {
            **answer,
            "unknown": self.unknown,
            "tokens": self.tokens,
            "maps": {name: token_map.to_dict() for name, token_map in self.items()},
        }

    def of(self, sentence):
        """Returns the `Explanation` of one sentence of a pair.

        Raises: `InputError` for an unknown sentence.
        """
        if sentence not in self.tokens:
            names = ", ".join(self.tokens)
            raise InputError(f"no sentence '{sentence}'. Sentences: {names}")
        maps = [
            token_map for token_map in self.values() if token_map.sentence == sentence
        ]
        tokens = {sentence: self.tokens[sentence]}
        return Explanation(maps, tokens, self.answer, self.logits, self.unknown)

    def __getitem__(self, name):
        if name not in self._maps:
            raise KeyError(f"no map '{name}'. Maps: {', '.join(self)}")
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
        lines += [f"  {name!r}: {token_map}" for name, token_map in self.items()]
        return "\n".join(["Explanation", *lines])
