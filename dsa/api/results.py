"""What runs have reached, and what they look at: for a notebook.

`dsa` exports these functions. A run's name is as that of `dsa.load`. What they return
prints as the command of the same name does.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.api.arguments import refuse
from dsa.api.runs import Run, load, read_runs
from dsa.errors import InputError
from dsa.explanation import Explanation
from dsa.system.folders import data_root as find_data_root

if TYPE_CHECKING:  # importing this module imports no Keras and no Matplotlib
    from matplotlib.figure import Figure

    from dsa.evaluation.curve_runs import Curves
    from dsa.evaluation.paired_runs import ModelComparison
    from dsa.evaluation.robustness.evaluate_suite import SuiteResults


def compare(  # noqa: PLR0913 (what the command has too)
    first: Run | Sequence[Run],
    other: Run | Sequence[Run],
    split: str = "dev",
    vectors: str | Path | None = None,
    data_root: str | Path | None = None,
) -> "ModelComparison":
    """Compare two models on the same rows, seed by seed.

    Answers that a run keeps are taken, without its corpus and Keras. A run without is
    evaluated, and its `metrics.json` gets the result.

    Args:
        first, other: a run of each model, or a list of runs with the same seeds.
        split: of the runs' configs.
        vectors: a vector file for words that the runs lack; then all are evaluated.
        data_root: the folder of the corpora; by default `DSA_DATA`, else `data/`.

    Returns: a `ModelComparison`. Its `metrics` has a `SeedComparison` for each metric
        that is a mean over rows, or over questions: `first`, `other`, `difference`, and
        the 95 % intervals `bootstrap` and `by_t`, pairs of numbers.

    Raises: `InputError` for runs of different tasks, seeds or rows.

    Example:
        result = dsa.compare(["a/seed-13", "a/seed-14"], ["b/seed-13", "b/seed-14"])
        result.metrics["accuracy"].difference
    """
    from dsa.evaluation.paired_runs import compare_models

    sides = read_runs(first, "first"), read_runs(other, "other")
    return compare_models(*sides, split, vectors, data_root)


def curves(
    runs: Run | Sequence[Run],
    names: Sequence[str] | None = None,
    metric: str | None = None,
    over: str = "steps",
) -> "Curves":
    """Read the learning curves of runs; a run that is still being trained has one so
    far.

    Args:
        runs: a run, or a list of runs.
        names: of the runs; by default the settings that differ, else the folders.
        metric: a column of `history.csv`, such as "loss" (of training) or "val_loss"
            (of dev); by default the dev metric that selects the checkpoint.
        over: "steps", "epochs" or "seconds" of the training steps.

    Returns: `Curves`. Its `curves` has `(places, numbers)` for each name, two lists of
        one length. Printed, it is a drawing in letters.

    Raises: `InputError` for a folder that is no run, and a run without such numbers.

    Example:
        print(dsa.curves(["runs/mini/dsa/seed-13", "mini"], names=["mine", "released"]))
    """
    from dsa.evaluation.curve_runs import read_curves

    return read_curves(read_runs(runs, "runs"), names, metric, over)


def plot_curves(
    runs: Run | Sequence[Run],
    names: Sequence[str] | None = None,
    metric: str | None = None,
    over: str = "steps",
) -> "Figure":
    """Draw the learning curves of runs.

    Args, Raises: as `curves`.

    Returns: a `matplotlib.figure.Figure`, which a notebook shows.

    Example:
        dsa.plot_curves("mini", metric="val_loss").savefig("curve.png")
    """
    return curves(runs, names, metric, over).draw()


def plot_attention(
    explanation: Explanation,
    sentence: str | None = None,
    view: str | None = None,
    title: str | None = None,
) -> "Figure":
    """Draw what the words of a sentence looked at: a map for each direction or head, a
    row for each word, a column for each word that it looks at.

    Args:
        explanation: what `model.explain` or `model.explain_sentence` returns.
        sentence: "premise", "hypothesis" or "sentence"; by default the first one.
        view: "average" over heads or features, "heads, forward" and the like, or
            "alignment" of a pair model; by default the first that there is.
        title: over the whole figure.

    Returns: a `matplotlib.figure.Figure`, which a notebook shows.

    Raises: `InputError` for a sentence or a view that there is not, for a model without
        attention over words, and for a sentence that is too long to be read.

    Example:
        look = dsa.load("mini").explain("A dog chases a cat.", "A dog runs.")
        dsa.plot_attention(look, "hypothesis", "heads, backward")
    """
    from dsa.analysis.map_views import collect_views
    from dsa.analysis.word_plots import draw_attention_maps

    if not isinstance(explanation, Explanation):
        raise refuse("explanation", "what `model.explain` returns", explanation)
    sentence = _choose(sentence, explanation.tokens, "sentence")
    views = collect_views(explanation.of(sentence))
    if not views:
        raise InputError(f"this model has no weights of words over words in {sentence}")
    return draw_attention_maps(views[_choose(view, views, "view")], title)


def robustness(  # noqa: PLR0913 (what the command has too)
    run: Run,
    data_root: str | Path | None = None,
    vectors: str | Path | None = None,
    record: bool = True,
    view: str | None = None,
) -> "SuiteResults":
    """Evaluate a run on the sets of the robustness suite that are below the data root.

    Args:
        run: a run with the labels of natural-language inference.
        data_root, vectors, record, view: as those of `dsa.evaluate`. Every set
            is an entry of its own in `metrics.json`.

    Returns: `SuiteResults`. Its `entries` has a dictionary of metrics for each set,
        `missing` the sets whose files are not there; `draw()` gives a figure.

    Raises: `InputError` for a run with other labels, and for a malformed file, before
        anything is recorded.

    Example:
        suite = dsa.robustness("runs/snli/dsa/seed-13")
        suite.entries["hans"]["accuracy"]
    """
    from dsa.evaluation.evaluate import choose_view
    from dsa.evaluation.robustness.evaluate_suite import evaluate_suite

    root = find_data_root(data_root)
    trained = load(run, vectors, root)
    return evaluate_suite(trained, root, record, choose_view(trained, view))


def runs(folder: str | Path = "runs") -> Any:
    """List the runs below a folder.

    Args:
        folder: where runs are looked for.

    Returns: a pandas `DataFrame` where pandas is installed, else a list of
        dictionaries: a row for each run, with the columns `run` (its folder), `model`,
        `corpus`, `view`, `seed`, `overrides` (what `--set` was given), `steps`,
        `seconds` (of training), `metric` (which selects), `dev` (its value, of the
        selected checkpoint), `dev_units` (the rows, or questions, of dev), `date` (of
        that evaluation), `test` (the last value on test), `test_evaluations` (how many
        there were) and `state`.

    Raises: `InputError` if there is none.

    Example:
        dsa.runs("runs/snli").sort_values("dev")
    """
    from dsa.sweeps.overview import read_runs

    rows = read_runs(folder)
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _choose(name, known, what):
    """A name that is known; of `None` the first one.

    Raises: `InputError` for another one.
    """
    if name is None:
        return next(iter(known))
    if name not in known:
        names = "; ".join(known)
        raise InputError(f"no {what} '{name}' in this explanation. There are: {names}")
    return name
