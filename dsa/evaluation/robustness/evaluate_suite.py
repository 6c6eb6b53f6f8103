"""Robustness test sets, and the evaluation of a run on all available sets."""

import dataclasses
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.plots import draw_robustness
from dsa.data.corpora.catalogue import CORPORA
from dsa.data.corpora.corpus import Corpus, RobustnessFile
from dsa.data.corpora.files import find_file, fingerprint_if_present
from dsa.data.prepared.corpus import PreparedCorpus, prepare
from dsa.data.prepared.rows import compare_row_keys, compute_row_keys
from dsa.data.prepared.views import View
from dsa.errors import InputError
from dsa.evaluation.evaluate import compute_entry_and_logits
from dsa.evaluation.robustness.measure import check_labels, measure_set, reorder_logits
from dsa.evaluation.robustness.robustness_table import format_table, list_points
from dsa.evaluation.splits import EvaluatedRows, read_training_keys
from dsa.inference.preparation import RawTextTokenizer
from dsa.inference.row_reading import list_groups
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dsa.inference.trained_model import TrainedModel
    from dsa.runs.outputs import OutputFolder

NAME = "robustness"  # name of the suite and prefix of its files


@dataclasses.dataclass(frozen=True)
class RobustnessSet(RobustnessFile):
    """A test file of the suite, with its corpus."""

    corpus: Corpus = dataclasses.field(kw_only=True)

    @property
    def official_rows(self) -> int | None:
        """Number of rows of the official file; `None` if unknown."""
        return self.corpus.official_rows.get(PurePosixPath(self.file).name)

    def describe_download(self) -> str:
        """Returns download instructions for a missing file."""
        download = self.corpus.downloads[0]
        method = "prints the steps" if download.by_hand else "downloads it"
        return f"`dsa download {download.name}` ({method}); file: {self.file}"


class SuiteResults(NamedTuple):
    """Results of a run on the suite. The `repr` is the output of the command, a
    Markdown table.

    Attributes:
        results: the evaluated sets with their entries in `metrics.json`, a list of
            `(RobustnessSet, entry)`.
        missing: sets with a missing file.
    """

    results: list[tuple[RobustnessSet, dict[str, Any]]]
    missing: list[RobustnessSet]

    @property
    def entries(self) -> dict[str, dict[str, Any]]:
        """Entries in `metrics.json` by name of the set."""
        return {test_set.name: entry for test_set, entry in self.results}

    def draw(self, title: str | None = None) -> "Figure":
        """Draws the accuracy of each set, and returns the figure.

        Args:
            title: title of the figure; `None` for no title.
        """
        return draw_robustness(list_points(self.results), title)

    def __repr__(self) -> str:
        return format_table(self.results, self.missing)

    def _repr_markdown_(self) -> str:
        """Returns the table as Markdown, for notebooks."""
        return repr(self)


def list_sets() -> list[RobustnessSet]:
    """Returns the robustness sets of all corpora."""
    return [
        RobustnessSet(
            name=file.name,
            title=file.title,
            file=file.file or corpus.splits["test"],
            parsed=file.parsed,
            by_label=file.by_label,
            corpus=corpus,
        )
        for corpus in CORPORA.values()
        for file in corpus.robustness
    ]


def evaluate_suite(
    trained: "TrainedModel",
    root: Path | str,
    record: bool = True,
    view: View | None = None,
) -> SuiteResults:
    """Evaluates a run on all sets whose files are in the data root.

    Args:
        trained: a trained model with the labels entailment, neutral and contradiction.
        root: the data root.
        record: whether to append the results to the `metrics.json` of the run.
        view: the `View` of the rows; `None` for the view of the run's config.

    Raises: `InputError` if the run has other labels, or if a file is malformed or
        without labels. All are checked before the first evaluation.
    """
    check_labels(trained.task, trained.run.path)
    present = []
    missing = []
    for test_set in list_sets():
        prepared = _prepare(trained, root, test_set)
        if prepared is None:
            missing.append(test_set)
        elif not len(prepared.labelled):
            raise InputError(f"{test_set.file}: no row has a label")
        else:
            present.append((test_set, prepared))
    training_keys = read_training_keys(trained.run) if present else None
    words = []
    for _, prepared in present:
        words += prepared.words
    trained = trained.with_words(words)  # a single pass over the vector file
    results = []
    for test_set, prepared in present:
        entry = _evaluate(trained, test_set, prepared, training_keys, view)
        if record:
            trained.run.try_to_add_metrics(entry)
        results.append((test_set, entry))
    return SuiteResults(results, missing)


def write_suite(
    trained: "TrainedModel",
    suite: SuiteResults,
    output: "OutputFolder",
    figure_files: FigureFiles | None = None,
) -> str:
    """Writes the results as a table and a figure, see `list_output_names`.

    No file is written if no set was evaluated.

    Args:
        trained: the evaluated model.
        suite: the results of the model.
        output: the output folder.
        figure_files: the figure format; `None` for PNG.

    Returns: the table as Markdown.
    """
    text = str(suite)
    if not suite.results:
        return text
    figure_files = figure_files or FigureFiles()
    _, first_entry = suite.results[0]
    view = first_entry.get("view")
    folder = output.open(list_output_names(figure_files, view))
    stem = _make_stem(view)
    write_atomically(folder / f"{stem}.md", text)
    title = f"{trained.experiment.model.name}, seed {trained.experiment.seed}"
    if view:
        title += f", {view}"
    figure_files.write(suite.draw(title), folder, stem)
    return text


def list_output_names(figure_files: FigureFiles, view: str | None = None) -> list[str]:
    """Returns the names of the files that `write_suite` writes.

    Args:
        figure_files: the figure format.
        view: name of the view; `None` for unchanged rows.

    Returns: the names, such as `["robustness.md", "robustness.png"]`.
    """
    stem = _make_stem(view)
    return [f"{stem}.md", figure_files.make_file_name(stem)]


def _make_stem(view):
    """Returns the common stem of the file names."""
    return f"{NAME}_{view}" if view else NAME


def _prepare(trained, root, test_set) -> PreparedCorpus | None:
    """Returns the `PreparedCorpus` of a set, or `None` if its file is missing."""
    if fingerprint_if_present(root, test_set.file) is None:
        return None
    tokenizer: Any = trained.tokenizer
    if not test_set.parsed and tokenizer.name == "binary_parse":
        tokenizer = RawTextTokenizer(tokenizer)
    return prepare(find_file(root, test_set.file), test_set.corpus, tokenizer)


def _evaluate(trained, test_set, prepared, training_keys, view):
    """Returns the entry of a set in `metrics.json`."""
    rows = EvaluatedRows(f"{NAME}: {test_set.name}", test_set.file, prepared)
    entry, logits = compute_entry_and_logits(trained, rows, view)
    train_share = None
    if training_keys is not None:
        shared = compare_row_keys(training_keys, compute_row_keys(prepared))
        shared.warn(test_set.title)
        train_share = round(shared.share, 6)
    corpus = test_set.corpus
    metrics = measure_set(
        corpus.task,
        reorder_logits(logits, trained.task),
        prepared.labels[prepared.labelled],
        list_groups(prepared) if corpus.grouped else None,
        test_set.by_label,
    )
    return {
        **entry,
        "suite": NAME,
        "licence": corpus.licence,
        "shared_with_train": train_share,
        **metrics,
    }
