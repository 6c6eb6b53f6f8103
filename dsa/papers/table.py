"""What a table that `reproduce.py` makes is: rows with their configs, and measures."""

import dataclasses

from dsa.papers.presets import preset_overrides
from dsa.papers.published import paper_rows


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of a table: its name, that of the paper where it has one, and the config
    that this project implements it with, with `overrides` of it and of presets."""

    name: str
    config: str | None = None
    paper_name: str | None = None
    overrides: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Measure:
    """A column: the paper's split, and those of ours that stand for it, the first one
    that was evaluated. `compared`: whether the difference is a question of sampling, as
    it is not on training data. `key`: of our metrics; `paper_metric`: of the paper's
    numbers."""

    name: str
    splits: tuple
    paper_split: str | None = None
    compared: bool = True
    key: str = "accuracy"
    paper_metric: str = "accuracy_percent"


@dataclasses.dataclass(frozen=True)
class Table:
    """A table: the corpus of its configs, its rows and its measures; `source`, paper
    and table, and perhaps the `dataset` among its columns, where it is one of a paper;
    `folds` of a cross-validation."""

    title: str
    corpus: str
    rows: tuple
    measures: tuple
    source: tuple | None = None
    dataset: str | None = None
    folds: int | None = None

    def paper_rows(self):
        """The paper's numbers, as `paper_rows`; none without a source."""
        rows = paper_rows(*self.source) if self.source else []
        return [row for row in rows if self.dataset in (None, row["dataset"])]

    @property
    def splits(self):
        """The splits that its runs are evaluated on."""
        return tuple(dict.fromkeys(s for m in self.measures for s in m.splits))


def overrides_of(table, row, preset, seed, fold=None):
    """The settings that a preset, a row, a seed and a fold change in a config.

    Raises: `InputError` for a preset that has none for the table's corpus.
    """
    overrides = {
        **preset_overrides(preset, table.corpus),
        **row.overrides,
        "seed": seed,
    }
    return overrides if fold is None else {**overrides, "data.folds.fold": fold}
