"""Correlate the gates, outputs and weights of DSA with word frequency (Figures 9-11).

    python -m tools.word_frequencies results/distance_mask/seeds --runs RUN ...
    python -m tools.word_frequencies results/distance_mask/seeds
    python -m tools.word_frequencies --check

Im & Cho 2017 show a single sentence. Its keywords have low gates (Figure 9: the context
dominates), many deactivated units and the largest outputs (Figure 10), and the largest
weights of both poolings (Figure 11); words such as "of" have the opposite. Here these
quantities are correlated with the frequency of the words in the training rows:
Spearman's rank correlation over the tokens of each distinct premise of dev. Quantities
of two directions are averaged. The signs of the figures correspond to a positive
correlation of the gate and negative correlations of all other quantities.

With --runs, the runs `.../MODEL/seed-N` are measured, which requires their weights and
corpora, and the arrays are added to word_frequencies.npz of the experiment. With and
without --runs, word_frequencies.csv of the experiment is written: the mean correlation
of each model and the effect of alpha, with 95 % intervals over seeds and premises.
--check recomputes all these tables below results/, without corpora or Keras.
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
from dsa.system.text_tables import format_csv
from dsa.tasks.seed_comparison import compare_over_seeds
from tools.comparisons import are_equal

RESULTS = Path(__file__).resolve().parents[1] / "results"
ARRAYS, TABLE = "word_frequencies.npz", "word_frequencies.csv"
QUANTITIES = ("gate", "deactivated", "output", "source2token", "max_pooling")
MODELS = ("dsa", "dsa_no_distance")
MIN_TOKENS = 5  # in a premise
DIGITS = 4
NUMBERS = ("mean", "low", "high")


def measure_run(run, root=None):
    """Computes the correlations of a run for each distinct premise of dev.

    Args:
        run: run folder.
        root: data root; `None` for the default.

    Returns: `(premises, quantities)`, float32; nan if all tokens of a premise have the
        same value.
    """
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
    for index in np.unique(dev.sentence_indices[:, 0]):
        ids = sentences.ids[sentences.offsets[index] : sentences.offsets[index + 1]]
        if len(ids) >= MIN_TOKENS:
            tokens = [dev.words[number] for number in ids]
            values.append(correlate_premise(trained.explain_tokens(tokens), counts))
    return np.array(values, np.float32)


def correlate_premise(explanation, counts):
    """Returns the rank correlation of each of `QUANTITIES` with the word counts.

    Args:
        explanation: the `Explanation` of the premise.
        counts: `{word: occurrences in train}`; all other words have 0 occurrences.
    """
    from scipy.stats import spearmanr

    (tokens,) = explanation.tokens.values()
    frequencies = [counts.get(token, 0) for token in tokens]
    correlations = []
    for quantity in QUANTITIES:
        by_token = [
            token_map.by_token()
            for token_map in explanation.values()
            if token_map.what == quantity
        ]
        values = np.mean(by_token, axis=0)
        if len(set(frequencies)) > 1 and np.ptp(values) > 0:
            correlations.append(spearmanr(frequencies, values).statistic)
        else:
            correlations.append(math.nan)
    return correlations


def make_table(folder):
    """Returns the lines of the table of an experiment, as dictionaries.

    Raises: `InputError` unless both models have arrays of the same seeds.
    """
    arrays = {model: {} for model in MODELS}
    for name, values in read_arrays(folder).items():
        model, _, seed = name.partition("/seed-")
        arrays[model][int(seed)] = values
    seeds = {model: sorted(by_seed) for model, by_seed in arrays.items()}
    first_seeds, other_seeds = (seeds[model] for model in MODELS)
    if not first_seeds or first_seeds != other_seeds:
        raise InputError(
            f"{folder}: expected {ARRAYS} with the same seeds of "
            f"{' and '.join(MODELS)}. Received: {first_seeds}, {other_seeds}"
        )
    stacked = [
        np.stack([arrays[model][seed] for seed in seeds[model]]) for model in MODELS
    ]
    lines = []
    for position, quantity in enumerate(QUANTITIES):
        values = np.stack([model_values[..., position] for model_values in stacked])
        values = values[..., np.isfinite(values).all(axis=(0, 1))].astype(np.float64)
        with_mask, without = values
        zeros = np.zeros_like(with_mask)
        for name, base_values, model_values in (
            ("dsa", zeros, with_mask),
            ("dsa_no_distance", zeros, without),
            ("dsa minus dsa_no_distance", without, with_mask),
        ):
            result = compare_over_seeds(base_values, model_values)
            numbers = [result.difference, *result.interval]
            lines.append(
                {
                    "quantity": quantity,
                    "of": name,
                    **{
                        column: f"{value:.{DIGITS}f}"
                        for column, value in zip(NUMBERS, numbers, strict=True)
                    },
                    "seeds": ", ".join(map(str, first_seeds)),
                    "premises": str(result.units),
                }
            )
    return lines


def read_arrays(folder):
    """Returns the arrays of an experiment by run, `{"MODEL/seed-N": array}`."""
    if not (folder / ARRAYS).is_file():
        return {}
    with np.load(folder / ARRAYS, allow_pickle=False) as file:
        return dict(file)


def check_tables(results):
    """Checks the tables below a folder.

    Returns: error messages, a list.
    """
    faults = []
    for path in sorted(results.rglob(TABLE)):
        lines = list(csv.DictReader(io.StringIO(read_text(path)), strict=True))
        computed = make_table(path.parent)
        if len(lines) != len(computed):
            faults.append(
                f"{path}: expected {len(computed)} lines. Received: {len(lines)}"
            )
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
    parser.add_argument(
        "experiment", nargs="?", type=Path, metavar="EXPERIMENT", help="folder"
    )
    parser.add_argument(
        "--runs",
        nargs="+",
        default=[],
        type=Path,
        metavar="RUN",
        help="measured runs",
    )
    parser.add_argument(
        "--check", action="store_true", help="check all tables, write no files"
    )
    options = parser.parse_args(arguments)
    if bool(options.experiment) == options.check:
        parser.error("expected either EXPERIMENT or --check")
    if options.runs:
        arrays = read_arrays(options.experiment)
        for run in options.runs:
            arrays["/".join(run.parts[-2:])] = measure_run(run)
        data = io.BytesIO()
        np.savez_compressed(data, **arrays)
        write_atomically(options.experiment / ARRAYS, data.getvalue())
    if options.experiment:
        lines = make_table(options.experiment)
        write_atomically(options.experiment / TABLE, format_csv(lines))
        show(format_csv(lines))
    if options.check:
        faults = check_tables(RESULTS)
        if faults:
            raise InputError("\n".join(faults))
        show("all word frequency tables agree with their arrays")


if __name__ == "__main__":
    raise SystemExit(main())
