"""Public API for loading and evaluating runs.

A run is identified by the path of its folder, the name of a release such as `mini`, or
`hf://user/name[@revision]`.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dsa.api.arguments import make_type_error
from dsa.errors import InputError
from dsa.hub.fetching import find_run_folder
from dsa.runs.run_folder import RunFolder
from dsa.system.folders import data_root as find_data_root

if TYPE_CHECKING:  # this module does not import Keras
    from dsa.api.evaluation import Evaluation
    from dsa.inference.bulk.vectors import ShardedVectors
    from dsa.inference.ensemble import Ensemble
    from dsa.inference.trained_model import TrainedModel

Run = str | Path | RunFolder


def evaluate(  # noqa: PLR0913 (the options of the command)
    run: Run | Sequence[Run],
    split: str = "dev",
    file: str | Path | None = None,
    data_root: str | Path | None = None,
    vectors: str | Path | None = None,
    record: bool = True,
    view: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> "Evaluation":
    """Evaluates the selected weights of a run and records the result in the run.

    Args:
        run: a run, see `load`; or a list of runs, whose mean probabilities are
            evaluated without recording the result.
        split: "dev", "test", "train" or a split in `data.others` of the config.
        file: path of a labelled file, which replaces the split: a file in the corpus
            format of the run, or CSV, TSV, JSON lines or Parquet with columns such as
            `premise`, `hypothesis` and `label`.
        data_root: folder of the corpora; by default `DSA_DATA`, else `data/`.
        vectors: vector file for words outside the vocabulary of the run.
        record: whether to append the result to the `metrics.json` of the run.
        view: "hypothesis_only", "premise_only", "shuffled_words", "bag_of_words", or
            "surrounded_1", "surrounded_2", "surrounded_4", or "plain" for unchanged
            rows; by default, `data.view` of the config.
        columns: names of the columns of `file`, such as `{"premise": "first",
            "hypothesis": "second", "label": "same"}`.

    Returns: a dictionary with the file, its fingerprint and the metrics, such as
        `count`, `loss`, `accuracy` (a fraction) and `confusion`. It prints like the
        output of the command, and is displayed as tables in a notebook.

    Raises: `InputError` if the config has no such split, the file is malformed, or
        `columns` is used without `file`; see also `load` and `ensemble`.

    Example:
        dsa.evaluate("runs/mini/dsa/seed-13", "test")["accuracy"]
    """
    from dsa.api.evaluation import Evaluation
    from dsa.backends.device_check import log_device

    root = find_data_root(data_root)
    if columns is not None and file is None:
        raise InputError("'columns' requires 'file'")
    file_columns = None
    if columns is not None:
        file_columns = dict(columns)
    if not isinstance(run, Run):
        from dsa.evaluation.evaluate_ensemble import evaluate_ensemble

        members = ensemble(find_run_folders(run, "run"), vectors, root, runtime="keras")
        log_device()
        entry = evaluate_ensemble(
            members, root, split, file, view=view, columns=file_columns
        )
        return Evaluation(entry, members.task)

    from dsa.evaluation.evaluate import choose_view
    from dsa.evaluation.evaluate import evaluate as evaluate_and_record
    from dsa.evaluation.splits import find_split

    trained = load(run, vectors, root, runtime="keras")
    log_device()
    evaluated_view = choose_view(trained, view)
    rows = find_split(trained, root, split, file, file_columns)
    entry = evaluate_and_record(trained, rows, record, view=evaluated_view)
    return Evaluation(entry, trained.task)


def load(
    run: Run,
    vectors: str | Path | None = None,
    root: str | Path | None = None,
    runtime: str = "auto",
) -> "TrainedModel":
    """Loads a trained run from its folder.

    Args:
        run: path of the run folder; name of a release such as "mini", see
            `dsa.hub.releases`; or `hf://user/name[@revision]`, a run on a hub.
        vectors: vector file for words outside the vocabulary of the run; by default,
            the file of the config, if it exists.
        root: the data root, to which the vector path in the config is relative.
        runtime: "keras"; "onnx" for onnxruntime, which does not import Keras and
            requires an ONNX export (releases, or `dsa export RUN --in-run`); or "auto"
            for onnxruntime if possible, else Keras. Explanations, vectors of new words
            and the attribute `model` always use Keras. The results of the runtimes
            differ by at most 1e-5.

    Returns: a `TrainedModel`.

    Raises: `InputError` if the name is unknown, the run is incomplete or was trained by
        an incompatible version, files are inconsistent or have changed since the
        training, `vectors` is given for a run that trained its word vectors, or, for
        "onnx", the run has no ONNX export of its weights.

    Example:
        model = dsa.load("mini")
        model.predict([("A man sleeps.", "Nobody is awake.")])
    """
    from dsa.inference import loading

    return loading.load(find_run_folder(run), vectors, root, runtime)


def ensemble(
    runs: Run | Iterable[Run],
    vectors: str | Path | None = None,
    root: str | Path | None = None,
    runtime: str = "auto",
) -> "Ensemble":
    """Loads several runs as an ensemble, which averages their probabilities.

    Args:
        runs: a list of runs with the same task and labels, such as several seeds of a
            model; or a single run.
        vectors, root, runtime: see `load`.

    Returns: an `Ensemble`, which has the method `predict` of a `TrainedModel`.

    Raises: `InputError` if the runs have different tasks or labels, a run is listed
        twice, or the list is empty (all checked before Keras is imported); see also
        `load`.

    Example:
        model = dsa.ensemble(["runs/mini/dsa/seed-13", "mini"])
        model.predict([("A man sleeps.", "Nobody is awake.")])
    """
    from dsa.inference.ensemble import load_ensemble

    return load_ensemble(find_run_folders(runs, "runs"), vectors, root, runtime)


def open_vectors(folder: str | Path) -> "ShardedVectors":
    """Opens the sentence vectors written by `dsa encode --shard-rows`.

    The shards are memory-mapped, so rows are read from disk when they are accessed.

    Args:
        folder: output folder of the command.

    Returns: `ShardedVectors` of shape `(rows, units)`, in the order of the input.

    Raises: `InputError` if the folder contains no vectors, has missing or damaged
        shards, or was written by an earlier version.

    Example:
        >>> vectors = dsa.open_vectors("vectors")
        >>> vectors.shape
        (17, 7)
        >>> vectors[3:5].shape
        (2, 7)
        >>> sum(len(shard) for shard in vectors.shards)  # one shard in memory at a time
        17
    """
    from dsa.inference.bulk import vectors

    return vectors.open_vectors(folder)


def find_run_folders(runs: Run | Iterable[Run], argument: str) -> list[RunFolder]:
    """Returns the `RunFolder` of each run.

    Args:
        runs: a run or several runs, see `load`.
        argument: name of the argument, for error messages.

    Raises: `InputError` if `runs` has another type or is empty; see also
        `find_run_folder`.
    """
    if isinstance(runs, Run):
        runs = [runs]
    if not isinstance(runs, Iterable):
        raise make_type_error(argument, "a run or a list of runs", runs)
    folders = [find_run_folder(run) for run in runs]
    if not folders:
        raise InputError(f"'{argument}': expected at least one run. Received: none")
    return folders
