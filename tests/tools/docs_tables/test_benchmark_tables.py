"""Tables of benchmarks, from given figures."""

import json

from benchmarks import measuring
from tools.docs_tables import speed_table
from tools.docs_tables.benchmark_tables import PLAIN_STEPS, write_plain_step_table


def make_record(threads, against):
    best = {
        "ours": f"ours; threads: {threads}",
        "plain": "plain; threads: 1",
        "plain, our batches": "plain, our batches; threads: 2",
    }
    rates = dict(zip(best.values(), (1600.4, 100, 800.2), strict=True))
    figures = {side: {"pairs_per_second": {"median": r}} for side, r in rates.items()}
    figures["ours; threads: 1"] = {"pairs_per_second": {"median": 1}}  # not its best
    return {
        "best": best,
        "figures": figures,
        "pairs_per_second_of_ours_against": against,
        "commit": "0123456789",
    }


def test_each_record_is_a_line_with_its_ratios(tmp_path):
    folder = tmp_path / "results/benchmarks"
    folder.mkdir(parents=True)
    records = {}
    for threads, name in enumerate(PLAIN_STEPS.values(), start=2):
        against = {"plain": 16 + threads, "plain, our batches": 2.005}
        records[name] = make_record(threads, against)
    (folder / "plain_step.json").write_text(json.dumps(records))
    lines = write_plain_step_table(tmp_path).splitlines()[2:]
    assert len(lines) == len(PLAIN_STEPS)
    assert lines[1] == (
        "| DSA | CPU, AVX2 | 1,600 pairs/s | 100 pairs/s | 800 pairs/s | 19.00 | "
        "2.00 | `dsa_avx2`, `0123456` |"
    )
    assert lines[4].startswith("| DSA | H100 GPU, ours on JAX | ")


def test_a_row_of_the_speed_table_has_median_and_range():
    spread = measuring.describe_spread([0.25, 0.5, 0.375])
    record = {
        "command": "python benchmarks/plain_step.py --rounds=3 --model esim --out a",
        "figures": {"ours": {"padding_share": spread}},
    }
    name, side, *cells = next(speed_table.make_rows(record, speed_table.RATES))
    assert (name, side) == ("plain_step --model esim", "ours")
    assert cells[list(speed_table.RATES).index("padding")] == "37.5% (25.0% to 50.0%)"
    assert cells.count("-") == len(speed_table.RATES) - 1
