"""The robustness suite: what its sets are, and a run on all of them that are there."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.plots import draw_robustness
from dsa.data.corpora.catalogue import CORPORA
from dsa.data.corpora.corpus import Corpus, RobustnessFile
from dsa.data.corpora.files import find_file, fingerprint_if_present
from dsa.data.prepared.corpus import PreparedCorpus, prepare
from dsa.data.prepared.rows import compare_row_keys, compute_row_keys
from dsa.data.prepared.views import View
from dsa.evaluation.evaluate import compute_logits
from dsa.evaluation.robustness.measure import check_labels, measure_set, order_logits
from dsa.evaluation.robustness.robustness_table import list_points, write_table
from dsa.evaluation.splits import read_training_keys
from dsa.inference.python_inputs import RawTextTokenizer
from dsa.inference.row_reading import list_groups
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dsa.inference.trained_model import TrainedModel
    from dsa.runs.outputs import OutputFolder

NAME = "robustness"  # of the suite, and of its files


@dataclasses.dataclass(frozen=True)
class RobustnessSet(RobustnessFile):
    """A set of the suite: a file of `corpus`, a `Corpus`."""

    corpus: Corpus = dataclasses.field(kw_only=True)

    @property
    def official_rows(self) -> int | None:
        """How many rows the official file has; `None` where that is not known."""
        return self.corpus.official_rows.get(self.file.rpartition("/")[2])

    def tell_how_to_get(self) -> str:
        """Returns a line for a user who has not got it."""
        download = self.corpus.downloads[0]
        how = "by hand, as it says" if download.by_hand else "fetches it"
        return f"`dsa download {download.name}` ({how}); file: {self.file}"


class SuiteResults(NamedTuple):
    """What a run has reached on the suite. Printed, it is a table in Markdown.

    Attributes:
        results: pairs of a `RobustnessSet` and its entry of `metrics.json`.
        missing: the `RobustnessSet`s whose files are not there.
    """

    results: list[tuple[RobustnessSet, dict[str, Any]]]
    missing: list[RobustnessSet]

    @property
    def entries(self) -> dict[str, dict[str, Any]]:
        """`{name of a set: what was evaluated, and its metrics}`."""
        return {one.name: entry for one, entry in self.results}

    def draw(self, title: str | None = None) -> "Figure":
        """Draws accuracy by set as a `matplotlib.figure.Figure`."""
        return draw_robustness(list_points(self.results), title)

    def __str__(self) -> str:
        return write_table(self.results, self.missing)


def list_sets() -> list[RobustnessSet]:
    """Returns the sets of all corpora that have some."""
    return [
        RobustnessSet(
            known.name,
            known.title,
            known.file or corpus.splits["test"],
            known.parsed,
            known.by_label,
            corpus=corpus,
        )
        for corpus in CORPORA.values()
        for known in corpus.robustness
    ]


def evaluate_suite(
    trained: "TrainedModel",
    root: Path | str,
    record: bool = True,
    view: View | None = None,
) -> SuiteResults:
    """Evaluates a run on the sets whose files are below the data root.

    Args:
        trained: a `TrainedModel` with the labels of natural-language inference.
        root: the data root.
        record: whether the run's `metrics.json` gets an entry for each set, as soon as
            it is measured.
        view: the `View` of the rows; `None` for the run's own.

    Raises: `InputError` for a run with other labels, and for a malformed file, before
        anything is computed.
    """
    check_labels(trained.task, trained.run.path)
    present, missing = [], []
    for one in list_sets():
        prepared = _prepare(trained, root, one)
        if prepared is None:
            missing.append(one)
        else:
            present.append((one, prepared))
    training_keys = read_training_keys(trained.run) if present else None
    words = [word for _, prepared in present for word in prepared.words]
    trained = trained.with_words(words)  # the vector file is read once
    results = []
    for one, prepared in present:
        entry = _evaluate(trained, one, prepared, training_keys, view)
        if record:
            trained.run.add_metrics(entry)
        results.append((one, entry))
    return SuiteResults(results, missing)


def write_suite(
    trained: "TrainedModel",
    suite: SuiteResults,
    output: "OutputFolder",
    figure_files: FigureFiles | None = None,
) -> str:
    """Writes the table, robustness.md, and the figure, robustness.png.

    Args:
        figure_files: the `FigureFiles`; `None` for PNG.

    Returns: the text of the table. Without any result nothing is written.
    """
    text = str(suite)
    if suite.results:
        figure_files = figure_files or FigureFiles()
        view = suite.results[0][1].get("view")
        folder = output.open(name_outputs(figure_files, view))
        name = _name_files(view)
        write_atomically(folder / f"{name}.md", text)
        title = f"{trained.experiment.model.name}, seed {trained.experiment.seed}"
        title += f", {view}" if view else ""
        figure_files.write(suite.draw(title), folder, name)
    return text


def name_outputs(figure_files: FigureFiles, view: str | None = None) -> list[str]:
    """Returns the names of the files that `write_suite` writes; `view`: the name of a
    view, or `None`."""
    name = _name_files(view)
    return [f"{name}.md", figure_files.name_file(name)]


def _name_files(view):
    return f"{NAME}_{view}" if view else NAME


def _prepare(trained, root, one) -> PreparedCorpus | None:
    """The `PreparedCorpus` of a set; `None` where its file is missing."""
    if fingerprint_if_present(root, one.file) is None:
        return None
    tokenize: Any = trained.tokenizer
    if not one.parsed and tokenize.name == "binary_parse":
        tokenize = RawTextTokenizer(tokenize)
    return prepare(find_file(root, one.file), one.corpus, tokenize)


def _evaluate(trained, one, prepared, training_keys, view):
    """The entry of a set."""
    entry, logits = compute_logits(
        trained, f"{NAME}: {one.name}", one.file, prepared, view
    )
    shared = None
    if training_keys is not None:
        shared = compare_row_keys(training_keys, compute_row_keys(prepared))
    if shared:
        shared.warn(one.title)
    rows = prepared.labelled
    grouped = one.corpus.grouped
    return {
        **entry,
        "suite": NAME,
        "licence": one.corpus.licence,
        "shared_with_train": round(shared.share, 6) if shared else None,
        **measure_set(
            one.corpus.task,
            order_logits(logits, trained.task),
            prepared.labels[rows],
            list_groups(prepared) if grouped else None,
            one.by_label,
        ),
    }
