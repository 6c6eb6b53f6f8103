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
MODELS = {  # beyond trained lengths
    **NAMES,
    "transformer_relative": "Transformer, relative positions",
    "bilstm_max": "Bi-LSTM, max pooling",
}
APART = 0.06  # of the points of two models with the same lengths
TOKENS = (0, 10, 15, 20, 25, 35, 10_000)  # of the longer sentence: ends of groups
STYLES = tuple(zip(COLORS, MARKERS, strict=True))
OF_CORPORA = ((GREY, "v"), (ALARM, "P"))  # colours and markers that no model has
CORPORA = {  # names, by the experiment and its rows
    ("seeds", "dev"): "SNLI dev",
    ("multinli", AND.join(TOGETHER)): "MultiNLI dev, both sets",
}


class MeasuredRuns:
    """The committed runs of an experiment on the distance mask.

    Args:
        checkout: the folder that holds `results/`.
        experiment: a folder of `MODEL/seed-N/` below `results/distance_mask/`.
    """

    def __init__(self, checkout, experiment):
        self.folder = checkout / EXPERIMENTS / experiment

    def read_accuracies(self, model, split):
        """`{seed: accuracy}` of a model on a split, in per cent."""
        found = {}
        for run in list_runs(self.folder / model):
            entries = {entry["split"]: entry for entry in run.metrics()}
            found[run.path.name] = 100 * entries[split]["accuracy"]
        return found

    def read_curves(self, model):
        """Accuracy on dev after each epoch: `{epoch: {seed: accuracy}}`."""
        curves = {}
        for run in list_runs(self.folder / model):
            for row in read_history(run):
                of_epoch = curves.setdefault(round(row["epoch"]), {})
                of_epoch[run.path.name] = 100 * row["val_accuracy"]
        return curves


def measure_by_length(folder, split):
    """Accuracy with the mask minus that without, in points, by the tokens of the longer
    sentence: a `{seed: difference}` for each group of `TOKENS`.

    Args:
        folder: of the experiment.
        split: as that of `AnsweredModels.read_pair`.
    """
    models = AnsweredModels(folder)
    without, with_mask, lengths, _ = models.read_pair(BASE, "dsa", split)
    differences = 100 * (with_mask["accuracy"] - without["accuracy"])
    groups = []
    for most_before, most in itertools.pairwise(TOKENS):
        inside = (most_before < lengths) & (lengths <= most)
        groups.append(dict(enumerate(differences[:, inside].mean(axis=1))))
    return groups


def draw_mask(checkout):
    """Draws four panels: accuracy by epoch, accuracy beyond the lengths of training,
    accuracy with other premises around each premise, and the effect of the mask by
    length. A point is the mean over seeds with its 95 % t interval; one seed has none.

    Args:
        checkout: the folder that holds `results/`.
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
        places = np.arange(len(LENGTHS)) + APART * (number - (len(MODELS) - 1) / 2)
        _draw_points(lengths, places, values, name, STYLES[number])
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
    several = f"{seeds} seeds" if seeds > 1 else "one seed"
    surrounded.set(
        title="C. Among other premises it does not help",
        xlabel=f"other premises on each side (SNLI dev, {several})",
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
        places = np.arange(len(groups)) + APART * (2 * number - 1)
        _draw_points(axes, places, groups, name, OF_CORPORA[number])
    axes.axhline(0, color="0.6", linewidth=0.8, zorder=0)
    names = [f"{low + 1}-{high}" for low, high in itertools.pairwise(TOKENS[:-1])]
    axes.set_xticks(range(len(TOKENS) - 1), [*names, f"over {TOKENS[-2]}"])
    axes.set(
        title="D. No larger effect in long pairs is shown",
        xlabel="tokens of the longer sentence",
        ylabel="with minus without, points",
    )
    axes.legend()


def _draw_points(axes, places, values, name, colour_and_marker):
    """A line through the means of `{seed: value}`s, with their intervals."""
    values = list(values)
    color, marker = colour_and_marker
    style = {"color": color, "marker": marker, "label": name}
    if len(values[0]) == 1:
        axes.plot(places, [one for (one,) in (v.values() for v in values)], **style)
        return
    described = [describe_mean(of_seeds.values()) for of_seeds in values]
    means = np.array([mean for mean, _ in described])
    intervals = np.array([interval for _, interval in described])
    errors = np.abs(intervals.T - means)
    axes.errorbar(places, means, yerr=errors, capsize=2, **style)
