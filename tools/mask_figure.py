"""Draw the figure of `docs/distance_mask.md` again: what the distance mask does.

    python -m tools.mask_figure

Writes results/distance_mask/mask.png, three panels: accuracy by epoch, accuracy beyond
the lengths of training, and accuracy with foreign premises around each premise. Each
point is a mean over seeds with its 95 % t interval.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.plots import COLORS, MARKERS
from dsa.experiment.run_folder import RunFolder
from dsa.system.command_line import command
from dsa.system.reading import read_text
from tools.docs_tables.mask_tables import EXPERIMENTS, LENGTHS, MODELS, SURROUNDED
from tools.docs_tables.trained_alike import describe_mean

CHECKOUT = Path(__file__).resolve().parents[1]
WITH, WITHOUT = "dsa", "dsa_no_distance"
NAMES = {WITH: "with distance mask", WITHOUT: "without"}
SHOWN = ("dsa_no_distance", "dsa", "transformer_relative", "bilstm_max")  # beyond them


def read_accuracies(experiment, model, split):
    """`{seed: accuracy}` of the runs of a model, in per cent."""
    found = {}
    for path in sorted((CHECKOUT / EXPERIMENTS / experiment / model).glob("seed-*")):
        entries = {entry["split"]: entry for entry in RunFolder(path).metrics()}
        found[path.name] = 100 * entries[split]["accuracy"]
    return found


def read_curves(experiment, model):
    """Accuracy on dev after each epoch, in per cent: `{epoch: {seed: accuracy}}`."""
    curves = {}
    for path in sorted((CHECKOUT / EXPERIMENTS / experiment / model).glob("seed-*")):
        for row in csv.DictReader(read_text(path / "history.csv").splitlines()):
            of_epoch = curves.setdefault(round(float(row["epoch"])), {})
            of_epoch[path.name] = 100 * float(row["val_accuracy"])
    return curves


def draw_points(axes, places, values, name, number):
    """A line through the means of `{seed: value}`s, with their intervals."""
    described = [describe_mean(of_seeds) for of_seeds in values]
    means = np.array([mean for mean, _ in described])
    intervals = np.array([interval for _, interval in described])
    axes.errorbar(
        places,
        means,
        yerr=np.abs(intervals.T - means),
        color=COLORS[number],
        marker=MARKERS[number],
        capsize=2,
        label=name,
    )


def draw_mask():
    """Draws the figure."""
    figure = Figure((10, 3.6), layout="constrained")
    speed, lengths, surrounded = figure.subplots(1, 3)
    for number, (model, name) in enumerate(NAMES.items()):
        curves = read_curves("lengths_12", model)
        draw_points(speed, list(curves), curves.values(), name, number)
        splits = ["dev", *SURROUNDED.values()]
        values = [read_accuracies("seeds", model, split) for split in splits]
        draw_points(surrounded, [0, *SURROUNDED], values, name, number)
    for number, model in enumerate(SHOWN):
        values = [read_accuracies("lengths_12", model, split) for split in LENGTHS]
        if all(values):
            draw_points(lengths, range(len(LENGTHS)), values, MODELS[model], number)
    speed.set(title="Speed: grammar, short pairs", xlabel="epoch")
    speed.xaxis.set_major_locator(MaxNLocator(integer=True))
    lengths.set(title="Length: grammar, trained on up to 24 words")
    lengths.set_xticks(range(len(LENGTHS)), LENGTHS.values())
    surrounded.set(
        title="Distraction: SNLI dev", xlabel="foreign premises on each side"
    )
    for axes in (speed, lengths, surrounded):
        axes.set_ylabel("accuracy, per cent")
        axes.grid(axis="y", alpha=0.3)
        axes.legend(fontsize=8)
    return figure


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args(arguments)
    FigureFiles(dpi=150).write(draw_mask(), CHECKOUT / EXPERIMENTS, "mask")


if __name__ == "__main__":
    raise SystemExit(main())
