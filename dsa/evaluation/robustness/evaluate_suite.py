"""A run on all sets of the suite that are there."""

from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.robustness_figure import draw_robustness
from dsa.data.corpora.files import find_file, fingerprint_at_hand
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.shared_rows import compare_rows
from dsa.evaluation.evaluate import compute_logits
from dsa.evaluation.robustness.measure import check_labels, measure_set, order_logits
from dsa.evaluation.robustness.sets import SETS
from dsa.evaluation.robustness.table import list_points, write_table
from dsa.evaluation.splits import read_train
from dsa.inference.corpus_metrics import list_groups
from dsa.inference.raw_text import RawTextTokenizer
from dsa.system.atomic_files import write_atomically

NAME = "robustness"  # of the suite, and of its files


def evaluate_suite(trained, root, record=True, view=None):
    """Evaluate a run on the sets whose files are below the data root.

    Args:
        trained: a `TrainedModel` with the labels of natural-language inference.
        root: the data root.
        record: whether the run's `metrics.json` gets an entry for each set, as soon as
            it is measured.
        view: the `View` of the rows; `None` for the run's own.

    Returns: pairs of a `RobustnessSet` and its entry, and the `RobustnessSet`s that are
        missing.

    Raises: `InputError` for a run with other labels, and for a malformed file, before
        anything is computed.
    """
    check_labels(trained.task, trained.run.path)
    corpora, missing = {}, []
    for one in SETS:
        prepared = _prepare(trained, root, one)
        if prepared is None:
            missing.append(one)
        else:
            corpora[one] = prepared
    train = read_train(trained, root) if corpora else None
    words = [word for prepared in corpora.values() for word in prepared.words]
    trained = trained.with_words(words)  # the vector file is read once
    results = []
    for one, prepared in corpora.items():
        entry = _evaluate(trained, one, prepared, train, view)
        if record:
            trained.run.add_metrics(entry)
        results.append((one, entry))
    return results, missing


def write_suite(trained, results, missing, output, figure_files=None):
    """Write the table, robustness.md, and the figure, robustness.png.

    Args:
        trained: the `TrainedModel`.
        results, missing: as `evaluate_suite` returns them.
        output: the `OutputFolder`.
        figure_files: the `FigureFiles`; `None` for PNG.

    Returns: the text of the table. Without any result nothing is written.
    """
    text = write_table(results, missing)
    if results:
        figure_files = figure_files or FigureFiles()
        view = results[0][1].get("view")
        folder = output.open(name_outputs(figure_files, view))
        name = _name_files(view)
        write_atomically(folder / f"{name}.md", text)
        title = f"{trained.experiment.model.name}, seed {trained.experiment.seed}"
        title += f", {view}" if view else ""
        figure_files.write(draw_robustness(list_points(results), title), folder, name)
    return text


def name_outputs(figure_files, view=None):
    """The names of the files that `write_suite` writes; `view`: the name of a view, or
    `None`."""
    name = _name_files(view)
    return [f"{name}.md", figure_files.name_file(name)]


def _name_files(view):
    return f"{NAME}_{view}" if view else NAME


def _prepare(trained, root, one):
    """The `PreparedCorpus` of a set; `None` where its file is missing."""
    if fingerprint_at_hand(root, one.file) is None:
        return None
    tokenize = trained.tokenizer
    if not one.parsed and tokenize.name == "binary_parse":
        tokenize = RawTextTokenizer(tokenize)
    return prepare(find_file(root, one.file), one.described, tokenize)


def _evaluate(trained, one, prepared, train, view):
    """The entry of a set."""
    entry, logits = compute_logits(
        trained, f"{NAME}: {one.name}", one.file, prepared, view
    )
    shared = None if train is None else compare_rows(train, prepared)
    if shared:
        shared.warn(one.title)
    rows = prepared.labelled
    grouped = one.described.grouped
    return {
        **entry,
        "suite": NAME,
        "licence": one.licence,
        "shared_with_train": round(shared.share, 6) if shared else None,
        **measure_set(
            one.described.task,
            order_logits(logits, trained.task),
            prepared.labels[rows],
            list_groups(prepared) if grouped else None,
            one.by_label,
        ),
    }
