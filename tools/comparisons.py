"""Compare the models of an experiment by the answers of their runs, or check all.

    python -m tools.comparisons results/distance_mask/seeds --base dsa
    python -m tools.comparisons --check

An experiment is a study or a folder inside a study, whose runs `MODEL/seed-N` have
answers. Replaces its lines in results/comparisons.csv, seed by seed, for the seeds that
both models have: a line for each other model and split; for the cost of a view, which
is the split minus the same split in the view; and for rows with a sentence above 25
tokens minus the other rows, if there are 100 or more of both. The two dev sets of
MultiNLI are compared separately and together. --base names the models that all others
are compared with; without it all pairs are compared.

The columns `low` and `high` are the 95 % interval over seeds and rows.

--check recomputes every number of results/comparisons.csv, and the SHA-256, the
confusion matrix and the metrics of the answers of every study. It needs no corpus and
no Keras, and fails if an answer was changed.
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
from dsa.system.text_tables import comma_separated
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
ROWS = {ALL: None, LONG: 25}  # tokens of the longest sentence
FEWEST = 100  # rows on either side of such a contrast
KEYS = ("first", "other", "split", "minus", "rows")  # key of a line
DIGITS = 6


def compare(models, first, other, split, minus, rows):
    """Lines of the table: a dictionary for each metric.

    Args:
        models: `AnsweredModels`.
        first, other, split: as those of its `read_pair`.
        minus: another evaluation, whose values are taken from those; "" for none.
        rows: one of `ROWS`.
    """
    *values, lengths, seeds = models.read_pair(first, other, split)
    if minus:
        of_both = [models.pair(first, other, part)[0] for part in (split, minus)]
        pair_by_seed(*of_both)  # the same rows in both
        *taken, _, _ = models.read_pair(first, other, minus)
        values = [
            {m: v[m] - t[m] for m in v} for v, t in zip(values, taken, strict=True)
        ]
    inside = None if ROWS[rows] is None else lengths > ROWS[rows]
    keys = dict(zip(KEYS, (first, other, split, minus, rows), strict=True))
    of_first, of_other = values
    return [
        {
            **keys,
            "metric": metric,
            **_describe(of_first[metric], of_other[metric], inside, seeds),
        }
        for metric in of_first
    ]


def has_both(models, first, other, split):
    """Whether there are enough long rows and others, and a value for each row."""
    values, _, lengths, _ = models.read_pair(first, other, split)
    if any(v.shape[1] != len(lengths) for v in values.values()):
        return False
    long = int((lengths > ROWS[LONG]).sum())
    return min(long, len(lengths) - long) >= FEWEST


def _describe(first, other, inside, seeds):
    result = compare_over_seeds(first, other, inside)
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


def compare_experiment(folder, bases=()):
    """The lines of the table of an experiment.

    Args:
        folder: of the experiment.
        bases: the models that all others are compared with; none for all pairs.
    """
    models = AnsweredModels(folder)
    names = models.list_models()
    for base in bases:
        if base not in names:
            known = ", ".join(names)
            raise InputError(f"{folder}: no model '{base}'. There are: {known}")
    pairs = itertools.combinations(names, 2)
    if bases:
        pairs = [
            (base, other)
            for number, base in enumerate(bases)
            for other in names
            if other not in bases[: number + 1]
        ]
    lines = []
    for first, other in pairs:
        splits = models.list_splits([first, other])
        if set(TOGETHER) <= set(splits):
            splits.append(AND.join(TOGETHER))
        for split in splits:
            lines += compare(models, first, other, split, "", ALL)
            plain, _, view = split.partition(" (")
            if view and plain in splits:
                lines += compare(models, first, other, plain, split, ALL)
            elif not view and has_both(models, first, other, split):
                lines += compare(models, first, other, split, "", LONG)
    if not lines:
        raise InputError(f"{folder}: no two models with answers to the same split")
    return lines


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
    write_atomically(results / NAME, comma_separated(rows))


def check_results(results):
    """Lists the faults of the answers and of the comparisons below a folder, as
    texts."""
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
    faults, answered = [], set()
    for run in read_study(study):
        for split, entry in list_answered(run).items():
            answered.add((run.record["run"], split))
            try:
                faults += _check_answers(measure_run(run, split), entry)
            except InputError as error:
                faults.append(str(error))
    for name, split in sorted(list_answers(study) - answered):
        faults.append(f"{study}: {name}: no evaluation has the answers for {split}")
    return faults


def _check_answers(measured, entry):
    place = f"{measured.run.path}, {entry['split']}"
    answers, task = measured.answers, measured.experiment.task
    faults = []
    if digest_answers(answers, task) != entry[DIGEST]:
        faults.append(f"{place}: not the answers that were evaluated ({DIGEST})")
    for metric, of_units in stack_values([measured]).items():
        if not math.isclose(of_units.mean(), entry[metric], abs_tol=1e-6):
            faults.append(
                f"{place}: {metric} {of_units.mean():.6f} by the answers, "
                f"{entry[metric]:.6f} in {RUNS}"
            )
    if "confusion" in entry:
        confusion = np.zeros((task.outputs, task.outputs), int)
        np.add.at(confusion, (answers.labels, answers.outputs.argmax(axis=1)), 1)
        if confusion.tolist() != entry["confusion"]:
            faults.append(f"{place}: another confusion matrix than in {RUNS}")
    return faults


def _check_comparisons(results, experiment, lines):
    place = f"{results / NAME}, {experiment}"
    models, faults = AnsweredModels(results / experiment), []
    compared = {}  # a comparison has a line for each metric
    try:
        for number, line in enumerate(lines, start=1):
            keys = tuple(line[key] for key in KEYS)
            if keys not in compared:
                compared[keys] = compare(models, *keys)
            computed = compared[keys]
            same = [c for c in computed if c["metric"] == line["metric"]]
            if not same or not are_equal(line, same[0]):
                faults.append(f"{place}, row {number}: differs from the answers")
    except (InputError, OSError) as error:
        faults.append(f"{place}: {error}")
    except KeyError as error:
        faults.append(f"{place}: damaged: {error}")
    return faults


def are_equal(line, other, digits=DIGITS):
    """Whether two lines are equal, but for the last one of a number's digits."""
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


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("folder", nargs="?", type=Path, help="of an experiment")
    what.add_argument("--check", action="store_true", help="all below results/")
    parser.add_argument(
        "--base", nargs="+", default=(), metavar="MODEL", help="the first of all pairs"
    )
    options = parser.parse_args(arguments)
    if options.check:
        faults = check_results(RESULTS)
        if faults:
            raise InputError("\n".join(faults))
        return show("every paired number agrees with the answers")
    folder = options.folder.resolve()
    if RESULTS not in folder.parents:
        raise InputError(f"a folder below {RESULTS} is needed. Received: {folder}")
    lines = compare_experiment(folder, options.base)
    write_comparisons(RESULTS, folder.relative_to(RESULTS).as_posix(), lines)


if __name__ == "__main__":
    raise SystemExit(main())
