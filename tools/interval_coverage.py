"""Simulate how often the intervals of a comparison contain the true difference.

    python -m tools.interval_coverage
    python -m tools.interval_coverage --seeds 5 --studies 100

Two models do not differ. A study trains both with a few seeds and evaluates them on the
same rows; the difference of a seed on a row is the sum of a row effect, a seed effect
and noise, all normal. The table has a line for each share of the seed effects in the
variance of the mean difference: how often the bootstrap interval over seeds and rows,
the t interval over seeds, and the wider limits of both contain 0, and how often a
difference is called significant (both intervals exclude 0), which is wrong each time.
Writes the table to standard output.
"""

import argparse

import numpy as np

from dsa.system.command_line import command
from dsa.system.terminal import show
from dsa.system.text_tables import markdown_table
from dsa.tasks.seed_comparison import compare_over_seeds

SHARES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.95)
ROWS = 60


def simulate_differences(random, seeds, rows, share):
    """Returns differences of one study, `(seeds, rows)`, with mean 0.

    Args:
        random: NumPy generator.
        seeds: number of seeds.
        rows: number of rows.
        share: share of the seed effects in the variance of the mean difference, which
            is 1. Row effects and noise have equal variances.
    """
    seed_effects = random.normal(0, np.sqrt(share * seeds), (seeds, 1))
    variance = (1 - share) * rows / (1 + 1 / seeds)  # of a row effect, and of noise
    row_effects = random.normal(0, np.sqrt(variance), rows)
    noise = random.normal(0, np.sqrt(variance), (seeds, rows))
    return seed_effects + row_effects + noise


def simulate_studies(studies, seeds, share, rows=ROWS, start=13):
    """Returns how often, as shares of all studies, the bootstrap interval, the t
    interval and the wider limits of both contain 0, and how often the difference is
    called significant.

    Args:
        studies: number of studies.
        seeds, share, rows: arguments of `simulate_differences`.
        start: seed of the simulation.
    """
    random = np.random.default_rng(start)
    counts = np.zeros(4)
    for _ in range(studies):
        differences = simulate_differences(random, seeds, rows, share)
        result = compare_over_seeds(np.zeros_like(differences), differences)
        intervals = np.array([result.bootstrap, result.by_t])
        widest = intervals[:, 0].min(), intervals[:, 1].max()
        contain = [low <= 0 <= high for low, high in (*intervals, widest)]
        counts += [*contain, result.is_significant]
    return counts / studies


def describe_studies(seeds, studies):
    """Returns the table of the simulated studies as Markdown."""
    lines = []
    for share in SHARES:
        rates = simulate_studies(studies, seeds, share)
        cells = [f"{100 * rate:.1f}" for rate in rates]
        lines.append([str(seeds), f"{share:.2f}", *cells])
    header = ["seeds", "share of seeds", "bootstrap contains 0, %", "t contains 0, %"]
    header += ["wider limits contain 0, %", "called significant, %"]
    return markdown_table(header, lines)


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--studies", type=int, default=1000)
    options = parser.parse_args(arguments)
    show(describe_studies(options.seeds, options.studies))


if __name__ == "__main__":
    raise SystemExit(main())
