"""Every setting of an encoder changes the layer that is built."""

import pytest

from dsa.models.model_config import ModelParts
from dsa.models.registry import FAMILIES

pytestmark = pytest.mark.keras  # run on JAX in CI too

OTHERS = {  # tested with their layers
    *("dsa", "disan", "source2token", "additive_attention", "multi_head", "bilstm")
}
BASES = {"swem": {"pooling": "hierarchical"}}
RECURRENT = {"units": 7, "dropout": 0.25}
CHANGES = {  # another value of each setting
    "cbow": {"pooling": "sum", "dropout": 0.25},
    "bilstm_mean": RECURRENT,
    "bilstm_max": RECURRENT,
    "bilstm_inner": RECURRENT,
    "lstm": RECURRENT,
    "gru": RECURRENT,
    "bialstm": {"units": 7, "share_attention": True, "rescale": True},
    "gated_attention": {**RECURRENT, "layers": 2, "gate": "output"},
    "hbmp": {**RECURRENT, "layers": 2},
    "self_attentive": {
        **RECURRENT,
        "attention_units": 7,
        "hops": 7,
        "penalty": 0.25,
        "penalty_form": "released",
    },
    "shortcut_stacked": {"units": [7, 7], "shortcut": "concatenate", "dropout": 0.25},
    "swem": {**RECURRENT, "pooling": "concat", "window": 2, "word_layer": False},
    "transformer": {
        "units": 310,
        "heads": 6,
        "layers": 2,
        "stacks": 3,
        "hidden_units": 7,
        "positions": "relative",
        "max_position": 7,
        "max_distance": 7,
        "word_scale": 2.0,
        "norm": "pre",
        "dropout": 0.25,
        "pooling": "max",
        "layer_norm": False,
    },
}
CASES = [(name, setting) for name, changes in CHANGES.items() for setting in changes]


def describe(name, seed=1, dtype="float32", **settings):
    """Returns the Keras config of the encoder that is built from settings."""
    family = FAMILIES[name]
    config = family.config(name=name, **{**BASES.get(name, {}), **settings})
    parts = ModelParts(None, None, 9, seed=seed, dtype=dtype)
    return family.build(config, parts).get_config()


def test_every_setting_of_every_encoder_is_tested():
    encoders = {name for name, family in FAMILIES.items() if family.encodes}
    assert encoders == OTHERS | CHANGES.keys()
    for name, changes in CHANGES.items():
        fields = FAMILIES[name].config.model_fields
        assert fields.keys() - {"name", "classifier"} == changes.keys(), name


@pytest.mark.parametrize(("name", "setting"), CASES)
def test_a_setting_changes_the_encoder(name, setting):
    assert describe(name) == describe(name)
    assert describe(name, **{setting: CHANGES[name][setting]}) != describe(name)


def test_the_dropout_of_swem_without_a_word_layer_changes_the_encoder():
    changed = describe("swem", word_layer=False, dropout=0.25)
    assert changed != describe("swem", word_layer=False)


@pytest.mark.parametrize("name", CHANGES)
def test_the_seed_and_the_precision_reach_the_encoder(name):
    assert "float32" not in str(describe(name, dtype="mixed_bfloat16"))
    if "dropout" in CHANGES[name]:
        one, other = (describe(name, seed, dropout=0.25) for seed in (1, 2))
        assert one != other
