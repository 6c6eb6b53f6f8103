import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import mask_cost, matrix_product, measuring, table

pytestmark = pytest.mark.keras  # run on JAX in CI too


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
    with pytest.raises(SystemExit, match="-c pass: ended too early"):
        measuring.run_alternately({"ours": [sys.executable, "-c", "pass"]}, 1)


def test_matrix_products_are_rated_on_every_backend(monkeypatch):
    monkeypatch.setattr(matrix_product, "SIZE", 64)
    monkeypatch.setattr(matrix_product, "SIZE_ON_GPU", 64)
    assert 0 < matrix_product.matrix_product_rate() < 1e15


def test_a_table_names_what_was_measured_and_from_where_to_where_it_went():
    spread = measuring.describe_spread([0.25, 0.5, 0.375])
    record = {
        "command": "python benchmarks/plain_step.py --rounds=3 --model esim --out a",
        "figures": {"ours": {"padding_share": spread}},
    }
    name, side, *cells = next(table.make_rows(record))
    assert (name, side) == ("plain_step --model esim", "ours")
    assert cells[list(table.COLUMNS).index("padding")] == "37.5% (25.0% to 50.0%)"
    assert cells.count("-") == len(table.COLUMNS) - 1


def test_the_committed_table_is_that_of_the_committed_figures(monkeypatch, capsys):
    """As `make benchmark` makes it."""
    folder = Path("results/benchmarks")
    patterns = "train_step*.json", "plain_step*.json", "encoding.json"
    files = [file for pattern in patterns for file in sorted(folder.glob(pattern))]
    assert len(files) == 9
    monkeypatch.setattr(sys, "argv", ["table.py", *map(str, files)])
    table.main()
    with open("results/benchmarks/TABLE.md", encoding="utf-8") as committed:
        assert capsys.readouterr().out == committed.read()


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
