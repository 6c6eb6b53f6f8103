"""The figure of `docs/distance_mask.md`: what the distance mask does."""

import csv

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dsa.analysis.plots import COLORS, MARKERS
from dsa.experiment.run_folder import RunFolder
from dsa.system.reading import read_text
from tools.docs_tables.mask_tables import (
    BASE,
    EXPERIMENTS,
    LENGTHS,
    MODELS,
    SURROUNDED,
)
from tools.docs_tables.trained_alike import describe_mean

NAMES = {"dsa": "DSA with distance mask", BASE: "DSA without"}
SHOWN = (*NAMES, "transformer_relative", "bilstm_max")  # beyond trained lengths
APART = 0.06  # of the points of two models with the same lengths


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
        for path in sorted((self.folder / model).glob("seed-*")):
            entries = {entry["split"]: entry for entry in RunFolder(path).metrics()}
            found[path.name] = 100 * entries[split]["accuracy"]
        return found

    def read_curves(self, model):
        """Accuracy on dev after each epoch: `{epoch: {seed: accuracy}}`."""
        curves = {}
        for path in sorted((self.folder / model).glob("seed-*")):
            for row in csv.DictReader(read_text(path / "history.csv").splitlines()):
                of_epoch = curves.setdefault(round(float(row["epoch"])), {})
                of_epoch[path.name] = 100 * float(row["val_accuracy"])
        return curves


def draw_mask(checkout):
    """Draws three panels: accuracy by epoch, accuracy beyond the lengths of training,
    and accuracy with other premises around each premise. A point is the mean over
    seeds with its 95 % t interval; one seed has none.

    Args:
        checkout: the folder that holds `results/`.
    """
    figure = Figure((9, 3.7), layout="constrained")
    speed, lengths, surrounded = figure.subplots(1, 3)
    grammar, snli = (MeasuredRuns(checkout, name) for name in ("lengths_12", "seeds"))
    for number, (model, name) in enumerate(NAMES.items()):
        curves = grammar.read_curves(model)
        _draw_points(speed, list(curves), curves.values(), name, number)
        splits = ["dev", *SURROUNDED.values()]
        values = [snli.read_accuracies(model, split) for split in splits]
        _draw_points(surrounded, [0, *SURROUNDED], values, name, number)
    for number, model in enumerate(SHOWN):
        values = [grammar.read_accuracies(model, split) for split in LENGTHS]
        name = NAMES.get(model) or MODELS[model]
        places = np.arange(len(LENGTHS)) + APART * (number - (len(SHOWN) - 1) / 2)
        _draw_points(lengths, places, values, name, number)
    speed.set(title="grammar, short pairs", xlabel="epoch")
    speed.xaxis.set_major_locator(MaxNLocator(integer=True))
    lengths.set(title="trained on 1-24 words", xlabel="words of the premise")
    lengths.set_xticks(range(len(LENGTHS)), [n.split()[0] for n in LENGTHS.values()])
    seeds = len(snli.read_accuracies(BASE, "dev"))
    several = f"{seeds} seeds" if seeds > 1 else "one seed"
    surrounded.set(title=f"SNLI dev, {several}", xlabel="other premises on each side")
    for axes in (speed, lengths, surrounded):
        axes.set_ylabel("accuracy, per cent")
    handles = lengths.get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=len(SHOWN))
    return figure


def _draw_points(axes, places, values, name, number):
    """A line through the means of `{seed: value}`s, with their intervals."""
    values = list(values)
    style = {"color": COLORS[number], "marker": MARKERS[number], "label": name}
    if len(values[0]) == 1:
        axes.plot(places, [one for (one,) in (v.values() for v in values)], **style)
        return
    described = [describe_mean(of_seeds) for of_seeds in values]
    means = np.array([mean for mean, _ in described])
    intervals = np.array([interval for _, interval in described])
    errors = np.abs(intervals.T - means)
    axes.errorbar(places, means, yerr=errors, capsize=2, **style)
