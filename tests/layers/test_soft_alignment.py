import numpy as np
import pytest

from dsa.layers.soft_alignment import SoftAlignment
from tests.support.esim_equations import soft_alignment
from tests.support.layer_checks import numpy_of, rand

pytestmark = pytest.mark.keras  # run on JAX in CI too

B, P, Q, D = 2, 4, 3, 5
ALL_A, ALL_B = np.ones((B, P), bool), np.ones((B, Q), bool)


def test_it_matches_the_equations():
    a, b = rand(B, P, D), rand(B, Q, D, seed=1)
    aligned, maps = SoftAlignment()(a, b, ALL_A, ALL_B, return_attention=True)
    weights = [one.values for one in maps]
    for row in range(B):
        expected = soft_alignment(a[row].astype(np.float64), b[row].astype(np.float64))
        for output, answer in zip((*aligned, *weights), expected, strict=True):
            np.testing.assert_allclose(
                numpy_of(output)[row], answer, rtol=1e-4, atol=1e-5
            )


@pytest.mark.parametrize("fill", [100, np.nan])
def test_padding_gets_no_weight_and_does_not_change_the_alignment(fill):
    a, b, layer = rand(1, P, D), rand(1, Q, D, seed=1), SoftAlignment()
    alone = layer(a, b, ALL_A[:1], ALL_B[:1])
    longer = [np.pad(x, ((0, 0), (0, 2), (0, 0)), constant_values=fill) for x in (a, b)]
    masks = [np.arange(n + 2)[None] < n for n in (P, Q)]
    padded, maps = layer(*longer, *masks, return_attention=True)
    for output, expected, length in zip(padded, alone, (P, Q), strict=True):
        np.testing.assert_allclose(
            numpy_of(output)[:, :length], numpy_of(expected), rtol=1e-5, atol=1e-6
        )
    over_hypothesis, over_premise = (numpy_of(one.values) for one in maps)
    assert (over_hypothesis[:, :, Q:] == 0).all()
    assert (over_premise[:, :, P:] == 0).all()


def test_all_weights_over_a_sentence_of_padding_are_zero():
    nothing = np.zeros((B, Q), bool)
    a_, _ = SoftAlignment()(rand(B, P, D), rand(B, Q, D), ALL_A, nothing)
    assert (numpy_of(a_) == 0).all()
