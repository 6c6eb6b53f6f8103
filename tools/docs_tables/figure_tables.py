"""Tables of what DSA's paper shows in Figures 6 and 9 to 11, and what is so here."""

import csv
import statistics

from dsa.system.reading import read_json_object, read_text
from tools.docs_tables.run_records import write_table

LENGTHS = {"lengths-snli": "snli_dev", "lengths-multinli": "multinli_dev_matched"}
WITH, WITHOUT = "alpha 1.5", "alpha 0"
KEYWORDS = ("lady", "stands", "outside", "mexican", "market")
AGREES = {True: "supports it", False: "contradicts it"}
WORD_FIGURES = (  # number, measured, what it is, whether keywords have more of it
    ("9", "gate_forward", "share of the word itself in the gated sum", False),
    ("10 (a)", "deactivated_forward", "units of the feed-forward layer at 0", True),
    ("10 (b)", "largest_output_forward", "largest output of the block", True),
    ("11 (a)", "source2token", "source2token's mean weight", True),
    ("11 (b)", "max_pooling", "share of the max pool's features", True),
)


def write_word_figures_table(checkout):
    """The paper's sentence: keywords beside the other words, with distance mask."""
    path = checkout / "results/case_study/numbers.json"
    (words,) = read_json_object(path)["market"][WITH].values()
    lines = []
    for figure, key, meaning, more in WORD_FIGURES:
        keywords, others = (
            [v for v, t in zip(words[key], words["tokens"], strict=True) if test(t)]
            for test in (KEYWORDS.__contains__, lambda t: t not in KEYWORDS)
        )
        means = statistics.mean(keywords), statistics.mean(others)
        lowest = words["tokens"][words[key].index(min(words[key]))]
        highest = words["tokens"][words[key].index(max(words[key]))]
        lines.append(
            {
                "Figure": figure,
                "what it shows": meaning,
                "the paper: keywords have": "more" if more else "less",
                "here: keywords": f"{means[0]:.3f}",
                "other words": f"{means[1]:.3f}",
                "lowest, highest": f"{lowest} {min(words[key]):.3f}, "
                f"{highest} {max(words[key]):.3f}",
                "this sentence": AGREES[(means[0] > means[1]) == more],
            }
        )
    return write_table(lines)


def write_lengths_table(folder, checkout):
    """DSA with and without distance mask by the average length of a pair: one run
    each."""
    path = checkout / "results/lengths/lengths.csv"
    buckets = {}
    for row in csv.DictReader(read_text(path).splitlines()):
        if row["study"] != folder:
            continue
        buckets.setdefault(row["bucket"], {})[row["run"]] = row
    return write_table(
        [
            {
                "tokens": bucket,
                "pairs": f"{int(rows[WITH]['pairs']):,}",
                "with distance mask": _write_accuracy(rows[WITH]),
                "without": _write_accuracy(rows[WITHOUT]),
                "with minus without": _write_gain(rows[WITHOUT]),
                "p (McNemar)": f"{float(rows[WITHOUT]['p']):.2g}",
                "p, Holm": f"{float(rows[WITHOUT]['p_holm']):.2g}",
            }
            for bucket, rows in buckets.items()
        ]
    )


def _write_gain(without):
    """The difference of a row is without minus with."""
    return f"{-100 * float(without['difference']):+.2f}"


def _write_accuracy(row):
    return f"{100 * float(row['accuracy']):.2f}"
