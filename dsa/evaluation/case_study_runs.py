"""Draws case studies: attention and gates of one or two runs on a text."""

from __future__ import annotations

import abc
import dataclasses
import itertools
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
from dsa.data.prepared.corpus import PreparedCorpus
from dsa.errors import InputError
from dsa.evaluation.compared_runs import ComparedRuns
from dsa.evaluation.splits import find_split
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
        """Texts from the user, before tokenization."""
        return ()

    @abc.abstractmethod
    def explain(
        self, trained: TrainedModel, root: Path
    ) -> tuple[Explanations, dict[str, Any]]:
        """Explains a run on the text.

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

        Returns: `(file stem, figure)` pairs.
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
    def texts(self):
        return (self.text,)

    def explain(self, trained, root):
        return {"": trained.explain_sentence(self.text)}, {}


@dataclasses.dataclass(frozen=True)
class Pair(Subject):
    """A premise and a hypothesis. The metadata contain the predicted probabilities."""

    premise: str
    hypothesis: str

    @property
    def texts(self):
        return (self.premise, self.hypothesis)

    def explain(self, trained, root):
        explanation = trained.explain(*self.texts)
        explanations = {name: explanation.of(name) for name in explanation.tokens}
        answer: Any = explanation.answer
        return explanations, {"probabilities": answer.probabilities}


@dataclasses.dataclass(frozen=True)
class Longest(Subject):
    """The longest sentence of a split of the run.

    Args:
        split: name of the split.
    """

    split: str

    def explain(self, trained, root):
        _, name, prepared = find_split(trained, root, self.split)
        tokens = find_longest_sentence(prepared)
        return {"": trained.explain_tokens(tokens)}, {"longest of": name}


@dataclasses.dataclass(frozen=True)
class WordInSentences(Subject):
    """A word that is compared in two sentences.

    Args:
        word: the word.
        first, second: the sentences, which contain the word.
    """

    word: str
    first: str
    second: str

    @property
    def texts(self):
        return (self.first, self.second)

    def explain(self, trained, root):
        explanations = {
            str(number): trained.explain_sentence(text)
            for number, text in enumerate(self.texts, start=1)
        }
        return explanations, {"word": self.word}

    def draw(self, studies, single):
        word = draw_word(self.word, studies)
        return itertools.chain(super().draw(studies, single), [("word", word)])


def find_longest_sentence(prepared: PreparedCorpus) -> list[str]:
    """Returns the tokens of the first sentence with the maximum length."""
    position = int(prepared.sentences.lengths.argmax())
    ids = prepared.sentences.select(np.array([position])).ids
    return [prepared.words[id] for id in ids]


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

    Yields: lines of text: the prediction of each run and the path of each figure.

    Raises: `InputError` if there are more than two runs, or if a model or a text cannot
        be drawn.
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
        record[name] = {"run": trained.run.path.name, **metadata}
        answer = next(iter(studies[name].values())).answer
        if answer is not None:
            yield f"{trained.run.path}: {answer[0]}"
    check_drawable(studies)
    figures = dict(subject.draw(studies, single))

    folder = output.open([*DATA_FILES, *map(figure_files.make_file_name, figures)])
    write_atomically(folder / "case_study.json", to_json(studies))
    write_arrays(folder / "case_study.npz", to_arrays(studies), record)
    for name, figure in figures.items():
        yield str(figure_files.write(figure, folder, name))
