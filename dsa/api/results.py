"""Public API for comparing runs and drawing attention maps, for notebooks.

Runs are given as for `dsa.load`. The results print like the output of the command of
the same name.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.api.arguments import wrong_type_error
from dsa.api.runs import Run, load, read_runs
from dsa.errors import InputError
from dsa.explanation import Explanation
from dsa.system.folders import data_root as find_data_root

if TYPE_CHECKING:  # this module does not import Keras and Matplotlib
    from matplotlib.figure import Figure

    from dsa.evaluation.curve_runs import Curves
    from dsa.evaluation.paired_runs import ModelComparison
    from dsa.evaluation.robustness.evaluate_suite import SuiteResults


def compare(  # noqa: PLR0913 (the options of the command)
    first: Run | Sequence[Run],
    other: Run | Sequence[Run],
    split: str = "dev",
    vectors: str | Path | None = None,
    data_root: str | Path | None = None,
) -> "ModelComparison":
    """Compares two models on the same rows, seed by seed.

    Stored predictions of a run are used without the corpus and Keras. A run without
    stored predictions is evaluated, and the result is appended to its `metrics.json`.

    Args:
        first, other: a run of each model, or a list of runs with the same seeds.
        split: name of a split in the configs.
        vectors: vector file for words outside the vocabulary of a run. With this
            argument, all runs are evaluated.
        data_root: folder of the corpora; by default `DSA_DATA`, else `data/`.

    Returns: a `ModelComparison`. Its `metrics` contains a `SeedComparison` for each
        metric that is a mean over rows or questions: `first`, `other`, `difference`,
        its 95 % `interval` over seeds and rows, and `is_significant`.

    Raises: `InputError` for runs of different tasks, seeds or rows.

    Example:
        result = dsa.compare(["a/seed-13", "a/seed-14"], ["b/seed-13", "b/seed-14"])
        result.metrics["accuracy"].difference
    """
    from dsa.evaluation.paired_runs import compare_models

    first_runs, other_runs = read_runs(first, "first"), read_runs(other, "other")
    return compare_models(first_runs, other_runs, split, vectors, data_root)


def curves(
    runs: Run | Sequence[Run],
    names: Sequence[str] | None = None,
    metric: str | None = None,
    over: str = "steps",
) -> "Curves":
    """Reads the learning curves of finished and unfinished runs.

    Args:
        runs: a run, or a list of runs.
        names: names of the runs; by default, the settings that differ, else the
            folders.
        metric: a column of `history.csv`, such as "loss" (on train) or "val_loss" (on
            dev); by default the dev metric that selects the checkpoint.
        over: x axis: "steps", "epochs" or "seconds" of training.

    Returns: `Curves`. Its `curves` contains `(positions, values)` for each name, two
        lists of the same length. It prints as a plot in text.

    Raises: `InputError` for a folder without a run, and for a run without the column.

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
    """Draws the learning curves of runs.

    Args, Raises: see `curves`.

    Returns: a `matplotlib.figure.Figure`.

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
    """Draws the attention maps of a sentence, one for each direction or head.

    A row of a map is a query token, a column is a key token.

    Args:
        explanation: the `Explanation` of `model.explain` or `model.explain_sentence`.
        sentence: "premise", "hypothesis" or "sentence"; by default the first sentence.
        view: "average" over heads or features, a view such as "heads, forward", or
            "alignment" of a pair model; by default the first view.
        title: title of the figure.

    Returns: a `matplotlib.figure.Figure`.

    Raises: `InputError` for an unknown sentence or view, a model without attention over
        tokens, and a sentence that is too long for a readable figure.

    Example:
        explanation = dsa.load("mini").explain("A dog chases a cat.", "A dog runs.")
        dsa.plot_attention(explanation, "hypothesis", "heads, backward")
    """
    from dsa.analysis.map_views import collect_views
    from dsa.analysis.word_plots import draw_attention_maps

    if not isinstance(explanation, Explanation):
        raise wrong_type_error("explanation", "an `Explanation`", explanation)
    sentence = _choose(sentence, explanation.tokens, "sentence")
    views = collect_views(explanation.of(sentence))
    if not views:
        raise InputError(f"the model has no attention over the tokens of {sentence}")
    return draw_attention_maps(views[_choose(view, views, "view")], title)


def robustness(  # noqa: PLR0913 (the options of the command)
    run: Run,
    data_root: str | Path | None = None,
    vectors: str | Path | None = None,
    record: bool = True,
    view: str | None = None,
) -> "SuiteResults":
    """Evaluates a run on the test sets of the robustness suite below the data root.

    Args:
        run: a run with the labels of natural-language inference.
        data_root, vectors, record, view: see `dsa.evaluate`. Each set is
            a separate entry in `metrics.json`.

    Returns: `SuiteResults`. Its `entries` contains a dictionary of metrics for each
        set, `missing` lists the sets without files, and `draw()` returns a figure.

    Raises: `InputError` for a run with other labels, and for a malformed file, before
        any result is recorded.

    Example:
        suite = dsa.robustness("runs/snli/dsa/seed-13")
        suite.entries["hans"]["accuracy"]
    """
    from dsa.evaluation.evaluate import choose_view
    from dsa.evaluation.robustness.evaluate_suite import evaluate_suite

    root = find_data_root(data_root)
    trained = load(run, vectors, root, runtime="keras")
    return evaluate_suite(trained, root, record, choose_view(trained, view))


def list_runs(folder: str | Path = "runs") -> Any:
    """Lists the runs below a folder.

    Args:
        folder: the folder to search.

    Returns: a pandas `DataFrame` if pandas is installed, else a list of dictionaries:
        one row per run, with the columns `run` (the folder), `model`, `corpus`, `view`,
        `seed`, `overrides` (of `--set`), `steps`, `seconds` (of training), `metric`
        (for selection), `dev` (value for the selected checkpoint), `dev_units` (number
        of rows, or questions, of dev), `date` (of the dev evaluation), `test` (last
        value on test), `test_evaluations` (number of evaluations) and `state`.

    Raises: `InputError` if there are no runs.

    Example:
        dsa.list_runs("runs/snli").sort_values("dev")
    """
    from dsa.sweeps.overview import read_runs

    rows = read_runs(folder)
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _choose(name, known, description):
    """Returns a known name, by default the first one.

    Raises: `InputError` for an unknown name.
    """
    if name is None:
        return next(iter(known))
    if name not in known:
        names = "; ".join(known)
        raise InputError(f"unknown {description} '{name}'. Known: {names}")
    return name
