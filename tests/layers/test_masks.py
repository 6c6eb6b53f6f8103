import numpy as np
import pytest

from dsa.layers.masks import directional_mask, distance_mask, token_mask
from tests.support.layer_checks import numpy_of

pytestmark = pytest.mark.keras  # run on JAX in CI too


def test_forward_attends_to_preceding_and_backward_to_following_tokens():
    forward = numpy_of(directional_mask(3, "forward"))
    assert forward.tolist() == [
        [False, False, False],
        [True, False, False],
        [True, True, False],
    ]
    backward = numpy_of(directional_mask(3, "backward"))
    np.testing.assert_array_equal(backward, forward.T)


def test_the_distance_mask_is_the_negative_distance_in_tokens():
    expected = [[0, -1, -2], [-1, 0, -1], [-2, -1, 0]]
    assert numpy_of(distance_mask(3)).tolist() == expected


def test_id_0_is_padding():
    mask = token_mask(np.array([[5, 1, 0], [2, 0, 0]], np.int32))
    assert numpy_of(mask).tolist() == [[True, True, False], [True, False, False]]


def test_an_unknown_direction_is_an_error():
    with pytest.raises(ValueError, match="must be one of .*direction='sideways'$"):
        directional_mask(3, "sideways")
