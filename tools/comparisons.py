"""Compare the models of an experiment by their stored answers, or check all results.

    python -m tools.comparisons results/distance_mask/seeds --base dsa
    python -m tools.comparisons --check

An experiment is a study or a folder of a study with runs `MODEL/seed-N` that have
answers. The command replaces the lines of the experiment in results/comparisons.csv.
Models are compared seed by seed, over their common seeds. There is a line for

- each split;
- each view: the value on the split minus the value on the same split in the view, which
  is the cost of the view;
- rows with a sentence above 25 tokens minus all other rows, if there are at least 100
  rows of both.

The two dev sets of MultiNLI are compared separately and together. All pairs of models
are compared, or all models with each model of --base. --with FOLDER also compares each
model with the model of the same name in another experiment.

The columns `low` and `high` are the limits of the 95 % interval over seeds and rows.

--check recomputes every number of results/comparisons.csv, and the SHA-256, confusion
matrix and metrics of the answers of every study. It requires neither corpora nor Keras,
and fails if any answer was changed.
"""

import argparse
import csv
import io
import itertools
import math
from pathlib import Path

import numpy as np

from dsa.errors import InputError
from dsa.evaluation.seed_pairs import pair_by_seed, stack_values
from dsa.evaluation.study_answers import digest_answers, list_answers
from dsa.runs.studies import RUNS, read_study
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.reading import read_text
from dsa.system.terminal import show
from dsa.system.text_tables import format_csv
from dsa.tasks.seed_comparison import compare_over_seeds
from tools.answered_models import (
    AND,
    DIGEST,
    TOGETHER,
    AnsweredModels,
    list_answered,
    measure_run,
)

RESULTS = Path(__file__).resolve().parents[1] / "results"
NAME = "comparisons.csv"
ALL = "all"
LONG = "above 25 tokens minus others"
ROWS = {ALL: None, LONG: 25}  # maximum tokens in a sentence of the other rows
MIN_ROWS = 100  # long rows, and other rows, for a comparison of both
KEYS = ("first", "other", "split", "minus", "rows")  # columns that identify a line
DIGITS = 6


def compare(models, first, other, split, minus, rows):
    """Compares two models on a split.

    Args:
        models: the `AnsweredModels`.
        first: name of a model, or the path below `results/` of a model of another
            experiment.
        other: name of another model.
        split: evaluation, as for `AnsweredModels.read_pair`.
        minus: another evaluation of the same rows, whose values are subtracted; "" for
            none.
        rows: one of `ROWS`.

    Returns: lines of the table, a dictionary for each metric.
    """
    first_values, other_values, lengths, seeds = models.read_pair(first, other, split)
    if minus:
        first_runs, _ = models.pair(first, other, split)
        first_minus_runs, _ = models.pair(first, other, minus)
        pair_by_seed(first_runs, first_minus_runs)  # raises for different rows
        first_minus, other_minus, _, _ = models.read_pair(first, other, minus)
        first_values = {m: v - first_minus[m] for m, v in first_values.items()}
        other_values = {m: v - other_minus[m] for m, v in other_values.items()}
    is_long = None if ROWS[rows] is None else lengths > ROWS[rows]
    keys = dict(zip(KEYS, (first, other, split, minus, rows), strict=True))
    return [
        {
            **keys,
            "metric": metric,
            **_describe(first_values[metric], other_values[metric], is_long, seeds),
        }
        for metric in first_values
    ]


def can_compare_lengths(models, first, other, split):
    """Returns whether long rows can be compared with other rows.

    There must be enough rows of both, and a metric value for each row.
    """
    values, _, lengths, _ = models.read_pair(first, other, split)
    if any(v.shape[1] != len(lengths) for v in values.values()):
        return False
    long = int((lengths > ROWS[LONG]).sum())
    return min(long, len(lengths) - long) >= MIN_ROWS


def _describe(first, other, is_long, seeds):
    result = compare_over_seeds(first, other, is_long)
    low, high = result.interval
    numbers = {
        "first_mean": result.first,
        "other_mean": result.other,
        "difference": result.difference,
        "low": low,
        "high": high,
    }
    return {
        **{name: f"{number:.{DIGITS}f}" for name, number in numbers.items()},
        "significant": "yes" if result.is_significant else "no",
        "seeds": seeds,
        "units": str(result.units),
    }


def compare_experiment(folder, bases=(), other_folder=None):
    """Returns the lines of an experiment in `comparisons.csv`.

    Args:
        folder: folder of the experiment, below `RESULTS`.
        bases: models with which all others are compared; empty to compare all pairs.
        other_folder: folder of another experiment, below `RESULTS`. The lines contain
            the models of `folder` minus the models of the same names of `other_folder`.

    Raises: `InputError` if a model of `bases` or a common model of both experiments
        does not exist, or if no two models have answers for the same split.
    """
    models = AnsweredModels(folder, RESULTS)
    pairs = _list_pairs(models.list_models(), bases, folder)
    if other_folder is not None:
        other_name = other_folder.relative_to(RESULTS).as_posix()
        common = {*models.list_models()} & {*AnsweredModels(other_folder).list_models()}
        if not common:
            raise InputError(f"{folder} and {other_folder} have no model in common")
        pairs += [(f"{other_name}/{name}", name) for name in sorted(common)]
    lines = []
    for first, other in pairs:
        splits = models.list_splits([first, other])
        if set(TOGETHER) <= set(splits):
            splits.append(AND.join(TOGETHER))
        for split in splits:
            lines += compare(models, first, other, split, "", ALL)
            plain, _, view = split.partition(" (")
            if view.startswith("vectors: "):
                continue
            if view and plain in splits:
                lines += compare(models, first, other, plain, split, ALL)
            elif not view and can_compare_lengths(models, first, other, split):
                lines += compare(models, first, other, split, "", LONG)
    if not lines:
        raise InputError(f"{folder}: no two models have answers for the same split")
    return lines


def _list_pairs(names, bases, folder):
    """Returns the pairs of models of an experiment, see `compare_experiment`."""
    for base in bases:
        if base not in names:
            known = ", ".join(names)
            raise InputError(f"{folder}: unknown model '{base}'. Known: {known}")
    if not bases:
        return list(itertools.combinations(names, 2))
    return [
        (base, other)
        for number, base in enumerate(bases)
        for other in names
        if other not in bases[: number + 1]
    ]


def read_comparisons(results):
    """Returns the lines of `comparisons.csv` by experiment: `{name: [line, ...]}`.

    Raises: `InputError` without the file, and if it is damaged.
    """
    path, lines = results / NAME, {}
    try:
        for line in csv.DictReader(io.StringIO(read_text(path)), strict=True):
            lines.setdefault(line.pop("experiment"), []).append(line)
    except FileNotFoundError:
        raise InputError(f"no comparisons in {path}") from None
    except (KeyError, csv.Error) as error:
        raise InputError(f"{path}: damaged: {error}") from error
    return lines


def write_comparisons(results, experiment, lines):
    """Replaces the lines of an experiment in `comparisons.csv`."""
    has_file = (results / NAME).exists()
    experiments = read_comparisons(results) if has_file else {}
    experiments[experiment] = lines
    rows = [
        {"experiment": name, **line}
        for name, lines in sorted(experiments.items())
        for line in lines
    ]
    write_atomically(results / NAME, format_csv(rows))


def check_results(results):
    """Checks the answers and the comparisons below a folder.

    Returns: error messages, a list.
    """
    faults = []
    for path in sorted(results.rglob(RUNS)):
        faults += _check_study(path.parent)
    try:
        experiments = read_comparisons(results)
    except InputError as error:
        return [*faults, str(error)]
    for name, lines in experiments.items():
        faults += _check_comparisons(results, name, lines)
    return faults


def _check_study(study):
    faults = []
    answered = set()
    for run in read_study(study):
        for split, entry in list_answered(run).items():
            answered.add((run.record["run"], split))
            try:
                faults += _check_answers(measure_run(run, split), entry)
            except InputError as error:
                faults.append(str(error))
    for name, split in sorted(list_answers(study) - answered):
        faults.append(f"{study}: {name}: answers without evaluation for {split}")
    return faults


def _check_answers(measured, entry):
    source = f"{measured.run.path}, {entry['split']}"
    answers, task = measured.answers, measured.experiment.task
    faults = []
    if digest_answers(answers, task) != entry[DIGEST]:
        faults.append(f"{source}: the answers have changed since the evaluation")
    for metric, values in stack_values([measured]).items():
        if not math.isclose(values.mean(), entry[metric], abs_tol=1e-6):
            faults.append(
                f"{source}: {metric} is {values.mean():.6f} in the answers, "
                f"{entry[metric]:.6f} in {RUNS}"
            )
    if "confusion" in entry:
        confusion = np.zeros((task.outputs, task.outputs), int)
        np.add.at(confusion, (answers.labels, answers.outputs.argmax(axis=1)), 1)
        if confusion.tolist() != entry["confusion"]:
            faults.append(f"{source}: the confusion matrix differs from {RUNS}")
    return faults


def _check_comparisons(results, experiment, lines):
    source = f"{results / NAME}, {experiment}"
    models = AnsweredModels(results / experiment, results)
    faults = []
    comparisons = {}  # lines of all metrics by `KEYS`
    try:
        for number, line in enumerate(lines, start=1):
            keys = tuple(line[key] for key in KEYS)
            if keys not in comparisons:
                comparisons[keys] = compare(models, *keys)
            by_metric = {entry["metric"]: entry for entry in comparisons[keys]}
            computed = by_metric.get(line["metric"])
            if computed is None or not are_equal(line, computed):
                faults.append(f"{source}, row {number}: differs from the answers")
    except (InputError, OSError) as error:
        faults.append(f"{source}: {error}")
    except KeyError as error:
        faults.append(f"{source}: damaged: {error}")
    return faults


def are_equal(line, other, digits=DIGITS):
    """Returns whether two lines are equal up to the last digit of each number."""
    return line.keys() == other.keys() and all(
        _is_near(line[key], other[key], 2 * 10**-digits) for key in line
    )


def _is_near(text, other, tolerance):
    if text == other:
        return True
    try:
        return math.isclose(float(text), float(other), abs_tol=tolerance)
    except (TypeError, ValueError):
        return False


def _resolve(folder):
    folder = folder.resolve()
    if RESULTS not in folder.parents:
        raise InputError(f"expected a folder below {RESULTS}. Received: {folder}")
    return folder


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("folder", nargs="?", type=Path, help="folder of an experiment")
    group.add_argument(
        "--check", action="store_true", help="check all results, write no files"
    )
    parser.add_argument(
        "--base",
        nargs="+",
        default=(),
        metavar="MODEL",
        help="models with which all others are compared (default: compare all pairs)",
    )
    parser.add_argument(
        "--with",
        type=Path,
        dest="other_folder",
        metavar="FOLDER",
        help="another experiment; compares the models of the same names",
    )
    options = parser.parse_args(arguments)
    if options.check:
        if options.base or options.other_folder:
            raise InputError("--check takes no other options")
        faults = check_results(RESULTS)
        if faults:
            raise InputError("\n".join(faults))
        return show("all comparisons agree with the answers")
    folder = _resolve(options.folder)
    other_folder = options.other_folder and _resolve(options.other_folder)
    lines = compare_experiment(folder, options.base, other_folder)
    write_comparisons(RESULTS, folder.relative_to(RESULTS).as_posix(), lines)


if __name__ == "__main__":
    raise SystemExit(main())
