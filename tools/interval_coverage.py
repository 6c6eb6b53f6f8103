"""Simulate the coverage of the intervals of a comparison over seeds.

    python -m tools.interval_coverage
    python -m tools.interval_coverage --seeds 5 --studies 100 --out coverage.csv

In the simulation, two models have the same expected accuracy. A study trains both
models with a few seeds and evaluates them on the same rows. The difference of a seed on
a row is the sum of a row effect, a seed effect and noise, all normally distributed.

Writes results/interval_coverage.csv, the numbers of a table in docs/distance_mask.md,
with a line for each number of seeds and each share of the seed effects in the variance
of the mean difference. Columns: the share of studies in which the bootstrap interval
over seeds and rows, the t interval over seeds, and the wider limits of both contain the
true difference 0, and the share of false positives (both intervals exclude 0).
"""

import argparse
import csv
import io
from pathlib import Path

import numpy as np

from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.tasks.seed_comparison import compare_over_seeds

FILE = Path(__file__).parents[1] / "results/interval_coverage.csv"
HEADER = ("seeds", "share", "studies", "bootstrap", "t", "widest", "false_positives")
SHARES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.95)
ROWS = 60


def simulate_differences(random, seeds, rows, share):
    """Draws the differences of a study, `(seeds, rows)`, with expected value 0.

    Args:
        random: NumPy generator.
        seeds: number of seeds.
        rows: number of rows.
        share: share of the seed effects in the variance of the mean difference, which
            is 1. Row effects and noise have equal variances.
    """
    seed_effects = random.normal(0, np.sqrt(share * seeds), (seeds, 1))
    variance = (1 - share) * rows / (1 + 1 / seeds)  # of row effects and noise each
    row_effects = random.normal(0, np.sqrt(variance), rows)
    noise = random.normal(0, np.sqrt(variance), (seeds, rows))
    return seed_effects + row_effects + noise


def simulate_studies(studies, seeds, share, rows=ROWS, start=13):
    """Simulates studies and returns their rates of coverage and of false positives.

    Args:
        studies: number of studies.
        seeds, share, rows: arguments of `simulate_differences`.
        start: random seed of the simulation.

    Returns: shares of the studies, `(4,)`: the bootstrap interval, the t interval and
        the wider limits of both contain 0; the difference is significant.
    """
    random = np.random.default_rng(start)
    counts = np.zeros(4)
    for _ in range(studies):
        differences = simulate_differences(random, seeds, rows, share)
        result = compare_over_seeds(np.zeros_like(differences), differences)
        intervals = (result.bootstrap, result.by_t, result.interval)
        contains_zero = [low <= 0 <= high for low, high in intervals]
        counts += [*contains_zero, result.is_significant]
    return counts / studies


def write_studies(numbers_of_seeds, studies, path):
    """Writes the rates of the simulated studies as CSV, with the columns `HEADER`."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEADER)
    for seeds in numbers_of_seeds:
        for share in SHARES:
            rates = simulate_studies(studies, seeds, share)
            writer.writerow([seeds, share, studies, *(f"{rate:.4f}" for rate in rates)])
    write_atomically(path, file.getvalue())


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seeds", type=int, nargs="+", default=[3, 5], help="numbers of seeds (3 5)"
    )
    parser.add_argument(
        "--studies", type=int, default=1000, help="studies per line (1000)"
    )
    parser.add_argument("--out", type=Path, default=FILE, help="output file")
    options = parser.parse_args(arguments)
    write_studies(options.seeds, options.studies, options.out)


if __name__ == "__main__":
    raise SystemExit(main())
