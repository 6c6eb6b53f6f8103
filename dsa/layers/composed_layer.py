"""Layers that are made of other layers."""

from collections.abc import Callable, Collection
from typing import Any

import keras

from dsa.backends.layer_normalization import LayerNormalization
from dsa.seeds import derived_seed


def check_choice(argument: str, value: Any, choices: Collection[Any]) -> None:
    """Raises `ValueError` if the value of an argument is not one of its choices."""
    if value not in choices:
        raise ValueError(
            f"`{argument}` must be one of {tuple(choices)}. Received: {value!r}"
        )


class ComposedLayer(keras.layers.Layer):
    """A layer whose parts have its dtype policy.

    Argument of all such layers with dropout:
        seed: seed of the dropouts, or what their seeds are derived from; `None` for
            unseeded ones.
    """

    dropout: float
    seed: int | None

    def build_part(
        self, form: Callable[..., Any], name: str, shape, *args: Any, **options: Any
    ) -> Any:
        """Returns the layer `form(*args, **options)` with its weights, for inputs of a
        shape."""
        layer = form(*args, **{"dtype": self.dtype_policy, **options}, name=name)
        layer.build(shape)
        return layer

    def build_norm(self, name: str, shape: Any) -> LayerNormalization:
        """Returns a layer normalisation in float32, with epsilon 1e-5."""
        options = {"epsilon": 1e-5, "dtype": "float32"}
        return self.build_part(LayerNormalization, name, shape, **options)

    def make_dropout(self, *names: str) -> keras.layers.Dropout:
        """Returns a layer that drops the share `dropout`, by `derived_seed(seed,
        *names)`, or by `seed` itself without names; `None` for an unseeded one."""
        seed = derived_seed(self.seed, *names) if names else self.seed
        return keras.layers.Dropout(self.dropout, seed=seed, dtype=self.dtype_policy)
