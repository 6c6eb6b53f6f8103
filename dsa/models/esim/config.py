"""ESIM (Chen et al. 2017, arXiv:1609.06038) and aESIM (Li et al. 2019): joint models.

The defaults are the published settings.
"""

from typing import Literal

from dsa.config_section import Count, Section, Share
from dsa.seeds import derived_seed


class JointConfig(Section):
    """What both share. `dropout`: of word vectors, projection, pooled features and
    hidden layer, as in ESIM's released code."""

    units: Count = 300
    dropout: Share = 0.5

    def check_inputs(self, units):
        """Word vectors of any number of features will do."""


class ESIMConfig(JointConfig):
    """`model` for `name: esim`."""

    name: Literal["esim"]


class AESIMConfig(JointConfig):
    """`model` for `name: aesim`. `share_attention`: one word attention for both
    directions; `rescale`: multiplies what it weighs by the sentence's length. The paper
    leaves the one open, and does not do the other."""

    name: Literal["aesim"]
    dropout: Share = 0.2
    share_attention: bool = False
    rescale: bool = False


def build_joint(config, embedding, outputs, seed, dtype):
    """The `ESIM` of one of these configs, with its weights."""
    import keras

    from dsa.models.esim.network import ESIM

    attentive = isinstance(config, AESIMConfig)
    settings = config.model_dump(exclude={"name"})
    model = ESIM(
        embedding,
        outputs,
        **settings,
        activation="selu" if attentive else "relu",
        attentive=attentive,
        seed=derived_seed(seed, "joint"),
        dtype=dtype,
        name="joint",
    )
    ids = keras.Input((None,), dtype="int32")
    model({name: ids for name in model.sentences})  # a symbolic call makes the weights
    return model
