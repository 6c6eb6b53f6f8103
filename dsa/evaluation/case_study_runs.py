"""Case studies: runs look at a text, and figures show what they looked at."""

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
from dsa.runs.run_names import find_differences
from dsa.system.arrays import write_arrays
from dsa.system.atomic_files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dsa.inference.trained_model import TrainedModel


Looks = dict[str, Explanation]
NAMES = ("case_study.json", "case_study.npz")  # and figures


class Subject(abc.ABC):
    """What runs look at."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the user, untokenized."""
        return ()

    @abc.abstractmethod
    def look(self, trained: TrainedModel, root: Path) -> tuple[Looks, dict[str, Any]]:
        """Returns what a run looked at, `{sentence name: Explanation}` (the name of a
        single sentence is ""), and facts for the record."""

    def draw(
        self, studies: dict[str, Looks], single: bool
    ) -> Iterable[tuple[str, Figure]]:
        """Returns pairs of (file name without ending, figure): a sheet, or single
        figures."""
        if single:
            return draw_case_study(studies)
        sheet = draw_sheet(studies)
        return [("sheet", sheet)] if sheet else []


@dataclasses.dataclass(frozen=True)
class Sentence(Subject):
    """One sentence, as an encoder reads it."""

    text: str

    @property
    def texts(self):
        return (self.text,)

    def look(self, trained, root):
        return {"": trained.explain_sentence(self.text)}, {}


@dataclasses.dataclass(frozen=True)
class Pair(Subject):
    """A premise and a hypothesis, with the answer."""

    premise: str
    hypothesis: str

    @property
    def texts(self):
        return (self.premise, self.hypothesis)

    def look(self, trained, root):
        explanation = trained.explain(*self.texts)
        looks = {name: explanation.of(name) for name in explanation.tokens}
        answer: Any = explanation.answer
        return looks, {"probabilities": answer.probabilities}


@dataclasses.dataclass(frozen=True)
class Longest(Subject):
    """The longest sentence of a split."""

    split: str

    def look(self, trained, root):
        _, name, prepared = find_split(trained, root, self.split)
        tokens = find_longest_sentence(prepared)
        return {"": trained.explain_tokens(tokens)}, {"longest of": name}


@dataclasses.dataclass(frozen=True)
class WordInSentences(Subject):
    """A word, and two sentences that have it."""

    word: str
    first: str
    second: str

    @property
    def texts(self):
        return (self.first, self.second)

    def look(self, trained, root):
        numbered = enumerate(self.texts, start=1)
        looks = {str(n): trained.explain_sentence(text) for n, text in numbered}
        return looks, {"word": self.word}

    def draw(self, studies, single):
        word = draw_word(self.word, studies)
        return itertools.chain(super().draw(studies, single), [("word", word)])


def find_longest_sentence(prepared: PreparedCorpus) -> list[str]:
    """Returns the tokens of the longest sentence of a `PreparedCorpus`, the first such
    one."""
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
    """Draws what one or two runs looked at, into files.

    Writes a sheet or single figures, case_study.json (the numbers by word) and
    case_study.npz (every array, and a record of the runs).

    Args:
        compared: one or two runs, as `ComparedRuns`.
        figure_files: the `FigureFiles`; `None` for PNG.
        single: whether to draw single figures instead of a sheet.

    Yields: lines for the user, an answer or the path of a figure.

    Raises: `InputError` for more runs, and for what cannot be drawn.
    """
    count = len(compared.folders)
    if count > 2:
        raise InputError(f"one or two runs are drawn. Received: {count}")
    output.refuse(NAMES)
    figure_files = figure_files or FigureFiles()
    root = compared.data_root
    runs = compared.load()
    first = next(iter(runs.values()))
    for text in subject.texts:
        check_readable_length(first.tokenizer(text))

    studies: dict[str, Looks] = {}
    record: dict[str, Any] = {"differences": find_differences(list(runs.values()))}
    for name, trained in runs.items():
        studies[name], facts = subject.look(trained, root)
        record[name] = {"run": trained.run.path.name, **facts}
        answer = next(iter(studies[name].values())).answer
        if answer is not None:
            yield f"{trained.run.path}: {answer[0]}"
    check_drawable(studies)
    figures = dict(subject.draw(studies, single))

    folder = output.open([*NAMES, *map(figure_files.name_file, figures)])
    write_atomically(folder / "case_study.json", to_json(studies))
    write_arrays(folder / "case_study.npz", to_arrays(studies), record)
    for name, figure in figures.items():
        yield str(figure_files.write(figure, folder, name))
