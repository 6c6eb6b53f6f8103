"""Figure of `docs/distance_mask.md`: effects of the distance mask."""

import itertools

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dsa.analysis.style import ALARM, COLORS, GREY, MARKERS
from dsa.runs.run_records import read_history
from dsa.runs.studies import list_runs
from tools.answered_models import AND, TOGETHER, AnsweredModels
from tools.docs_tables.pivot import describe_mean

EXPERIMENTS = "results/distance_mask"
BASE = "dsa_no_distance"
LENGTHS = {"test": "1-24 words", "long": "25-60 words", "longer": "61-120 words"}
SURROUNDED = {count: f"dev (surrounded_{count})" for count in (1, 2, 4)}
NAMES = {"dsa": "DSA with distance mask", BASE: "DSA without"}
MODELS = {  # models of the panel with longer premises
    **NAMES,
    "transformer_relative": "Transformer, relative positions",
    "bilstm_max": "Bi-LSTM, max pooling",
}
OFFSET = 0.06  # horizontal distance of the points of two models
TOKENS = (0, 10, 15, 20, 25, 35, 10_000)  # limits of the groups of sentence lengths
STYLES = tuple(zip(COLORS, MARKERS, strict=True))
CORPUS_STYLES = ((GREY, "v"), (ALARM, "P"))  # distinct from the styles of models
CORPORA = {  # (experiment, evaluation) -> name
    ("seeds", "dev"): "SNLI dev",
    ("multinli", AND.join(TOGETHER)): "MultiNLI dev, both sets",
}


class MeasuredRuns:
    """Committed runs of an experiment on the distance mask.

    Args:
        checkout: folder that contains `results/`.
        experiment: name of a folder in `results/distance_mask/` with runs
            `MODEL/seed-N`.
    """

    def __init__(self, checkout, experiment):
        self.folder = checkout / EXPERIMENTS / experiment

    def read_accuracies(self, model, split):
        """Returns `{seed: accuracy}` of a model on a split, in per cent."""
        accuracies = {}
        for run in list_runs(self.folder / model):
            entries = {entry["split"]: entry for entry in run.metrics()}
            accuracies[run.path.name] = 100 * entries[split]["accuracy"]
        return accuracies

    def read_curves(self, model):
        """Returns the dev accuracy after each epoch, in per cent:
        `{epoch: {seed: accuracy}}`."""
        curves = {}
        for run in list_runs(self.folder / model):
            for row in read_history(run):
                accuracies = curves.setdefault(round(row["epoch"]), {})
                accuracies[run.path.name] = 100 * row["val_accuracy"]
        return curves


def measure_by_length(folder, split):
    """Computes the effect of the mask by length: accuracy with minus without mask.

    Args:
        folder: folder of the experiment.
        split: evaluation, as for `AnsweredModels.read_pair`.

    Returns: `{seed: difference in points}` for each group of `TOKENS`, the number of
        tokens in the longer sentence.
    """
    models = AnsweredModels(folder)
    without, with_mask, lengths, _ = models.read_pair(BASE, "dsa", split)
    differences = 100 * (with_mask["accuracy"] - without["accuracy"])
    groups = []
    for low, high in itertools.pairwise(TOKENS):
        is_inside = (low < lengths) & (lengths <= high)
        groups.append(dict(enumerate(differences[:, is_inside].mean(axis=1))))
    return groups


def draw_mask(checkout):
    """Draws the four panels of the figure.

    The panels are accuracy by epoch, accuracy on premises longer than in training,
    accuracy with other premises around each premise, and the effect of the mask by
    length. A point is the mean over seeds with its 95 % t interval; a single seed has
    no interval.

    Args:
        checkout: folder that contains `results/`.
    """
    figure = Figure((8, 6.6), layout="constrained")
    (speed, lengths), (surrounded, by_length) = figure.subplots(2, 2)
    grammar, snli = (MeasuredRuns(checkout, name) for name in ("lengths_12", "seeds"))
    for number, (model, name) in enumerate(NAMES.items()):
        curves = grammar.read_curves(model)
        _draw_points(speed, list(curves), curves.values(), name, STYLES[number])
        splits = ["dev", *SURROUNDED.values()]
        values = [snli.read_accuracies(model, split) for split in splits]
        _draw_points(surrounded, [0, *SURROUNDED], values, name, STYLES[number])
    for number, (model, name) in enumerate(MODELS.items()):
        values = [grammar.read_accuracies(model, split) for split in LENGTHS]
        positions = np.arange(len(LENGTHS)) + OFFSET * (number - (len(MODELS) - 1) / 2)
        _draw_points(lengths, positions, values, name, STYLES[number])
    speed.set(
        title="A. With the mask DSA learns faster",
        xlabel="epoch (grammar, 1-24 words)",
    )
    speed.xaxis.set_major_locator(MaxNLocator(integer=True))
    lengths.set(
        title="B. The mask helps beyond trained lengths",
        xlabel="words of the premise (trained on 1-24)",
    )
    lengths.set_xticks(range(len(LENGTHS)), [n.split()[0] for n in LENGTHS.values()])
    seeds = len(snli.read_accuracies(BASE, "dev"))
    seeds_label = f"{seeds} seeds" if seeds > 1 else "one seed"
    surrounded.set(
        title="C. Among other premises it does not help",
        xlabel=f"other premises on each side (SNLI dev, {seeds_label})",
    )
    for axes in (speed, lengths, surrounded):
        axes.set_ylabel("accuracy, per cent")
    _draw_by_length(by_length, checkout)
    handles = lengths.get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2)
    return figure


def _draw_by_length(axes, checkout):
    """Draws the effect of the mask on each corpus, by tokens of the longer sentence."""
    for number, ((experiment, split), name) in enumerate(CORPORA.items()):
        groups = measure_by_length(checkout / EXPERIMENTS / experiment, split)
        positions = np.arange(len(groups)) + OFFSET * (2 * number - 1)
        _draw_points(axes, positions, groups, name, CORPUS_STYLES[number])
    axes.axhline(0, color="0.6", linewidth=0.8, zorder=0)
    names = [f"{low + 1}-{high}" for low, high in itertools.pairwise(TOKENS[:-1])]
    axes.set_xticks(range(len(TOKENS) - 1), [*names, f"over {TOKENS[-2]}"])
    axes.set(
        title="D. No larger effect in long pairs is shown",
        xlabel="tokens of the longer sentence",
        ylabel="with minus without, points",
    )
    axes.legend()


def _draw_points(axes, positions, values, name, colour_and_marker):
    """Draws a line through the means of `{seed: value}` mappings, with intervals."""
    values = list(values)
    color, marker = colour_and_marker
    style = {"color": color, "marker": marker, "label": name}
    if len(values[0]) == 1:
        axes.plot(positions, [next(iter(v.values())) for v in values], **style)
        return
    described = [describe_mean(by_seed.values()) for by_seed in values]
    means = np.array([mean for mean, _ in described])
    intervals = np.array([interval for _, interval in described])
    errors = np.abs(intervals.T - means)
    axes.errorbar(positions, means, yerr=errors, capsize=2, **style)
