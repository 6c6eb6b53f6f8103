"""Correlation of DSA's gates, outputs and weights with word frequency: Figures 9 to 11.

    python -m tools.word_frequencies results/distance_mask/seeds --runs RUN ...
    python -m tools.word_frequencies results/distance_mask/seeds
    python -m tools.word_frequencies --check

Im & Cho 2017 draw one sentence: its key words have low gates (figure 9: they take their
context), many deactivated units, the largest outputs (figure 10), and the weights of
both poolings (figure 11); words such as "of" the reverse. Here the same numbers are
correlated with how often a word occurs in the training rows, within every distinct
premise of dev: Spearman's rank correlation over its tokens, the mean of both directions
if there are two. So the figures' signs are + for the gate and - for all others.

The first form measures runs `.../MODEL/seed-N`, which needs their weights and corpora,
and adds the arrays to word_frequencies.npz of the experiment. The first two forms write
its word_frequencies.csv: the mean correlation of each model, and the effect of alpha,
with 95 % intervals over seeds and premises. The third recomputes every such table below
results/, without corpus or Keras.
"""

import argparse
import csv
import io
import math
from pathlib import Path

import numpy as np

from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.reading import read_text
from dsa.system.terminal import show
from dsa.system.text_tables import comma_separated
from dsa.tasks.seed_comparison import compare_over_seeds
from tools.comparisons import are_equal

RESULTS = Path(__file__).resolve().parents[1] / "results"
ARRAYS, TABLE = "word_frequencies.npz", "word_frequencies.csv"
QUANTITIES = ("gate", "deactivated", "output", "source2token", "max_pooling")
MODELS = ("dsa", "dsa_no_distance")
FEWEST_TOKENS = 5  # of a premise
DIGITS = 4
NUMBERS = ("mean", "low", "high")


def measure_run(run, root=None):
    """Correlations of a run: `(premises, quantities)` float32, nan if a premise has the
    same number for all tokens."""
    import dsa
    from dsa.evaluation.splits import find_split
    from dsa.system.folders import data_root

    trained, root = dsa.load(run), data_root(root)
    train = find_split(trained, root, "train").prepared
    counts = dict(zip(train.words, train.word_counts().tolist(), strict=True))
    dev = find_split(trained, root).prepared
    trained = trained.with_words(dev.words)
    sentences = dev.sentences
    values = []
    for place in np.unique(dev.texts[:, 0]):
        ids = sentences.ids[sentences.offsets[place] : sentences.offsets[place + 1]]
        if len(ids) >= FEWEST_TOKENS:
            tokens = [dev.words[number] for number in ids]
            values.append(correlate_premise(trained.explain_tokens(tokens), counts))
    return np.array(values, np.float32)


def correlate_premise(explanation, counts):
    """The correlation of each of `QUANTITIES` with the words' counts.

    Args:
        explanation: the `Explanation` of the premise.
        counts: `{word: occurrences in train}`; 0 for others.
    """
    from scipy.stats import spearmanr

    (tokens,) = explanation.tokens.values()
    frequencies = [counts.get(token, 0) for token in tokens]
    correlations = []
    for quantity in QUANTITIES:
        maps = [one for one in explanation.values() if one.what == quantity]
        numbers = np.mean([one.by_token() for one in maps], axis=0)
        varied = len(set(frequencies)) > 1 and np.ptp(numbers) > 0
        correlation = spearmanr(frequencies, numbers).statistic if varied else math.nan
        correlations.append(correlation)
    return correlations


def make_table(folder):
    """The lines of an experiment's table: dictionaries.

    Raises: `InputError` if runs lack a model's arrays, or differ in premises.
    """
    arrays = {model: {} for model in MODELS}
    for name, values in read_arrays(folder).items():
        model, _, seed = name.partition("/seed-")
        arrays[model][int(seed)] = values
    seeds = {model: sorted(of_model) for model, of_model in arrays.items()}
    first, other = (seeds[model] for model in MODELS)
    if not first or first != other:
        raise InputError(
            f"{folder}: {ARRAYS} of the same seeds of {' and '.join(MODELS)} are "
            f"needed. There are: {first}, {other}"
        )
    stacked = [
        np.stack([arrays[model][seed] for seed in seeds[model]]) for model in MODELS
    ]
    lines = []
    for number, quantity in enumerate(QUANTITIES):
        values = np.stack([of_model[..., number] for of_model in stacked])
        values = values[..., np.isfinite(values).all(axis=(0, 1))].astype(np.float64)
        with_mask, without = values
        for name, low, high in (
            ("dsa", np.zeros_like(with_mask), with_mask),
            ("dsa_no_distance", np.zeros_like(without), without),
            ("dsa minus dsa_no_distance", without, with_mask),
        ):
            result = compare_over_seeds(low, high)
            numbers = [result.difference, *result.interval]
            lines.append(
                {
                    "quantity": quantity,
                    "of": name,
                    **{
                        column: f"{value:.{DIGITS}f}"
                        for column, value in zip(NUMBERS, numbers, strict=True)
                    },
                    "seeds": ", ".join(map(str, first)),
                    "premises": str(result.units),
                }
            )
    return lines


def read_arrays(folder):
    """Returns `{"MODEL/seed-N": array}` of the measured runs of an experiment."""
    if not (folder / ARRAYS).is_file():
        return {}
    with np.load(folder / ARRAYS, allow_pickle=False) as file:
        return dict(file)


def check_tables(results):
    """Lists the faults of the tables below a folder, as texts."""
    faults = []
    for path in sorted(results.rglob(TABLE)):
        lines = list(csv.DictReader(io.StringIO(read_text(path)), strict=True))
        computed = make_table(path.parent)
        if len(lines) != len(computed):
            faults.append(f"{path}: {len(lines)} lines instead of {len(computed)}")
        for number, (line, expected) in enumerate(
            zip(lines, computed, strict=False), 2
        ):
            if not are_equal(line, expected, DIGITS):
                faults.append(f"{path}, line {number}: differs from the arrays")
    return faults


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", nargs="?", type=Path, metavar="EXPERIMENT")
    parser.add_argument("--runs", nargs="+", default=[], type=Path, metavar="RUN")
    parser.add_argument("--check", action="store_true", help="all below results/")
    options = parser.parse_args(arguments)
    if options.runs:
        arrays = read_arrays(options.experiment)
        for run in options.runs:
            arrays["/".join(run.parts[-2:])] = measure_run(run)
        data = io.BytesIO()
        np.savez_compressed(data, **arrays)
        write_atomically(options.experiment / ARRAYS, data.getvalue())
    if options.experiment:
        lines = make_table(options.experiment)
        write_atomically(options.experiment / TABLE, comma_separated(lines))
        show(comma_separated(lines))
    if options.check:
        faults = check_tables(RESULTS)
        if faults:
            raise InputError("\n".join(faults))
        show("every word_frequencies.csv agrees with its arrays")


if __name__ == "__main__":
    raise SystemExit(main())
