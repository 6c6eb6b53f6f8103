import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model

pytestmark = pytest.mark.keras  # run on JAX in CI too


def trainable(**overrides):
    """Returns the number of trainable parameters without the 300-d embeddings."""
    experiment = load_experiment("configs/snli/dsa.yaml", overrides)
    model = build_model(experiment, vocabulary_size=5)
    return sum(int(np.prod(v.shape)) for v in model.trainable_variables)


def test_the_published_settings_have_4_697_403_parameters():
    assert trainable() == 4_697_403  # 4.7m in the paper's table 1


@pytest.mark.nightly_on_jax
@pytest.mark.slow
@pytest.mark.parametrize(
    ("overrides", "parameters"),
    [
        ({"model.layer_norm": False}, 4_686_003),
        ({"model.alpha": 0}, 4_697_403),
        ({"model.gate": "raw"}, 4_697_403),
        ({"model.gate": "normalized"}, 4_697_403 + 2 * 2 * 2 * 300),
        ({"model.directions": False}, 4_697_403),
        ({"model.feed_forward": False}, 3_253_203),
        ({"model.pooling": "source2token"}, 3_977_403),
        ({"model.pooling": "max"}, 3_253_803),
        ({"model.hidden_units": 600}, 3_976_203),
        ({"embedding.units": 50, "embedding.projection": 300}, 4_697_403 + 50 * 300),
        ({"embedding.trainable": True}, 4_697_403 + 5 * 300),
    ],
)
def test_a_setting_changes_the_parameters_as_computed_by_hand(overrides, parameters):
    assert trainable(**overrides) == parameters


@pytest.mark.parametrize("attention", ["multi_head", "multi_dimensional"])
@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("alpha", 0.25, lambda block: block.self_attention.alpha),
        ("directions", False, lambda block: block.self_attention.directional),
        ("gate", "raw", lambda block: block.fusion_gate.mixes),
        ("layer_norm", False, lambda block: block.self_attention.layer_norm),
    ],
)
def test_a_setting_reaches_both_directions(attention, name, value, read):
    small = {"model.units": 6, "model.heads": 2, "embedding.units": 6}
    settings = {"model.attention": attention, f"model.{name}": value}
    experiment = load_experiment("configs/snli/dsa.yaml", {**small, **settings})
    encoder = build_model(experiment, vocabulary_size=5).encoder
    assert [read(block) for block in encoder.directions] == [value, value]


def test_the_ablation_config_differs_only_in_alpha():
    published = load_experiment("configs/snli/dsa.yaml").model_dump()
    ablation = load_experiment("configs/snli/dsa_no_distance.yaml").model_dump()
    assert published["model"].pop("alpha") == 1.5
    assert ablation["model"].pop("alpha") == 0
    assert published == ablation
