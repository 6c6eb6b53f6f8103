"""Draws case studies: attention and gates of one or two runs on a text."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.analysis.case_study import (
    check_drawable,
    draw_case_study,
    draw_word,
    to_arrays,
    to_json,
)
from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.sheet import draw_sheet
from dsa.analysis.word_plots import check_readable_length
from dsa.errors import InputError
from dsa.evaluation.compared_runs import ComparedRuns
from dsa.evaluation.splits import EvaluatedRows, find_split
from dsa.explanation import Explanation
from dsa.runs.outputs import OutputFolder
from dsa.runs.run_names import list_differing_settings
from dsa.system.arrays import write_arrays
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dsa.inference.trained_model import TrainedModel


Explanations = dict[str, Explanation]  # by sentence name; "" for a single sentence
DATA_FILES = ("case_study.json", "case_study.npz")
MAX_RUNS = 2


class Subject(abc.ABC):
    """Base class of the texts of a case study. Subclasses implement `explain`."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Texts given by the user, before tokenization."""
        return ()

    @abc.abstractmethod
    def explain(
        self, trained: TrainedModel, root: Path
    ) -> tuple[Explanations, dict[str, Any]]:
        """Computes the explanations of a model for the texts.

        Args:
            trained: the trained model.
            root: the data root.

        Returns: the explanations by sentence name, and metadata for `case_study.npz`.
        """

    def draw(
        self, studies: dict[str, Explanations], single: bool
    ) -> Iterable[tuple[str, Figure]]:
        """Draws a sheet or single figures.

        Args:
            studies: the explanations of each run, `{run name: explanations}`.
            single: whether to draw single figures instead of a sheet.

        Returns: pairs `(file stem, figure)`; none if there is nothing to draw on a
            sheet.
        """
        if single:
            return draw_case_study(studies)
        sheet = draw_sheet(studies)
        return [("sheet", sheet)] if sheet else []


@dataclasses.dataclass(frozen=True)
class Sentence(Subject):
    """A single sentence."""

    text: str

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)

    def explain(
        self, trained: TrainedModel, root: Path
    ) -> tuple[Explanations, dict[str, Any]]:
        return {"": trained.explain_sentence(self.text)}, {}


@dataclasses.dataclass(frozen=True)
class Pair(Subject):
    """A premise and a hypothesis. The metadata contain the predicted probabilities."""

    premise: str
    hypothesis: str

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.premise, self.hypothesis)

    def explain(
        self, trained: TrainedModel, root: Path
    ) -> tuple[Explanations, dict[str, Any]]:
        explanation = trained.explain(*self.texts)
        explanations = {name: explanation.of(name) for name in explanation.tokens}
        answer: Any = explanation.answer
        return explanations, {"probabilities": answer.probabilities}


@dataclasses.dataclass(frozen=True)
class Longest(Subject):
    """The longest sentence of a split.

    Args:
        split: name of the split.
    """

    split: str

    def explain(
        self, trained: TrainedModel, root: Path
    ) -> tuple[Explanations, dict[str, Any]]:
        rows = find_split(trained, root, self.split)
        tokens = find_longest_sentence(rows)
        return {"": trained.explain_tokens(tokens)}, {"longest of": rows.name}


@dataclasses.dataclass(frozen=True)
class WordInSentences(Subject):
    """A word in the context of two sentences.

    Args:
        word: the word.
        first, second: two sentences that contain the word.
    """

    word: str
    first: str
    second: str

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.first, self.second)

    def explain(
        self, trained: TrainedModel, root: Path
    ) -> tuple[Explanations, dict[str, Any]]:
        explanations = {
            str(number): trained.explain_sentence(text)
            for number, text in enumerate(self.texts, start=1)
        }
        return explanations, {"word": self.word}

    def draw(
        self, studies: dict[str, Explanations], single: bool
    ) -> Iterable[tuple[str, Figure]]:
        word_figure = draw_word(self.word, studies)
        return [*super().draw(studies, single), ("word", word_figure)]


def find_longest_sentence(rows: EvaluatedRows) -> list[str]:
    """Returns the tokens of the first sentence with the maximum length.

    Raises: `InputError` if no sentence has tokens.
    """
    sentences = rows.prepared.sentences
    # an empty sentence is represented by one unknown token, -1
    is_empty = sentences.ids[sentences.offsets[:-1]] == -1
    lengths = np.where(is_empty, 0, sentences.lengths)
    if not lengths.any():
        raise InputError(f"{rows.name}: no sentence has tokens")
    token_ids = sentences.select(np.array([lengths.argmax()])).ids
    return [rows.prepared.words[token_id] for token_id in token_ids]


def write_case_study(
    compared: ComparedRuns,
    subject: Subject,
    output: OutputFolder,
    figure_files: FigureFiles | None = None,
    single: bool = False,
) -> Iterator[str]:
    """Writes the figures and data files of a case study.

    The data files are case_study.json, with the values of each token, and
    case_study.npz, with all arrays and a record of the runs.

    Args:
        compared: one or two runs.
        subject: the text.
        output: the output folder.
        figure_files: the figure format; `None` for PNG.
        single: whether to draw single figures instead of a sheet.

    Yields: the prediction of each run and the path of each figure, as lines of text.

    Raises: `InputError` if there are more than two runs, if a text is too long for a
        figure, or if a model has no explanations for the text.
    """
    num_runs = len(compared.folders)
    if num_runs > MAX_RUNS:
        raise InputError(f"expected at most {MAX_RUNS} runs. Received: {num_runs}")
    output.check(DATA_FILES)
    figure_files = figure_files or FigureFiles()
    root = compared.data_root
    runs = compared.load()
    first = next(iter(runs.values()))
    for text in subject.texts:
        check_readable_length(first.tokenizer(text))

    studies: dict[str, Explanations] = {}
    record: dict[str, Any] = {
        "differences": list_differing_settings(list(runs.values()))
    }
    for name, trained in runs.items():
        studies[name], metadata = subject.explain(trained, root)
        record[name] = {"run": trained.run.path.as_posix(), **metadata}
        first_explanation = next(iter(studies[name].values()))
        if first_explanation.answer is not None:
            predicted = first_explanation.answer[0]  # the label or score
            yield f"{trained.run.path}: {predicted}"
    check_drawable(studies)
    figures = dict(subject.draw(studies, single))

    figure_names = [figure_files.make_file_name(name) for name in figures]
    folder = output.open([*DATA_FILES, *figure_names])
    write_atomically(folder / "case_study.json", to_json(studies))
    write_arrays(folder / "case_study.npz", to_arrays(studies), record)
    for name, figure in figures.items():
        yield str(figure_files.write(figure, folder, name))
