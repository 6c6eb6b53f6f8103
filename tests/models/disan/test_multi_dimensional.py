import keras
import numpy as np
import pytest
from keras import ops

from dsa.models.disan import multi_dimensional
from dsa.models.disan.multi_dimensional import (
    MASK_DIRECTIONS,
    MAX_SCALE,
    RegularizedSource2Token,
    Token2Token,
    attend_by_feature,
    attend_in_parts,
)
from tests.support import disan_equations, equations
from tests.support.layer_checks import (
    check_layer,
    numpy_of,
    rand,
    randomize,
    weights_of,
)

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, L, D = 2, 5, 7


def attention(direction="forward", **arguments):
    layer = Token2Token(direction, **arguments)
    layer(rand(B, L, D))
    randomize(layer)
    return layer


@pytest.mark.parametrize("direction", MASK_DIRECTIONS)
@pytest.mark.parametrize("scale", [5.0, 0.7])
def test_it_matches_the_equations(direction, scale):
    x, layer = 3 * rand(B, L, D), attention(direction, scale=scale)
    context, (weights,) = layer(x, return_attention=True)
    for sentence in range(B):
        expected, expected_weights = disan_equations.token2token(
            x[sentence].astype(np.float64), weights_of(layer), direction, scale
        )
        np.testing.assert_allclose(numpy_of(context)[sentence], expected, atol=1e-4)
        np.testing.assert_allclose(
            numpy_of(weights.values)[sentence], expected_weights, atol=1e-5
        )


@pytest.mark.parametrize("features", [1, 3, D])
@pytest.mark.parametrize("padded", [False, True])
def test_attention_in_parts_equals_attention_by_feature(features, padded, monkeypatch):
    monkeypatch.setattr(multi_dimensional, "FEATURES_PER_PART", features)
    looking, looked_at, x = (ops.array(rand(B, L, D, seed=seed)) for seed in range(3))
    visible = np.arange(L)[:, None] > np.arange(L)[None]
    visible = np.broadcast_to(visible, (B, L, L)).copy()
    visible[0, :, 3:] &= not padded
    terms = looking, looked_at, x, ops.array(visible[..., None]), 5.0
    context, attention = attend_by_feature(*terms)
    np.testing.assert_allclose(
        numpy_of(attend_in_parts(*terms)), numpy_of(context), rtol=1e-5, atol=1e-7
    )
    sums = numpy_of(attention).sum(axis=2)
    np.testing.assert_allclose(sums, visible.any(2)[..., None] * np.ones(D), rtol=1e-5)


def test_the_result_does_not_depend_on_the_size_of_the_parts(monkeypatch):
    x, layer = rand(B, L, D), attention()
    context, _ = layer(x, return_attention=True)
    for features in (1, 3, D):
        monkeypatch.setattr(multi_dimensional, "FEATURES_PER_PART", features)
        np.testing.assert_allclose(numpy_of(layer(x)), numpy_of(context), rtol=1e-5)


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_largest_logits_do_not_overflow(sign):
    layer = attention(scale=MAX_SCALE)
    layer.looking.bias.assign(np.full(D, sign * 1e6, np.float32))
    x = rand(B, 300, D)
    mean_of_earlier = np.cumsum(x, axis=1)[:, :-1] / np.arange(1, 300)[:, None]
    np.testing.assert_allclose(numpy_of(layer(x))[:, 1:], mean_of_earlier, atol=1e-5)


@pytest.mark.parametrize("direction, other", [("forward", 1), ("backward", -1)])
def test_a_direction_attends_to_one_side_only(direction, other):
    x, layer = rand(B, L, D), attention(direction)
    _, (weights,) = layer(x, return_attention=True)
    lookers, looked_at = np.nonzero(numpy_of(weights.values).sum(axis=(0, 3)))
    assert len(lookers) == L * (L - 1) // 2
    assert (other * (lookers - looked_at) > 0).all()
    changed = x.copy()
    changed[:, 2] += 1  # tokens on the other side do not change
    before, after = numpy_of(layer(x)), numpy_of(layer(changed))
    same = slice(0, 2) if direction == "forward" else slice(3, None)
    np.testing.assert_array_equal(before[:, same], after[:, same])
    rest = slice(3, None) if direction == "forward" else slice(0, 2)
    assert np.abs(before[:, rest] - after[:, rest]).min(axis=-1).max() > 0


@pytest.mark.parametrize("direction", MASK_DIRECTIONS)
@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_does_not_change_the_tokens(direction, fill):
    x, layer = rand(1, L, D), attention(direction)
    alone = numpy_of(layer(x, mask=np.ones((1, L), bool)))
    padding = np.full((1, 3, D), fill, np.float32)
    longer = np.concatenate([x, padding], axis=1)
    padded = numpy_of(layer(longer, mask=np.arange(L + 3)[None] < L))
    np.testing.assert_allclose(padded[:, :L], alone, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("direction", MASK_DIRECTIONS)
def test_the_context_is_zero_if_all_keys_are_masked(direction):
    layer = attention(direction)
    np.testing.assert_array_equal(numpy_of(layer(rand(B, 1, D))), 0)


def test_parts_and_recomputation_do_not_change_the_gradients(monkeypatch):
    x, gradients = rand(B, L, D), []
    for remat, features in ((keras.remat, 3), (lambda function: function, D)):
        monkeypatch.setattr(keras, "remat", remat)
        monkeypatch.setattr(multi_dimensional, "FEATURES_PER_PART", features)
        model = keras.Sequential([keras.Input((L, D)), Token2Token("forward")])
        randomize(model)
        model.compile(keras.optimizers.SGD(1.0), "mse", jit_compile=False)
        before = [numpy_of(v).copy() for v in model.trainable_variables]
        model.train_on_batch(x, np.ones((B, L, D), np.float32))
        after = [numpy_of(v) for v in model.trainable_variables]
        gradients.append([old - new for old, new in zip(before, after, strict=True)])
    for again, kept in zip(*gradients, strict=True):
        assert np.abs(kept).max() > 1e-4
        np.testing.assert_allclose(again, kept, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("direction", MASK_DIRECTIONS)
def test_it_is_a_layer(direction):
    check_layer(
        lambda **k: Token2Token(direction, scale=2.0, dropout=0.1, **k),
        rand(B, L, D),
        weights=3,
        mask=np.arange(L)[None] < np.array([[L], [3]]),
    )


def test_token2token_drops_the_inputs_of_the_scores_only():
    x, layer = rand(B, L, D), Token2Token("forward", dropout=0.5, seed=3)
    expected = numpy_of(layer(x))
    assert np.abs(numpy_of(layer(x, training=True)) - expected).max() > 1e-3
    layer.set_weights([0 * weights for weights in layer.get_weights()])
    means = [x[:, :i].mean(axis=1) for i in range(1, L)]  # of the earlier tokens
    for training in (False, True):
        output = numpy_of(layer(x, training=training))
        np.testing.assert_allclose(output[:, 1:], np.stack(means, 1), rtol=1e-4)


def test_an_unknown_direction_is_an_error():
    with pytest.raises(ValueError, match="`direction` must be one of .*'diagonal'"):
        Token2Token("diagonal")


@pytest.mark.parametrize("scale", [0, -1, MAX_SCALE + 1, np.nan])
def test_a_scale_out_of_bounds_is_an_error(scale):
    with pytest.raises(ValueError, match="`scale` must be above 0 and at most 30"):
        Token2Token("forward", scale=scale)


def test_disans_source2token_matches_the_equation():
    x, layer = rand(B, L, D), RegularizedSource2Token()
    layer(x)
    randomize(layer)
    vector, (weights,) = layer(x, return_attention=True)
    for sentence in range(B):
        expected, expected_weights = equations.source2token(
            x[sentence].astype(np.float64), weights_of(layer)
        )
        np.testing.assert_allclose(numpy_of(vector)[sentence], expected, 1e-4, 1e-5)
        np.testing.assert_allclose(
            numpy_of(weights.values)[sentence], expected_weights, 1e-4, 1e-5
        )


def test_disans_source2token_is_a_layer_with_dropout_decay_and_activation():
    options = {"activation": "relu", "dropout": 0.5, "l2": 0.01, "seed": 3}
    x = rand(B, L, D)
    check_layer(lambda **k: RegularizedSource2Token(**options, **k), x, weights=4)
    layer = RegularizedSource2Token(**options)
    plain = numpy_of(layer(x))
    assert len(layer.losses) == 2
    assert np.abs(numpy_of(layer(x, training=True)) - plain).max() > 1e-3
    layer.hidden.dense.bias.assign(
        np.full(D, -1e6)
    )  # ReLU deactivates all hidden units
    np.testing.assert_allclose(numpy_of(layer(x)), x.mean(axis=1), atol=1e-5)
