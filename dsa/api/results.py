"""Public API for comparing runs and drawing attention maps in notebooks.

A run is identified as in `dsa.load`. Printed results look like the output of the
command with the same name.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.api.arguments import make_type_error
from dsa.api.runs import Run, find_run_folders, load
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

    A run with stored predictions requires neither the corpus nor Keras. A run without
    them is evaluated; the evaluations are recorded if all runs can be compared.

    Args:
        first, other: for each model, a run or a list of runs. Both models must have
            the same seeds.
        split: name of a split in the configs.
        vectors: vector file for words outside the vocabulary of a run. Setting it
            disables stored predictions, so all runs are evaluated.
        data_root: folder of the corpora; by default `DSA_DATA`, else `data/`.

    Returns: a `ModelComparison`. Its dictionary `metrics` contains a `SeedComparison`
        for each metric that is a mean over rows or questions: `first`, `other`,
        `difference`, the 95 % `interval` of the difference over seeds and rows, and
        `is_significant`. With a single seed, the interval covers rows only, and
        `is_significant` is `False`.

    Raises: `InputError` if the runs have different tasks, seeds or rows.

    Example:
        result = dsa.compare(["a/seed-13", "a/seed-14"], ["b/seed-13", "b/seed-14"])
        result.metrics["accuracy"].difference
    """
    from dsa.evaluation.paired_runs import compare_models

    first_runs = find_run_folders(first, "first")
    other_runs = find_run_folders(other, "other")
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
        names: names of the runs; by default, the settings that differ between the runs,
            or their folders if no settings differ.
        metric: column of `history.csv`, such as "loss" (on train) or "val_loss" (on
            dev); by default, the dev metric that selects the checkpoint.
        over: unit of the x axis: "steps", "epochs" or "seconds" of training.

    Returns: `Curves`. Its dictionary `curves` contains `(positions, values)` for each
        name, two lists of the same length. It prints as a text plot.

    Raises: `InputError` if a folder contains no run, or a run has no such column.

    Example:
        print(dsa.curves(["runs/mini/dsa/seed-13", "mini"], names=["mine", "released"]))
    """
    from dsa.evaluation.curve_runs import read_curves

    return read_curves(find_run_folders(runs, "runs"), names, metric, over)


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
    """Draws the attention maps of a sentence, one per direction or head.

    The rows of a map are query tokens, and the columns are key tokens.

    Args:
        explanation: the `Explanation` of `model.explain` or `model.explain_sentence`.
        sentence: "premise", "hypothesis" or "sentence"; by default, the first sentence.
        view: "average" (over heads or features), a name such as "heads, forward", or
            "alignment" (for pair models); by default, the first view of the model.
        title: title of the figure; `None` for no title.

    Returns: a `matplotlib.figure.Figure`.

    Raises: `InputError` if the sentence or the view is unknown, the model has no
        attention over tokens, or the sentence is too long for a readable figure.

    Example:
        explanation = dsa.load("mini").explain("A dog chases a cat.", "A dog runs.")
        dsa.plot_attention(explanation, "hypothesis", "heads, backward")
    """
    from dsa.analysis.map_views import collect_views
    from dsa.analysis.word_plots import draw_attention_maps

    if not isinstance(explanation, Explanation):
        raise make_type_error("explanation", "an `Explanation`", explanation)
    sentence = _choose(sentence, explanation.tokens, "sentence")
    views = collect_views(explanation.of(sentence))
    if not views:
        raise InputError(f"the model has no attention over tokens of the {sentence}")
    return draw_attention_maps(views[_choose(view, views, "view")], title)


def robustness(  # noqa: PLR0913 (the options of the command)
    run: Run,
    data_root: str | Path | None = None,
    vectors: str | Path | None = None,
    record: bool = True,
    view: str | None = None,
) -> "SuiteResults":
    """Evaluates a run on the test sets of the robustness suite in the data root.

    Args:
        run: a run with the labels of natural-language inference.
        data_root, vectors, record, view: see `dsa.evaluate`. Each test set is recorded
            as a separate entry in `metrics.json`.

    Returns: `SuiteResults`. `entries` contains a dictionary of metrics for each test
        set, `missing` lists the test sets without files, and `draw()` returns a figure.

    Raises: `InputError` if the run has other labels, or if a file is malformed or
        without labels. In these cases, no result is recorded.

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
    """Lists the runs in a folder and its subfolders.

    Args:
        folder: path of the folder.

    Returns: a pandas `DataFrame` with one row per run; a list of dictionaries if pandas
        is not installed. The columns are `run` (the folder), `model`, `corpus`, `view`,
        `seed`, `overrides` (of `--set`), `steps`, `seconds` (of training), `metric`
        (for selection), `dev` (metric of the selected checkpoint), `dev_units` (number
        of dev rows or questions), `date` (of the dev evaluation), `test` (last metric
        on test), `test_evaluations` (number of evaluations on test) and `state`.

    Raises: `InputError` if the folder contains no runs.

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


def _choose(name: str | None, known: Iterable[str], description: str) -> str:
    """Returns `name`, or the first known name if `name` is `None`.

    Raises: `InputError` if `name` is not a known name.
    """
    known_names = list(known)
    if name is None:
        return known_names[0]
    if name not in known_names:
        names = "; ".join(known_names)
        raise InputError(f"unknown {description} '{name}'. Known: {names}")
    return name
