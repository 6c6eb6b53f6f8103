"""Accuracy by the average length of a pair (Im & Cho 2017, figures 5 and 6), or by a
sentence's (Shen et al. 2018, figure 5).

N pairs, R runs.
"""

import numpy as np
from scipy.stats import binomtest

EDGES = (5, 10, 15, 20, 25)  # tokens; the paper's text speaks of 25
LEVEL = 0.05


def average_lengths(prepared):
    """The mean of premise's and hypothesis's tokens of each labelled row, `(N,)`."""
    lengths, rows = prepared.sentences.lengths, prepared.labelled
    return lengths[prepared.texts[rows]].mean(axis=1)


def buckets(lengths, edges=EDGES):
    """Which pairs are in which bucket of length.

    Args:
        lengths: `(N,)`, tokens.
        edges: upper bounds, included in their bucket; a last one has the rest.

    Returns: `[(name, bool (N,)), ...]`, short ones first.
    """
    bounds = [0, *edges, np.inf]
    result = []
    for low, high in zip(bounds, bounds[1:], strict=False):
        name = f"above {low:g}" if high == np.inf else f"{low:g} to {high:g}"
        result.append((name, (lengths > low) & (lengths <= high)))
    return result


def by_length(lengths, right, edges=EDGES):
    """Accuracy by bucket and overall, and paired differences to the first run.

    Args:
        lengths: `(N,)`, see `average_lengths`.
        right: `{run name: bool (N,)}`.
        edges: see `buckets`.

    Returns: a list of dictionaries, one for each bucket and run, "all" last: `bucket`
        (tokens), `run`, `pairs`, `right`, `accuracy` with its 95 % Wilson interval
        `low`, `high`; for each run but the first: `difference` of accuracies (run -
        first), `only_first`, `only_this` (pairs that one of them alone gets right) and
        `p`, McNemar's exact test, two-sided; `p_holm`, the same corrected by Holm's
        method for the number of buckets (for all pairs together it is `p`). `None` is
        what no pair can tell.
    """
    everything = ("all", np.ones(len(lengths), bool))
    rows = []
    for name, inside in [*buckets(lengths, edges), everything]:
        first = None
        for run, correct in right.items():
            row = {"bucket": name, "run": run, **_accuracy(correct[inside])}
            row |= dict.fromkeys(
                ("difference", "only_first", "only_this", "p", "p_holm")
            )
            if first is None:
                first = correct
            elif inside.any():
                row |= _paired(first[inside], correct[inside])
            rows.append(row)
    for run in right:
        tests = [row for row in rows if row["run"] == run and row["p"] is not None]
        parts = [row for row in tests if row["bucket"] != "all"]
        whole = [row for row in tests if row["bucket"] == "all"]
        for family in (parts, whole):
            corrected = holm([row["p"] for row in family])
            for row, value in zip(family, corrected, strict=True):
                row["p_holm"] = value
    return rows


def holm(ps):
    """Holm's correction of p-values for their number (Holm 1979): the chance, at most,
    that any of them is as small where nothing differs."""
    corrected, largest = [1.0] * len(ps), 0.0
    for rank, position in enumerate(np.argsort(ps)):
        largest = max(largest, (len(ps) - rank) * ps[position])
        corrected[position] = min(1.0, largest)
    return corrected


def _accuracy(correct):
    count, total = int(correct.sum()), len(correct)
    if not total:
        return {"pairs": 0, "right": 0, "accuracy": None, "low": None, "high": None}
    low, high = binomtest(count, total).proportion_ci(method="wilson")
    return {
        "pairs": total,
        "right": count,
        "accuracy": count / total,
        "low": float(low),
        "high": float(high),
    }


def _paired(first, this):
    """McNemar's exact test: of the pairs that one run alone gets right, is the share of
    each run compatible with a half?"""
    only_first, only_this = int((first & ~this).sum()), int((this & ~first).sum())
    discordant = only_first + only_this
    return {
        "difference": (only_this - only_first) / len(first),
        "only_first": only_first,
        "only_this": only_this,
        "p": binomtest(only_this, discordant).pvalue if discordant else 1.0,
    }


def described(rows, name, settings=(), what="pairs"):
    """`by_length` in words: a table of accuracies, and a plain sentence about every
    paired difference. `name` is that of the file, `settings` those in which the runs
    differ, `what` its rows are (`pairs`, `sentences`)."""
    length = "average length of a pair" if what == "pairs" else "length"
    lines = [f"{name}: accuracy in per cent by {length}, in tokens", ""]
    if settings:
        lines += [f"The runs differ in {', '.join(settings)}.", ""]
    for row in rows:
        accuracy = (
            "-"
            if row["accuracy"] is None
            else f"{100 * row['accuracy']:.2f} ({100 * row['low']:.2f}-"
            f"{100 * row['high']:.2f})"
        )
        lines.append(
            f"  {row['bucket']:>12}  n = {row['pairs']:<6,} {accuracy:24} {row['run']}"
        )
    paired = [_sentence(row, what) for row in rows if row["difference"] is not None]
    if paired:
        first = rows[0]["run"]
        lines += ["", f"Against {first}, on the same {what} (McNemar's exact test, and"]
        lines += ["corrected by Holm for the number of buckets):", "", *paired]
    return "\n".join(lines) + "\n"


def _sentence(row, what):
    first, this, count = row["only_first"], row["only_this"], row["pairs"]
    where = (
        f"All {count:,} {what}"
        if row["bucket"] == "all"
        else f"{row['bucket']} tokens ({count:,} {what})"
    )
    found = (
        f"{where}: {row['run']} {100 * row['difference']:+.2f} points; {this} {what} "
        f"that it alone gets right against {first}, p = {row['p']:.2g}"
    )
    found += "." if row["bucket"] == "all" else f", corrected {row['p_holm']:.2g}."
    if row["p_holm"] < LEVEL:
        return f"{found} These {what} resolve the difference."
    return f"{found} A difference of that size cannot be resolved by these {what}."
