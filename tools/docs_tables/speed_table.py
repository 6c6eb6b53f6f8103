"""Speed of training steps and encoding, for `results/benchmarks/NOTES.md`."""

import re

from dsa.system.text_tables import format_markdown_table
from tools.docs_tables.benchmark_tables import read_benchmark

RECORDS = {  # file: records
    "train_step": ("tensorflow", "bfloat16", "jax", "torch"),
    "plain_step": ("dsa", "dsa_avx2", "esim", "esim_avx2"),
    "encoding": ("in_memory",),
}
# Columns by heading: (figures, format, scale). The first available figure is shown.
RATES = {
    "pairs or sentences per second": (
        ("pairs_per_second", "sentences_per_second"),
        ",.0f",
        1,
    ),
    "real tokens per second": (("real_tokens_per_second",), ",.0f", 1),
    "padding": (("padding_share",), ".1%", 1),
    "operations, GFLOP/s": (("operations_per_second",), ",.0f", 1e-9),
    "matrix-product rate, GFLOP/s": (
        ("matrix_product_operations_per_second",),
        ",.0f",
        1e-9,
    ),
    "share of the matrix-product rate": (("share_of_matrix_product_rate",), ".1%", 1),
}
TIME_AND_MEMORY = {
    "SNLI epoch, s": (("snli_epoch_seconds",), ",.0f", 1),
    "start-up, s": (("start_up_seconds",), ".1f", 1),
    "compiling, s": (("compile_seconds",), ".1f", 1),
    "memory of the device, or of the process on a CPU, GB": (
        ("peak_device_memory_bytes", "peak_memory_bytes"),
        ".1f",
        1e-9,
    ),
}


def write_speed_table(checkout):
    """Returns rates and memory of training steps and encoding, with the commands."""
    records = [
        read_benchmark(checkout, file, name)
        for file, names in RECORDS.items()
        for name in names
    ]
    tables = []
    for columns in (RATES, TIME_AND_MEMORY):
        rows = [row for record in records for row in make_rows(record, columns)]
        tables.append(format_markdown_table(["benchmark", "side", *columns], rows))
    facts = "\n".join(map(describe_record, records))
    note = "The cells contain medians (minimum to maximum)."
    return "\n\n".join([*tables, note, facts])


def make_rows(record, columns):
    """Yields a row per side of a benchmark: median, minimum and maximum."""
    for side, figures in record["figures"].items():
        backend = figures.get("ran_on", {}).get("backend")
        cells = [_shorten_command(record), f"{side} ({backend})" if backend else side]
        for names, format_spec, scale in columns.values():
            available = [figures[name] for name in names if name in figures]
            if available:
                cells.append(_format(available[0], format_spec, scale))
            else:
                cells.append("-")
        yield cells


def _format(figure, format_spec, scale):
    median, low, high = (
        f"{scale * figure[name]:{format_spec}}" for name in ("median", "min", "max")
    )
    return median if low == high else f"{median} ({low} to {high})"


def _shorten_command(record):
    """Returns the command of a benchmark without --rounds, --out, --name, --anyway."""
    command = re.sub(r" --(rounds|out|name)[ =]\S+| --anyway", "", record["command"])
    return command.removeprefix("python benchmarks/").replace(".py", "", 1)


def describe_record(record):
    """Returns the environment and the ratios of a benchmark as a list item."""
    dirty = " with uncommitted changes" if record["uncommitted_changes"] else ""
    against = {
        name: value
        for name, value in record.items()
        if "against" in name and value is not None
    }
    ratios = "; ".join(f"{name.replace('_', ' ')}: {v}" for name, v in against.items())
    sides = [side["ran_on"] for side in record["figures"].values()]
    ran_on = [
        *dict.fromkeys(
            f"{side['backend']} {side['backend_version']}" for side in sides
        ),
        *dict.fromkeys(f"{side['device']}, {side['corpus']}" for side in sides),
        *record.get("vector_extensions", []),
    ]
    return (
        f"- `{record['command']}`: {record['cores']} cores, {', '.join(ran_on)}, "
        f"commit {record['commit'][:7]}{dirty}, {record['rounds']} rounds, "
        f"{record['cores_at_work_before']} cores at work before"
        + (f"; {ratios}" if ratios else "")
    )
