"""Fit power laws to dev errors by number of training pairs, and extrapolate them.

    python -m tools.learning_curves
    python -m tools.learning_curves --check

Reads the stored dev predictions of the runs `VECTORS/PAIRS/MODEL/seed-N` of
results/paper_sizes/snli with at least two numbers of pairs. The error is modelled as
a n^-b + c for n training pairs (a >= 0, 0 < b <= 1, c >= 0), fitted by least squares to
the mean errors over seeds. A curve is fitted if it has at least four numbers of pairs.

Writes learning_curves.csv of the study with a line for each number of pairs and, for
a fitted curve, a line for all pairs of SNLI (549,367), which no model here was trained
on. Columns: vectors, model, pairs, seeds, mean accuracy over seeds, the accuracy of the
fitted curve, and the limits of a 95 % interval of the mean accuracy or, for all pairs
of SNLI, of the fitted accuracy. The intervals are bootstrap intervals over seeds and
rows. With few seeds they are too narrow. They do not include the misfit of the power
law.

--check recomputes the file, and fails if it differs from the predictions.
"""

import argparse
import csv
import io
from pathlib import Path

import numpy as np

from dsa.data.corpora.catalogue import get_corpus
from dsa.errors import InputError
from dsa.evaluation.seed_pairs import stack_values
from dsa.runs.studies import list_runs
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.reading import read_text
from dsa.system.terminal import show
from dsa.system.text_tables import format_csv
from dsa.tasks.bootstrap import CONFIDENCE_LEVEL, SEED
from tools.answered_models import measure_run
from tools.comparisons import are_equal

CHECKOUT = Path(__file__).resolve().parents[1]
STUDY = "results/paper_sizes/snli"
TABLE = f"{STUDY}/learning_curves.csv"
MODELS = {"dsa": "DSA", "esim": "ESIM"}
VECTORS = {
    "explosion": "explosion 300-d",
    "glove_100d": "GloVe 100-d",
    "glove_50d": "GloVe 50-d",
}
ALL_PAIRS = get_corpus("snli").training_pairs
MIN_SIZES = 4  # numbers of pairs of a fitted curve, which has three parameters
EXPONENTS = np.arange(1, 101) / 100
RESAMPLES = 2_000


def fit_power_laws(pairs, errors):
    """Fits a n^-b + c to several curves by least squares.

    The exponent b is selected from `EXPONENTS`. For each exponent, a and c have a
    closed form.

    Args:
        pairs: numbers of training pairs, `(K,)`.
        errors: errors of B curves, `(B, K)`.

    Returns: parameters a, b, c, `(B, 3)`.
    """
    pairs, errors = np.asarray(pairs, float), np.asarray(errors, float)
    means = errors.mean(axis=1, keepdims=True)
    best = np.full(len(errors), np.inf)
    parameters = np.zeros((len(errors), 3))
    for exponent in EXPONENTS:
        powers = pairs**-exponent
        centred = powers - powers.mean()
        slopes = (errors - means) @ centred / (centred @ centred)
        offsets = means[:, 0] - slopes * powers.mean()
        # limits of the region: c = 0 for a negative offset, a = 0 for a negative slope
        slopes = np.where(offsets < 0, errors @ powers / (powers @ powers), slopes)
        offsets = np.maximum(offsets, 0)
        offsets = np.where(slopes < 0, means[:, 0], offsets)
        slopes = np.maximum(slopes, 0)
        residuals = errors - slopes[:, None] * powers - offsets[:, None]
        losses = (residuals**2).sum(axis=1)
        is_better = losses < best
        best[is_better] = losses[is_better]
        candidates = np.stack([slopes, np.full_like(slopes, exponent), offsets], axis=1)
        parameters[is_better] = candidates[is_better]
    return parameters


def predict_errors(parameters, pairs):
    """Returns the errors of B fitted curves at K numbers of pairs, `(B, K)`."""
    a, b, c = parameters.T[:, :, None]
    return a * np.asarray(pairs, float) ** -b + c


def resample_errors(curve, random):
    """Draws bootstrap samples of the mean errors of a curve.

    All numbers of pairs share the resampled seeds and the resampled rows. A number of
    pairs without some of the resampled seeds uses the others.

    Args:
        curve: `{pairs: {seed: values}}` with the values of N rows, `(N,)`, 1 for a
            correct prediction and 0 for a wrong one. The rows have the same order.
        random: NumPy generator.

    Returns: mean errors by number of pairs, `(RESAMPLES, K)`.
    """
    seeds = sorted({seed for runs in curve.values() for seed in runs})
    num_rows = len(next(iter(curve[min(curve)].values())))
    errors = np.empty((RESAMPLES, len(curve)))
    for sample in errors:
        rows = random.integers(num_rows, size=num_rows)
        drawn = _draw_seeds(curve, seeds, random)
        for index, pairs in enumerate(sorted(curve)):
            runs = curve[pairs]
            means = [runs[seed][rows].mean() for seed in drawn if seed in runs]
            sample[index] = 1 - np.mean(means)
    return errors


def _draw_seeds(curve, seeds, random):
    """Draws as many seeds as there are, with replacement, until each number of pairs
    has one of them."""
    while True:
        drawn = random.choice(seeds, len(seeds)).tolist()
        if all(not runs.keys().isdisjoint(drawn) for runs in curve.values()):
            return drawn


def read_curves(study):
    """Reads the correct dev predictions of all curves of a study.

    Args:
        study: folder of the study. Runs without a number of pairs in their names are
            omitted.

    Returns: `{(vectors, model): curve}` with curves as for `resample_errors`. Models
        with a single number of pairs are omitted.

    Raises: `InputError` if a run has no dev predictions, or if the runs of a curve have
        different dev rows.
    """
    curves = {}
    digests = {}
    for run in list_runs(study):
        vectors, pairs, model, _ = run.path.relative_to(study).parts
        if not pairs.isdecimal():
            continue
        measured = measure_run(run, "dev")
        digests.setdefault((vectors, model), set()).add(measured.answers.rows_sha256)
        runs = curves.setdefault((vectors, model), {}).setdefault(int(pairs), {})
        runs[measured.experiment.seed] = stack_values([measured])["accuracy"][0]
    for key, rows in digests.items():
        if len(rows) > 1:
            raise InputError(f"{study}: {'/'.join(key)}: runs with different dev rows")
    return {key: curve for key, curve in curves.items() if len(curve) > 1}


def describe_curve(curve):
    """Returns the lines of a curve from `read_curves`, without vectors and model."""
    pairs = sorted(curve)
    means = np.array([np.mean([*curve[size].values()]) for size in pairs])
    samples = resample_errors(curve, np.random.default_rng(SEED))
    sizes, fitted = pairs, None
    if len(pairs) >= MIN_SIZES and ALL_PAIRS not in curve:
        sizes = [*pairs, ALL_PAIRS]
        fitted = 1 - predict_errors(fit_power_laws(pairs, 1 - means[None]), sizes)[0]
        extrapolated = predict_errors(fit_power_laws(pairs, samples), [ALL_PAIRS])
        samples = np.hstack([samples, extrapolated])
    tail = 100 * (1 - CONFIDENCE_LEVEL) / 2
    lows, highs = np.percentile(1 - samples, [tail, 100 - tail], axis=0)
    lines = []
    for index, size in enumerate(sizes):
        line = {"pairs": str(size), "seeds": "", "accuracy": ""}
        if size in curve:
            line["seeds"] = ", ".join(map(str, sorted(curve[size])))
            line["accuracy"] = f"{means[index]:.6f}"
        line["fitted"] = "" if fitted is None else f"{fitted[index]:.6f}"
        line |= {"low": f"{lows[index]:.6f}", "high": f"{highs[index]:.6f}"}
        lines.append(line)
    return lines


def make_table(study):
    """Returns the lines of `learning_curves.csv` of a study, a list of dictionaries.

    Raises: the errors of `read_curves`.
    """
    return [
        {"vectors": vectors, "model": model, **line}
        for (vectors, model), curve in sorted(read_curves(study).items())
        for line in describe_curve(curve)
    ]


def check_table(checkout):
    """Checks `learning_curves.csv` of a checkout.

    Raises: `InputError` if a line differs from the stored predictions, and the errors
        of `read_curves`.
    """
    path = checkout / TABLE
    lines = list(csv.DictReader(io.StringIO(read_text(path)), strict=True))
    computed = make_table(checkout / STUDY)
    if len(lines) != len(computed):
        raise InputError(
            f"{path}: expected {len(computed)} lines. Received: {len(lines)}"
        )
    for number, (line, expected) in enumerate(zip(lines, computed, strict=True), 2):
        if not are_equal(line, expected):
            raise InputError(f"{path}, line {number}: differs from the predictions")


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="check the file, write nothing"
    )
    if parser.parse_args(arguments).check:
        check_table(CHECKOUT)
        show("the learning curves agree with the predictions")
    else:
        table = format_csv(make_table(CHECKOUT / STUDY))
        write_atomically(CHECKOUT / TABLE, table)


if __name__ == "__main__":
    raise SystemExit(main())
