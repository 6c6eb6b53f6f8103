import numpy as np
import pytest

from dsa.models.bcnn.attention import (
    attention_weights,
    cosine,
    euclid,
    match_scores,
    pool_all,
    pool_attention,
    pool_windows,
    sum_attention,
    uniform_weights,
)
from dsa.models.bcnn.convolution import (
    AttentionFeatureMap,
    ConvolutionUniform,
    WideConvolution,
    mask_columns,
)
from tests.support import bcnn_equations as equations
from tests.support.layer_checks import check_layer, numpy_of, rand, randomize

pytestmark = pytest.mark.keras  # run on JAX in CI too

P, Q, D, WIDTH, FILTERS = 5, 7, 11, 3, 4


def make_mask(lengths, padded):
    return np.arange(padded)[None] < np.array(lengths)[:, None]


def all_real(*shape):
    return np.ones(shape, bool)


def make_convolution(**settings):
    layer = WideConvolution(FILTERS, WIDTH, **settings)
    layer.build((None, None, D))
    randomize(layer)
    kernel, bias = (numpy_of(w).astype(np.float64) for w in layer.weights)
    return layer, kernel, bias


@pytest.mark.parametrize("length", [1, P, Q])
def test_the_convolution_is_wide(length):
    layer, kernel, bias = make_convolution()
    x = rand(1, length, D)
    columns = numpy_of(layer(x, all_real(1, length)))[0]
    assert columns.shape == (length + WIDTH - 1, FILTERS)
    expected = equations.wide_convolution(x[0].astype(np.float64), kernel, bias)
    np.testing.assert_allclose(columns, expected, rtol=1e-4, atol=1e-5)


def test_columns_of_padding_are_zero():
    layer, _, _ = make_convolution()
    x, mask = rand(2, Q, D), make_mask([P, 2], Q)
    x = np.where(mask[..., None], x, 0)
    columns = numpy_of(layer(x, mask))
    assert numpy_of(mask_columns(mask, WIDTH)).sum(axis=1).tolist() == [P + 2, 4]
    assert (columns[0, P + 2 :] == 0).all() and (columns[1, 4:] == 0).all()
    alone = numpy_of(layer(x[1:, :2], all_real(1, 2)))
    np.testing.assert_allclose(columns[1, :4], alone[0], rtol=1e-5, atol=1e-6)


def test_the_convolution_is_a_layer():
    check_layer(
        lambda **k: WideConvolution(FILTERS, WIDTH, **k),
        rand(2, P, D),
        weights=2,
        mask=all_real(2, P),
    )


def test_the_authors_filters_are_small():
    kernel = numpy_of(ConvolutionUniform()((4, 300, 50)))
    assert 0.0098 < np.abs(kernel).max() <= 0.00991
    of_two = numpy_of(ConvolutionUniform(channels=2)((4, 600, 50)))
    bound = (6 / (2 * 300 * 4 + 50 * 300 * 4)) ** 0.5
    assert 0.99 * bound < np.abs(of_two).max() <= bound


def test_match_scores_by_hand():
    first = np.array([[[0.0, 0.0], [3.0, 4.0]]], np.float32)
    second = np.array([[[3.0, 4.0], [0.0, 1.0], [9.0, 9.0]]], np.float32)
    scores = match_scores(first, second, all_real(1, 2), make_mask([2], 3))
    expected = [[1 / 6, 1 / 2, 0], [1, 1 / (1 + 18**0.5), 0]]
    np.testing.assert_allclose(numpy_of(scores)[0], expected, atol=1e-4)


def test_similarities():
    x, y = rand(3, D), rand(3, D, seed=1)
    for ours, theirs in ((cosine, equations.cosine), (euclid, equations.euclid)):
        expected = [theirs(a, b) for a, b in zip(*np.float64([x, y]), strict=True)]
        np.testing.assert_allclose(numpy_of(ours(x, y)), expected, rtol=1e-5)


def test_feature_maps_match_the_paper():
    layer = AttentionFeatureMap(max_tokens=Q + 2, features=D)
    layer.build()
    scores = np.abs(rand(1, P, Q))
    maps = [numpy_of(one)[0] for one in layer(scores)]
    table = numpy_of(layer.map).astype(np.float64)
    expected = equations.feature_maps(scores[0].astype(np.float64), table)
    assert [one.shape for one in maps] == [(P, D), (Q, D)]
    for ours, theirs in zip(maps, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    copy = AttentionFeatureMap.from_config(layer.get_config())
    assert copy.get_config() == layer.get_config()


def test_attention_sums_rows_for_the_first_and_columns_for_the_second():
    scores = np.abs(rand(2, 13, 17))
    first, second = (numpy_of(one) for one in sum_attention(scores))
    np.testing.assert_allclose(first, scores.sum(axis=2), rtol=1e-5)
    np.testing.assert_allclose(second, scores.sum(axis=1), rtol=1e-5)
    assert first.shape == (2, 13) and second.shape == (2, 17)


@pytest.mark.parametrize("scale", ["mean", "sum", "none"])
def test_attentive_pooling(scale):
    columns, attention = rand(1, P + WIDTH - 1, FILTERS), np.abs(rand(1, P + WIDTH - 1))
    of_all, of_windows = attention_weights(
        attention, all_real(1, P + WIDTH - 1), WIDTH, scale
    )
    vector, windows = equations.attentive_pooling(
        *np.float64(columns), np.float64(attention[0]), WIDTH, scale
    )
    np.testing.assert_allclose(
        numpy_of(pool_all(columns, of_all))[0], vector, rtol=1e-4, atol=1e-6
    )
    pooled = numpy_of(pool_windows(columns, of_windows, all_real(1, P), WIDTH))[0]
    assert pooled.shape == (P, FILTERS)
    np.testing.assert_allclose(pooled, windows, rtol=1e-4, atol=1e-6)


def test_uniform_attention_equals_average_pooling():
    mask = make_mask([P + 2, 4], Q + 2)
    columns = np.where(mask[..., None], rand(2, Q + 2, FILTERS), 0)
    even = uniform_weights(mask, WIDTH)
    attended = attention_weights(0.3 * mask.astype("float32"), mask, WIDTH, "mean")
    for plain, weighted in zip(even, attended, strict=True):
        np.testing.assert_allclose(numpy_of(plain), numpy_of(weighted), rtol=1e-5)
    np.testing.assert_allclose(
        numpy_of(pool_all(columns, even[0]))[0], columns[0, : P + 2].mean(0), rtol=1e-4
    )
    windows = numpy_of(pool_windows(columns, even[1], make_mask([P, 2], Q), WIDTH))
    assert windows.shape == (2, Q, FILTERS) and (windows[1, 2:] == 0).all()
    np.testing.assert_allclose(
        windows[0, :P], equations.w_ap(columns[0, : P + 2], WIDTH), rtol=1e-4, atol=1e-6
    )


def test_pooled_attention_of_fewer_more_and_as_many_rows_as_cells():
    scores = np.arange(1, 36, dtype=np.float32).reshape(1, 5, 7)
    grid = numpy_of(pool_attention(scores, all_real(1, 5), all_real(1, 7), 4))
    # rows 0 | 1 | 2 | 3, 4 and columns 0 | 1, 2 | 3, 4 | 5, 6
    lasts = scores[0][np.ix_([0, 1, 2, 4], [0, 2, 4, 6])]
    np.testing.assert_array_equal(grid.reshape(4, 4), lasts)

    two = scores[:, :2, :3]
    grid = numpy_of(pool_attention(two, all_real(1, 2), all_real(1, 3), 4))
    # row floor(2 r / 4) and column floor(3 c / 4)
    np.testing.assert_array_equal(
        grid.reshape(4, 4), two[0][np.ix_([0, 0, 1, 1], [0, 0, 1, 2])]
    )

    four = scores[:, :4, :4]
    grid = numpy_of(pool_attention(four, all_real(1, 4), all_real(1, 4), 4))
    np.testing.assert_array_equal(grid.reshape(4, 4), four[0])


def test_pooled_attention_ignores_padding():
    scores = np.abs(rand(1, 3, 5))
    grid = numpy_of(pool_attention(scores, all_real(1, 3), all_real(1, 5), 4))
    longer = np.pad(scores, ((0, 0), (0, 4), (0, 1)), constant_values=9)
    padded = pool_attention(longer, make_mask([3], 7), make_mask([5], 6), 4)
    np.testing.assert_array_equal(numpy_of(padded), grid)
