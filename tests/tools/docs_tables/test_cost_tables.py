"""Growth exponents and daily throughput from given measurements."""

import json

import pytest

from tools.cost_figure import draw_cost
from tools.docs_tables.cost_tables import (
    write_cost_table,
    write_day_table,
    write_seconds,
)

GROWTH = {"exponent": 1.04, "exponent_at_the_end": 1.239}
STEP = {
    "pairs_per_second": 500,
    "operations_a_pair": 4e8,
    "matrix_product_operations_per_second": 4e11,
    "share_of_matrix_product_rate": 0.5,
}
DEVICES = """device,machines,float32_teraflops,source,record
two CPU cores,1,,"measured, here",
ten such machines,10,,ten times that,
GTX 1080 Ti,1,11.3,its maker,
a GPU,1,,measured there,gpu
"""
ON_THE_GPU = {  # a record of plain_step.py
    "best": {"ours": "ours; threads: 16"},
    "figures": {
        "ours; threads: 16": {
            "matrix_products_before": {"median": 3e14},
            "matrix_products_after": {"median": 5e13},
            "pairs_per_second": {"median": 16400},
        }
    },
}


def make_series(time_of):
    return {
        "time_of": time_of,
        "sizes": [10, 2000],
        "seconds": [0.00025, 1.5],
        "microseconds_a_token": [12.34, 750],
        "memory_bytes": [2**29, 3 * 2**30],
        "time_growth": GROWTH,
        "memory_growth": {"exponent": -0.001, "exponent_at_the_end": 0.5},
    }


@pytest.fixture
def checkout(tmp_path):
    names = [f"training, {n}" for n in ("words", "batch", "vocabulary")]
    names += ["evaluation, words", "encoding, words", "preparation, pairs"]
    record = {
        "tiny": False,
        "series": {name: make_series("a step") for name in names},
        "usual_step": STEP,
    }
    folder = tmp_path / "results/benchmarks"
    folder.mkdir(parents=True)
    (folder / "cost.json").write_text(json.dumps(record))
    (folder / "devices.csv").write_text(DEVICES)
    (folder / "plain_step.json").write_text(json.dumps({"gpu": ON_THE_GPU}))
    return tmp_path


def test_a_series_is_a_line_from_its_smallest_to_its_largest_size(checkout):
    lines = write_cost_table(checkout).splitlines()
    assert len(lines) == 2 + 6
    assert lines[2] == (
        "| training: words per sentence | 10 to 2,000 | 250 µs to 1.5 s a step | "
        "n^1.04, at the end n^1.24 | 12.3 µs to 750 µs | 0.50 GiB to 3.00 GiB | "
        "n^0.00, at the end n^0.50 |"
    )


def test_a_trial_is_called_one(checkout):
    path = checkout / "results/benchmarks/cost.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"tiny": True}))
    for write in (write_cost_table, write_day_table):
        assert write(checkout).endswith("**")
        assert "They are no measurement" in write(checkout)


def test_a_device_reaches_the_measured_share_of_its_rate(checkout):
    cores, cluster, card, gpu = write_day_table(checkout).splitlines()[2:]
    assert cores == (
        "| two CPU cores | 0.4 TFLOP/s | measured, here | 500 | 1,100 s | 79 | "
        "steps measured | |"
    )
    assert " | 4 TFLOP/s | ten times that | 5,000 | 110 s | 786 | " in cluster
    # 0.5 of 11.3e12 operations a second, 4e8 for a pair
    assert " | 14,100 | 38.9 s | 2,220 | computed, **not measured** | " in card
    assert card.endswith(" | 693 s |") and "computed, **not" in cluster
    assert gpu == (
        "| a GPU | 50 TFLOP/s | measured there | 16,400 | 33.5 s | 2,580 | "
        "steps measured | |"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.00002341, "23.4 µs"), (0.0009999, "1 ms"), (0.25, "250 ms"), (0.9999, "1 s")],
)
def test_times_have_three_digits(seconds, text):
    assert write_seconds(seconds) == text


def test_the_figure_has_the_numbers_of_the_series(checkout):
    steps, reading, files, memory = draw_cost(checkout).axes
    assert list(steps.lines[0].get_ydata()) == [0.25, 1500]
    assert list(files.lines[0].get_xdata()) == [0.01, 2]
    assert [line.get_label() for line in memory.lines][0] == "training, words"
    assert list(memory.lines[0].get_xdata()) == [1, 200]
    assert list(memory.lines[0].get_ydata()) == [0.5, 3]
    proportional = [line for line in reading.lines if line.get_linestyle() == ":"]
    assert len(proportional) == 2
    assert list(proportional[0].get_ydata()) == [0.25, 50]
