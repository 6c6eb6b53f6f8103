import numpy as np
import pytest

from dsa.data.batching import shapes
from dsa.data.batching.shapes import (
    choose_shapes,
    find_smallest_shape,
    make_batches_by_length,
)
from dsa.data.prepared.sentences import Sentences


def test_one_side_by_hand():
    needed = np.array([[3], [4], [9], [9]])
    assert choose_shapes(needed, 1).tolist() == [[9]]
    assert choose_shapes(needed, 2).tolist() == [[4], [9]]
    assert choose_shapes(needed, 5).tolist() == [[3], [4], [9]]


def test_two_sides_by_hand():
    needed = np.array(5 * [[2, 7]] + [[7, 2], [3, 3]])
    # (7, 7) holds all; (2, 7) saves 5 x 5 tokens, (3, 7) would save 6 x 4
    assert choose_shapes(needed, 2).tolist() == [[2, 7], [7, 7]]


def test_every_needed_shape_fits():
    random = np.random.default_rng(0)
    needed = random.integers(1, 300, (500, 2))
    shapes = choose_shapes(needed, 16)
    assert len(shapes) == 16
    for each in needed:
        assert (find_smallest_shape(shapes, each) >= each).all()


def test_a_batch_that_exceeds_every_shape_raises_an_error():
    with pytest.raises(ValueError, match=r"No shape is large enough for \[5\]"):
        find_smallest_shape(np.array([[3], [4]]), np.array([5]))


def test_four_sides_have_no_more_candidates_than_two(monkeypatch):
    """The product of 64 lengths a side would be 16 million shapes."""
    random = np.random.default_rng(0)
    needed = random.integers(1, 200, (200, 4))
    made = []
    grid = np.meshgrid
    monkeypatch.setattr(
        shapes.np,
        "meshgrid",
        lambda *sides, **o: made.append(sides) or grid(*sides, **o),
    )
    chosen = choose_shapes(needed, 5)
    assert len(chosen) <= 5 and (chosen[-1] == needed.max(axis=0)).all()
    assert np.prod([len(side) for side in made[0]]) <= 64**2


def test_no_sentences_yield_no_batches():
    assert list(make_batches_by_length(Sentences.from_lists([]), 2)) == []
