"""The plain PyTorch DSA whose speed is compared with ours is the same model."""

import keras
import numpy as np
import pytest

from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model
from tests.support.layer_checks import numpy_of

torch = pytest.importorskip("torch")
VOCABULARY = 50
pytestmark = pytest.mark.keras


def give(layer, weights, name):
    """The weights of a linear map of the plain model, with its normalisation."""
    layer.dense.kernel.assign(weights[f"{name}.0.weight"].T)
    if layer.use_bias:
        layer.dense.bias.assign(weights[f"{name}.0.bias"])
    layer.norm.gamma.assign(weights[f"{name}.1.weight"])
    layer.norm.beta.assign(weights[f"{name}.1.bias"])


def give_direction(direction, weights, name):
    attention, gate = direction.self_attention, direction.fusion_gate
    for layer, part in (
        (attention.query, "query"),
        (attention.key, "key"),
        (attention.value, "value"),
        (attention.output_projection, "output"),
        (gate.token_projection, "token_gate"),
        (gate.context_projection, "context_gate"),
    ):
        give(layer, weights, f"{name}.{part}")
    gate.bias.assign(weights[f"{name}.gate_bias"])
    block = direction.feed_forward
    for layer, part in ((block.hidden, 0), (block.residual, 2)):
        layer.kernel.assign(weights[f"{name}.feed_forward.{part}.weight"].T)
        layer.bias.assign(weights[f"{name}.feed_forward.{part}.bias"])
    block.norm.gamma.assign(weights[f"{name}.norm.weight"])
    block.norm.beta.assign(weights[f"{name}.norm.bias"])


def test_it_gives_our_logits_from_our_weights():
    from benchmarks.plain_dsa import PlainDSA

    plain, random = PlainDSA(VOCABULARY).eval(), torch.Generator().manual_seed(0)
    for weight in plain.parameters():
        noise = torch.randn(weight.shape, generator=random)
        weight.data = 0.08 * noise + (weight.data if weight.ndim == 1 else 0)
    weights = {name: weight.numpy() for name, weight in plain.state_dict().items()}

    ours = build_model(load_experiment("configs/snli/dsa.yaml"), VOCABULARY)
    ours.embedding.set_vectors(weights["embedding.weight"])
    for number, direction in enumerate(ours.encoder.directions):
        give_direction(direction, weights, f"directions.{number}")
    give(ours.encoder.source2token.hidden, weights, "source2token.0")
    give(ours.encoder.source2token.logits, weights, "source2token.2")
    give(ours.hidden, weights, "classifier.0")
    ours.logits.kernel.assign(weights["classifier.3.weight"].T)
    ours.logits.bias.assign(weights["classifier.3.bias"])

    random = np.random.default_rng(0)
    premise, hypothesis = (
        random.integers(1, VOCABULARY, (4, length), np.int32) for length in (9, 5)
    )
    premise[1, 6:] = hypothesis[2, 1:] = 0  # padding
    inputs = {"premise": premise, "hypothesis": hypothesis}
    logits = plain(*(torch.from_numpy(ids).long() for ids in inputs.values()))
    np.testing.assert_allclose(
        logits.detach().cpu().numpy(),
        numpy_of(ours(inputs, training=False)),
        rtol=1e-4,
        atol=1e-4,
    )
    trained = sum(w.numel() for w in plain.parameters() if w.requires_grad)
    assert trained == sum(keras.ops.size(w) for w in ours.trainable_variables)
