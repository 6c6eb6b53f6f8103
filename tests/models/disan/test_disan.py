from typing import Literal

import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model
from dsa.models.disan.config import PooledConfig, build_encoder
from dsa.models.model_config import ModelParts
from tests.support.ci_cases import first_on_jax
from tests.support.layer_checks import check_every_weight_learns, numpy_of

pytestmark = pytest.mark.keras  # run on JAX in CI too

BASE = {"embedding.path": "glove/glove.6B.300d.txt", "embedding.units": 300}
ENCODER_CASES = [  # settings, trainable parameters without embeddings
    ({"model": {"name": "disan"}}, 2_345_403),
    ({"model": {"name": "disan", "gate_biases": 1}}, 2_344_203),
    ({"model": {"name": "disan", "directions": False}}, 2_345_403),
    ({"model": {"name": "additive_attention"}}, 451_803),
    ({"model": {"name": "source2token"}}, 541_803),
    ({"model": {"name": "multi_head"}}, 1_982_403),
    ({"model": {"name": "bilstm"}}, 2_884_803),
]


def model_of(settings, **more):
    experiment = load_experiment("configs/snli/dsa.yaml", {**BASE, **settings, **more})
    return build_model(experiment, vocabulary_size=7)


@pytest.mark.nightly_on_jax
@pytest.mark.parametrize("settings, parameters", ENCODER_CASES)
def test_the_published_settings_have_the_papers_parameters(settings, parameters):
    model = model_of(settings)
    assert sum(int(np.prod(v.shape)) for v in model.trainable_variables) == parameters


def test_settings_reach_both_blocks_of_disan():
    settings = {"directions": False, "scale": 2.0, "activation": "relu"}
    model = model_of({"model": {"name": "disan", "units": 6, **settings}})
    for block in model.encoder.context.blocks:
        attention = block.token2token
        assert (attention.direction, attention.scale) == ("others", 2.0)
        assert block.hidden.activation == "relu"


def test_settings_reach_the_multi_head_layer():
    settings = {"positions": "alternating", "initialization": "released"}
    model = model_of({"model": {"name": "multi_head", "units": 8, **settings}})
    layer = model.encoder.context
    assert {name: getattr(layer, name) for name in settings} == settings


# matrices with weight decay in the released code
CLASSIFIER = {"hidden/dense", "logits"}
POOLING = {"source2token/hidden/dense", "source2token/logits/dense"}
BLOCKS = {
    f"blocks/{direction}/{part}/dense"
    for direction in ("forward", "backward")
    for part in (
        "hidden",
        "fusion_gate/token_projection",
        "fusion_gate/context_projection",
    )
}
DECAYED = {
    "disan": CLASSIFIER | POOLING | BLOCKS,
    "source2token": CLASSIFIER | POOLING,
    "additive_attention": CLASSIFIER | {"additive_attention/hidden/dense"},
    "multi_head": CLASSIFIER
    | POOLING
    | {f"multi_head/{name}" for name in ("query", "key", "value")},
    "bilstm": CLASSIFIER
    | POOLING
    | {f"bilstm/bidirectional/{d}_lstm/lstm_cell" for d in ("forward", "backward")},
}


@pytest.mark.parametrize("name", first_on_jax(DECAYED))
def test_the_loss_includes_half_the_squares_of_the_decayed_matrices_only(name):
    model = model_of({"model": {"name": name, "l2": 0.01}})
    model.compile(loss=None)
    expected, decayed = 0.0, set()
    for weight in model.trainable_variables:
        if weight.regularizer is None:
            continue
        path = weight.path.split("/")
        start = path.index("encoder") if "encoder" in path else path.index("classifier")
        decayed.add("/".join(path[start + 1 : -1]))
        assert path[-1] in ("kernel", "recurrent_kernel")
        l2 = (
            5e-5
            if start == path.index("classifier") and "encoder" not in path
            else 0.01
        )
        expected += l2 * (numpy_of(weight).astype(np.float64) ** 2).sum() / 2
    assert decayed == DECAYED[name]
    ids = np.array([[2, 3]], np.int32)
    model({"premise": ids, "hypothesis": ids})
    assert float(sum(map(float, model.losses))) == pytest.approx(expected, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("name", first_on_jax(DECAYED))
def test_every_weight_learns(name):
    small = {"embedding.units": 6, "embedding.trainable": True, "embedding.path": None}
    settings = {"name": name, "classifier": {"units": 5}}
    if name in ("disan", "bilstm"):
        settings["units"] = 5
    if name == "multi_head":
        settings |= {"units": 6, "heads": 3}
    model = model_of({**small, "model": settings})
    model.embedding.set_vectors(np.random.default_rng(0).normal(size=(7, 6)))
    inputs = {
        "premise": np.array([[2, 3, 4, 5], [6, 1, 0, 0]], np.int32),
        "hypothesis": np.array([[3, 6, 2], [5, 4, 0]], np.int32),
    }
    check_every_weight_learns(model, inputs, [0, 2])


def test_sinusoidal_positions_require_an_even_number_of_features():
    from dsa.errors import InputError

    with pytest.raises(InputError, match="must be even. Received: 301"):
        model_of({"model": {"name": "multi_head"}}, **{"embedding.units": 301})


def test_a_config_without_a_context_layer_raises_an_error():
    class GRUConfig(PooledConfig):
        name: Literal["disan_gru"]

    parts = ModelParts(task=None, embedding=None, vocabulary_size=5, seed=3)
    with pytest.raises(ValueError, match="one of its baselines. Received: disan_gru"):
        build_encoder(GRUConfig(name="disan_gru"), parts)
