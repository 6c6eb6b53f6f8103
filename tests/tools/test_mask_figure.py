import numpy as np
import pytest

from tests.support.kept_answers import LENGTHS, write_run
from tools.mask_figure import TOKENS, measure_by_length

RIGHT = {  # by seed
    "dsa": {1: "1100000", 2: "1110001"},
    "dsa_no_distance": {1: "0101111", 2: "0101110"},
}


def test_what_the_mask_adds_is_measured_by_length(tmp_path, monkeypatch):
    monkeypatch.setattr("tools.mask_figure.TOKENS", (0, 8, 25, 100))
    for model, seeds in RIGHT.items():
        for seed, right in seeds.items():
            write_run(tmp_path / model, seed, right)
    groups = measure_by_length(tmp_path, "dev")
    values = {
        model: np.array([[int(d) for d in right] for right in seeds.values()])
        for model, seeds in RIGHT.items()
    }
    differences = 100 * (values["dsa"] - values["dsa_no_distance"])
    for group, inside in zip(
        groups,
        (LENGTHS <= 8, (LENGTHS > 8) & (LENGTHS <= 25), LENGTHS > 25),
        strict=True,
    ):
        expected = differences[:, inside].mean(axis=1)
        assert list(group.values()) == pytest.approx(expected)


def test_every_length_has_a_group():
    assert TOKENS[0] == 0 and list(TOKENS) == sorted(set(TOKENS))
