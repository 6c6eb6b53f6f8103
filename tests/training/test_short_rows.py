"""Which rows are short enough to be trained on."""

import numpy as np
import pytest

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.training.steps import resolve_max_tokens
from tests.support.runs import write_experiment


def test_a_number_is_the_longest_itself():
    assert resolve_max_tokens(np.array([3, 900]), 512) == 512


def test_a_percentile_is_the_least_length_that_covers_that_share():
    lengths = np.array([[5] * 50, [7] * 46 + [8, 9, 30, 40]])  # 96 % have at most 7
    assert resolve_max_tokens(lengths, "percentile 96") == 7
    assert resolve_max_tokens(lengths, "percentile 97") == 8
    assert resolve_max_tokens(lengths, "percentile 97.5") == 9
    assert resolve_max_tokens(lengths, "percentile 99") == 30


@pytest.mark.parametrize(
    "value",
    ["percentile", "percentile 100", "97 %", "percentile 0", 0, True, None, 1.5],
)
def test_anything_else_is_one_line(tmp_path, value):
    config = write_experiment(tmp_path, training={"max_tokens": value})
    with pytest.raises(InputError, match="max_tokens") as raised:
        load_experiment(config)
    assert "\n" not in str(raised.value)
