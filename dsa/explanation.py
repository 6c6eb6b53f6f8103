"""Explanation of a prediction: the attention maps of a pair or a sentence.

The maps are defined in `dsa.token_maps`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dsa.errors import InputError
from dsa.token_maps import MapKind, TokenMap, to_float32_list

__all__ = [
    "MAX_WORDS",
    "Explanation",
    "MapKind",
    "TokenMap",
    "describe_unknown",
    "to_float32_list",
]

MAX_WORDS = 120  # maximum number of words in a figure, limited by legible labels
SHOWN_WORDS = 10  # maximum number of unknown words in a message


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


class Explanation(Mapping):
    """Mapping from names to the `TokenMap`s of a pair or a single sentence.

    The names are `<sentence>.<map>` for a pair, such as `premise.gate_forward`, and
    `<map>` for a single sentence.

    Attributes:
        tokens: `{sentence name: tokens}`.
        answer: prediction of the model, such as a `Prediction` or a `Score`; `None` for
            the explanation of an encoder.
        logits: array `(outputs,)`; `None` for the explanation of an encoder.
        unknown: tuple of the words that are not in the vocabulary of the model.

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
            maps: `TokenMap`s with NumPy arrays that have no batch axis.
            tokens, answer, logits, unknown: see the attributes.

        Raises: `ValueError` if the shape of an array does not match the kind of the map
            and the numbers of tokens.
        """
        maps = [token_map.with_tokens(tokens) for token_map in maps]
        return cls(maps, tokens, answer, logits, unknown)

    def to_dict(self) -> dict[str, Any]:
        """Converts the prediction, the tokens, the unknown words and all maps to a
        dictionary of JSON values."""
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

        Raises: `InputError` if `sentence` is not the name of a sentence.
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
