import sys
from pathlib import Path

import pytest

from benchmarks import matrix_product, measuring, table

pytestmark = pytest.mark.keras  # run on JAX in CI too


def test_sides_that_stay_take_turns(capsys):
    side = """if True:
        import json, sys, time
        print(json.dumps({"ran_on": {"corpus": "none"}}), flush=True)
        for line in sys.stdin:
            print(json.dumps({"seconds": time.monotonic()}), flush=True)
    """
    commands = dict.fromkeys(("ours", "theirs"), [sys.executable, "-c", side])
    figures = measuring.run_alternately(commands, 3)
    assert figures["ours"]["ran_on"] == {"corpus": "none"}
    times = zip(*(figures[name]["seconds"] for name in commands), strict=True)
    times = [seconds for turn in times for seconds in turn]
    assert len(times) == 6 and times == sorted(times)
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
