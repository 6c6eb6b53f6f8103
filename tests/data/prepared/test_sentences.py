import numpy as np
import pytest

from dsa.data.prepared.sentences import Sentences

SENTENCES = Sentences.from_lists([[5, 6, 7], [2], [3, 4, 3, 4, 3]])


def test_sentences_are_padded_behind_to_the_longest():
    assert SENTENCES.pad(np.array([1, 0])).tolist() == [[2, 0, 0], [5, 6, 7]]


def test_the_padded_length_can_be_given():
    padded = SENTENCES.pad(np.array([2, 2, 1]), length=8)
    assert padded.tolist() == [
        [3, 4, 3, 4, 3, 0, 0, 0],
        [3, 4, 3, 4, 3, 0, 0, 0],
        [2, 0, 0, 0, 0, 0, 0, 0],
    ]
    assert padded.dtype == np.int32


@pytest.mark.parametrize("length", [0, 2])
def test_longer_sentences_are_truncated_to_the_padded_length(length):
    padded = SENTENCES.pad(np.array([0, 1]), length=length)
    assert padded.shape == (2, length)
    assert padded.tolist() == [[5, 6][:length], [2, 0][:length]]


def test_lengths_are_in_tokens():
    assert SENTENCES.lengths.tolist() == [3, 1, 5]
    assert len(SENTENCES) == 3


def test_empty_sentences_can_be_filled_with_one_token():
    sentences = Sentences.from_lists([[], [7, 8], [], []])
    filled = sentences.fill_empty(-1)
    assert filled.ids.tolist() == [-1, 7, 8, -1, -1]
    assert filled.offsets.tolist() == [0, 1, 3, 4, 5]
