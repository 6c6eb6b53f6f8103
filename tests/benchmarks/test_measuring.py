import json
import sys

import numpy as np
import pytest

from benchmarks import mask_cost, matrix_product, measuring


def test_sides_that_stay_alternate_and_change_their_order(capsys):
    side = """if True:
        import json, sys, time
        print(json.dumps({"ran_on": {"corpus": "none"}}), flush=True)
        for line in sys.stdin:
            print(json.dumps({"seconds": time.monotonic()}), flush=True)
    """
    commands = dict.fromkeys(("ours", "theirs"), [sys.executable, "-c", side])
    figures = measuring.run_alternately(commands, 3)
    assert figures["ours"]["ran_on"] == {"corpus": "none"}
    ours, theirs = (figures[name]["seconds"] for name in commands)
    assert ours[0] < theirs[0] < theirs[1] < ours[1] < ours[2] < theirs[2]
    assert "round 3 of 3, theirs: seconds" in capsys.readouterr().out


def test_a_side_that_ends_too_early_is_named():
    with pytest.raises(SystemExit, match="-c pass: ended before its last round"):
        measuring.run_alternately({"ours": [sys.executable, "-c", "pass"]}, 1)


def test_matrix_products_are_rated_on_every_backend(monkeypatch):
    monkeypatch.setattr(matrix_product, "SIZE", 64)
    monkeypatch.setattr(matrix_product, "SIZE_ON_GPU", 64)
    assert 0 < matrix_product.matrix_product_rate() < 1e15


def test_a_record_is_written_beside_the_others_of_its_file(tmp_path):
    path = tmp_path / "new" / "plain_step.json"
    measuring.write_record(path, {"rounds": 2}, "dsa")
    measuring.write_record(path, {"rounds": 3}, "esim")
    measuring.write_record(path, {"rounds": 5}, "dsa")
    assert json.loads(path.read_text()) == {"dsa": {"rounds": 5}, "esim": {"rounds": 3}}
    measuring.write_record(path, {"rounds": 7})
    assert json.loads(path.read_text()) == {"rounds": 7}


def test_the_cost_of_the_mask_is_a_mean_of_ratios_with_its_interval():
    figures = {
        "mask": {"step_seconds": [1.1, 2.2, 4.4 * 1.02]},
        "no mask": {"step_seconds": [1.0, 2.0, 4.0]},
    }
    result = mask_cost.compare_sides(figures)
    assert result["seconds_with_mask_to_without"] == 1.1073  # 1.1 * 1.02 ** (1 / 3)
    half = 4.302653 * np.log(1.02) / 3  # t with two degrees of freedom
    limits = np.exp(np.log(1.1) + np.log(1.02) / 3 + [-half, half])
    assert result["interval_95"] == [round(float(limit), 4) for limit in limits]
