"""Figure of `docs/results.md`: accuracy of models with equal training settings."""

from matplotlib.figure import Figure

from dsa.analysis.style import COLORS, GREY, WIDTH, in_style
from dsa.data.corpora.catalogue import get_corpus
from tools.docs_tables.pivot import describe_mean


@in_style
def draw_models(rows):
    """Draws the accuracy of each model on SNLI dev.

    A dot with an error bar is the mean and its 95 % interval over seeds, a small dot is
    a seed, and a hollow dot is the test accuracy in the paper.

    Args:
        rows: rows of the table `alike` in tables.yaml.
    """
    figure = Figure((WIDTH, 0.8 + 0.34 * len(rows)), layout="constrained")
    axes = figure.subplots()
    for position, row in enumerate(rows):
        accuracies = row.values("dev.accuracy")
        mean, (low, high) = describe_mean(accuracies)
        axes.errorbar(
            100 * mean,
            position,
            xerr=[[100 * (mean - low)], [100 * (high - mean)]],
            fmt="o",
            color=COLORS[0],
            label="mean, 95 % interval over seeds",
        )
        seeds = [100 * value for value in accuracies]
        positions = [position + 0.22] * len(seeds)
        axes.plot(seeds, positions, ".", color=COLORS[1], ms=5, label="a seed")
        (printed,) = row.values("paper")
        if printed != "-":
            axes.plot(
                float(printed),
                position,
                "o",
                color=GREY,
                mfc="none",
                label="its paper: test, all pairs",
            )
    axes.set_yticks(range(len(rows)), [row.label for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="x")
    pairs = rows[0].values("pairs")[0]
    share = 100 * pairs / get_corpus("snli").training_pairs
    axes.set_xlabel(
        f"SNLI dev accuracy, per cent (trained on {pairs:,} pairs, {share:.0f} %)"
    )
    handles, labels = axes.get_legend_handles_labels()
    handle_by_label = dict(zip(labels, handles, strict=True))  # one entry per label
    figure.legend(
        handle_by_label.values(), handle_by_label, loc="outside lower center", ncols=3
    )
    return figure
