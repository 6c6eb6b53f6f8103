"""A model family: its config class and the function that builds its models.

The module of a family is imported on first use of its config. This module does not
import Keras; building a model does.
"""

import dataclasses
import importlib
from typing import Any, ClassVar

from dsa.models.model_config import ModelConfig, ModelParts


@dataclasses.dataclass(frozen=True)
class Family:
    """A model family, selected by `model.name` in a config.

        Family("new", "dsa.models.new.config", "NewConfig", "build_pair_model")

    Args:
        name: the value of `model.name`.
        module: name of the module of its config, which does not import Keras.
        config_name: name of the config class in this module, a `ModelConfig` with
            `name: Literal["<name>"]`.
        build_name: name of a function in this module that takes the config and
            `ModelParts`. For an encoder, it returns a layer that maps word vectors
            `(B, L, D)` and a mask `(B, L)` to sentence vectors `(B, S)`. For a pair
            model, it returns a model that maps a dictionary of token ids `(B, L)` to
            logits.
        paper: authors and year of the paper.
        encodes: whether the family is a sentence encoder. Encoders support all tasks,
            pair models the classification of pairs.
        reads_features: whether the model takes additional features of a pair, the
            section `features` of the config.

    Attributes:
        trainer: name of the functions that train and load a model of this family.
        weights_file: name of the file of the selected weights in a run folder.
        has_epochs: whether training takes steps over epochs, with a learning curve.
        has_word_vectors: whether the model embeds words.
        members: attributes that a pair model must have.
    """

    trainer: ClassVar[str] = "network"
    weights_file: ClassVar[str] = "best.weights.h5"
    has_epochs: ClassVar[bool] = True
    has_word_vectors: ClassVar[bool] = True
    members: ClassVar[tuple[str, ...]] = ("embedding", "explain")

    name: str
    module: str
    config_name: str
    build_name: str
    paper: str = "-"
    encodes: bool = False
    reads_features: bool = False

    @property
    def config(self) -> type[ModelConfig]:
        """The config class of the family."""
        return self._import(self.config_name)

    def build(self, config: ModelConfig, parts: ModelParts) -> Any:
        """Builds the encoder or the pair model of a config, see `build_name`."""
        return self._import(self.build_name)(config, parts)

    @property
    def is_network(self) -> bool:
        """Whether its models are Keras networks."""
        return self.trainer == "network"

    def accepts(self, task: Any) -> bool:
        """Returns whether the family supports a task."""
        return self.encodes or task.classifies_pairs

    def _import(self, name: str) -> Any:
        return getattr(importlib.import_module(self.module), name)


class LinearFamily(Family):
    """A family of linear classifiers, fitted by scikit-learn."""

    trainer: ClassVar[str] = "linear"
    weights_file: ClassVar[str] = "features.npz"
    has_epochs: ClassVar[bool] = False
    has_word_vectors: ClassVar[bool] = False
    members: ClassVar[tuple[str, ...]] = ()
