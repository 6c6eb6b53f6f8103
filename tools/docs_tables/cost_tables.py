"""Tables of `results/benchmarks/cost.json`: growth exponents and daily throughput."""

import csv

from dsa.data.corpora.catalogue import get_corpus
from dsa.papers.table_files import find_table
from dsa.system.reading import read_json_object, read_text
from tools.docs_tables.benchmark_tables import FOLDER, read_benchmark
from tools.docs_tables.other_tables import write_dictionaries

GROWS = {  # quantity that grows in each series
    "training, words": "words per sentence",
    "training, batch": "pairs per step",
    "training, vocabulary": "words with a vector",
    "evaluation, words": "words per sentence",
    "evaluation, rows": "pairs",
    "encoding, words": "words per sentence",
    "encoding, rows": "sentences",
    "preparation, pairs": "pairs in the file",
}
GIBIBYTE = 2**30
DAY = 24 * 60 * 60  # seconds
DEVICE_OF_THE_PAPER = "GTX 1080 Ti"  # the device of Im & Cho 2017
TRIAL = (
    "\n\n**These numbers are from a trial of the script (`--tiny`). They are no "
    "measurement.**"
)


def write_cost_table(checkout):
    """Returns time, memory and growth of each series.

    Time and memory are shown at the smallest and the largest size.
    """
    record = _read_record(checkout)
    lines = []
    for name, series in record["series"].items():
        work = name.split(", ")[0]
        sizes = series["sizes"]
        tokens = series["microseconds_a_token"]
        lines.append(
            {
                "work: growing quantity": f"{work}: {GROWS[name]}",
                "smallest to largest size": f"{sizes[0]:,} to {sizes[-1]:,}",
                "time": f"{_write_ends(series['seconds'], write_seconds)} "
                f"{series['time_of']}",
                "growth of the time": write_growth(series["time_growth"]),
                "time per token": _write_ends([t / 1e6 for t in tokens], write_seconds),
                "memory": _write_ends(series["memory_bytes"], _write_memory),
                "growth of the memory": write_growth(series["memory_growth"]),
            }
        )
    return write_dictionaries(lines) + (TRIAL if record["tiny"] else "")


def write_day_table(checkout):
    """Returns the daily training throughput of each device in `devices.csv`.

    The rates of devices with a `record` were measured with `plain_step.py`, the rates
    of devices without `float32_teraflops` with `cost.py`. The other rates are computed
    under the assumption that all devices reach the same share of their peak rate.
    `machines` is the number of machines that train in parallel.
    """
    record = _read_record(checkout)
    step = record["usual_step"]
    pairs_of_snli = get_corpus("snli").training_pairs
    devices = csv.DictReader(read_text(checkout / FOLDER / "devices.csv").splitlines())
    lines = []
    for device in devices:
        machines = int(device["machines"])
        rate = machines * step["matrix_product_operations_per_second"]
        pairs = machines * step["pairs_per_second"]
        if device["float32_teraflops"]:
            rate = machines * 1e12 * float(device["float32_teraflops"])
            share = step["share_of_matrix_product_rate"]
            pairs = share * rate / step["operations_a_pair"]
        elif device["record"]:
            rate, pairs = _read_measured(checkout, device["record"])
        measured = machines == 1 and not device["float32_teraflops"]
        method = "steps measured" if measured else "computed, **not measured**"
        paper = device["device"] == DEVICE_OF_THE_PAPER
        lines.append(
            {
                "device": device["device"],
                "float32 products": f"{rate / 1e12:.3g} TFLOP/s",
                "source of the rate": device["source"],
                "pairs per second": f"{_round(pairs):,.0f}",
                "one epoch of all of SNLI": write_seconds(pairs_of_snli / pairs),
                "epochs per day": f"{_round(DAY * pairs / pairs_of_snli):,.0f}",
                "method": method,
                "epoch in the paper": _write_time_of_paper() if paper else "",
            }
        )
    return write_dictionaries(lines) + (TRIAL if record["tiny"] else "")


def _read_measured(checkout, name):
    """Returns operations per second and pairs per second from `plain_step.py`.

    The rate of matrix products after the training steps is used: in records from before
    2026-11-26, the rate before the steps was measured in TensorFloat-32 on GPUs.
    """
    record = read_benchmark(checkout, "plain_step", name)
    ours = record["figures"][record["best"]["ours"]]
    figures = (ours["matrix_products_after"], ours["pairs_per_second"])
    return tuple(figure["median"] for figure in figures)


def write_growth(growth):
    """Returns the exponents over all sizes, and between the two largest sizes."""
    exponents = growth["exponent"], growth["exponent_at_the_end"]
    over_all, at_the_end = (round(b, 2) + 0.0 for b in exponents)  # -0.0 to 0.0
    return f"n^{over_all:.2f}, at the end n^{at_the_end:.2f}"


def write_seconds(seconds):
    """Returns a duration as text with three significant digits."""
    seconds = _round(seconds)
    for limit, unit in ((1e-3, "µs"), (1, "ms")):
        if seconds < limit:
            return f"{seconds / limit * 1e3:.3g} {unit}"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:,.0f} s"


def _round(number):
    """Rounds to three significant digits."""
    return float(f"{number:.3g}")


def _write_time_of_paper():
    dsa = find_table("dsa-1").source.find_number(
        "Our Distance-based Self-Attention Network"
    )
    return write_seconds(dsa.seconds_per_epoch)


def _write_memory(size):
    return f"{size / GIBIBYTE:.2f} GiB"


def _write_ends(values, write):
    return f"{write(values[0])} to {write(values[-1])}"


def _read_record(checkout):
    return read_json_object(checkout / FOLDER / "cost.json")
