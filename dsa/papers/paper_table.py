"""What a table is: the paper's numbers, rows with our configs, and columns."""

import csv
import dataclasses
from importlib import resources
from typing import Any


@dataclasses.dataclass(frozen=True)
class PublishedNumber:
    """One number of a paper.

    Args:
        model: the model's name in the paper.
        dataset, split: what the model was measured on.
        metric: what was measured, with its unit.
        text: the number as the paper prints it.
        params_millions: millions of parameters, `None` where the paper says nothing.
        seconds_per_epoch: `None` where the paper says nothing.
    """

    model: str
    dataset: str
    split: str
    metric: str
    text: str
    params_millions: float | None
    seconds_per_epoch: float | None

    @property
    def value(self) -> float:
        """The number, in the paper's unit."""
        return float(self.text)


@dataclasses.dataclass(frozen=True)
class Source:
    """Where numbers are printed.

    Args:
        paper: as `paper_results.csv` names it.
        table: the table of that paper.
        dataset: the one among the table's columns, `None` for all of them.
    """

    paper: str
    table: str
    dataset: str | None = None

    def numbers(self) -> list[PublishedNumber]:
        """Returns the numbers in the paper's order.

        Raises: `KeyError` if there are none.
        """
        file = resources.files("dsa.papers") / "paper_results.csv"
        numbers = [
            PublishedNumber(
                model=row["model"],
                dataset=row["dataset"],
                split=row["split"],
                metric=row["metric"],
                text=row["value"],
                params_millions=_number_or_none(row["params_millions"]),
                seconds_per_epoch=_number_or_none(row["seconds_per_epoch"]),
            )
            for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines())
            if (row["paper"], row["table"]) == (self.paper, self.table)
            and self.dataset in (None, row["dataset"])
        ]
        if not numbers:
            raise KeyError(self)
        return numbers

    def number(self, model: str, split: str = "test") -> PublishedNumber:
        """Returns the first number of a model on a split.

        Raises: `KeyError` if there is none.
        """
        for number in self.numbers():
            if (number.model, number.split) == (model, split):
                return number
        raise KeyError((self, model, split))


def _number_or_none(text: str) -> float | None:
    return float(text) if text else None


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of a table.

    Args:
        name: of the row.
        config: path of the YAML file that this project trains it with, relative to
            the checkout; `None` for a model that is not implemented.
        overrides: settings of that config, and of presets, that the row changes.
        paper_name: the model's name in the paper, `None` for a model that is not in it.
        stand_in: what differs from the paper's model where ours only stands for it;
            `None` where ours is that model.
        sweep: `{name: overrides}`, settings of which the paper reports the best and
            does not say which; empty where it says.
    """

    name: str
    config: str | None = None
    overrides: dict[str, Any] = dataclasses.field(default_factory=dict)
    paper_name: str | None = None
    stand_in: str | None = None
    sweep: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)


def make_paper_rows(source: Source, *rows: Row) -> tuple[Row, ...]:
    """Returns a row for each model of a paper's table, in its order.

    Args:
        source: the paper's table.
        rows: a `Row` for each model that this project implements, under the model's
            name in the paper.

    Raises: `ValueError` for a row that is no model of the paper's table.
    """
    implemented = {row.name: row for row in rows}
    models = dict.fromkeys(number.model for number in source.numbers())
    unknown = [name for name in implemented if name not in models]
    if unknown:
        raise ValueError(
            f"A row needs a name in {source.paper}, {source.table}. Received: "
            f"'{unknown[0]}'"
        )
    return tuple(
        dataclasses.replace(implemented.get(model, Row(model)), paper_name=model)
        for model in models
    )


@dataclasses.dataclass(frozen=True)
class Metric:
    """A number of an evaluation, and how tables write it.

    Args:
        key: its name in `metrics.json`.
        paper_name: its name in `paper_results.csv`.
        scale: a table shows `scale` times the number.
        form: format of our number.
        words: what the number is, in words.
        error: the name of its standard error in `metrics.json`; `None` where that of a
            share of the rows is meant, or none is known.
        unit: what the number is a mean over, "pairs" for the rows, else the name of
            their number in `metrics.json`.
    """

    key: str
    paper_name: str
    scale: float = 1
    form: str = ".3f"
    words: str = "Accuracy in per cent"
    error: str | None = None
    unit: str = "pairs"


ACCURACY = Metric("accuracy", "accuracy_percent", 100, ".2f")
PEARSON = Metric("pearson", "pearson_r")
SPEARMAN = Metric("spearman", "spearman_rho")
SQUARED_ERROR = Metric("mse", "mse")
F1 = Metric(
    "f1",
    "f1_percent",
    100,
    ".2f",
    words="F1 of the positive label in per cent",
    error="f1_standard_error",
)
MAP, MRR = (
    Metric(
        name,
        name.upper(),
        form=".4f",
        words=f"{name.upper()} over the questions with a right answer, the mean over "
        "all orders of equal scores",
        error=f"{name}_standard_error",
        unit="questions",
    )
    for name in ("map", "mrr")
)


@dataclasses.dataclass(frozen=True)
class Measure:
    """A column of a table.

    Args:
        name: of the column.
        splits: our splits that the column can be measured on; the first one that was
            evaluated is used.
        paper_split: the paper's split, `None` if no paper has this column.
        compared: whether the difference to the paper is a question of sampling. On
            training data it is not.
        metric: the number that is shown.
    """

    name: str
    splits: tuple[str, ...]
    paper_split: str | None = None
    compared: bool = True
    metric: Metric = ACCURACY

    def is_papers_split(self, split: str | None) -> bool:
        """Whether ours is on the paper's split, which may have a remark in brackets."""
        return bool(self.paper_split) and split == self.paper_split.split(" (")[0]


@dataclasses.dataclass(frozen=True)
class Table:
    """A table that `dsa reproduce` makes.

    Args:
        title: its heading.
        corpus: of all its configs.
        rows, measures: its rows and its columns.
        source: the paper's table, `None` for a table that is in no paper.
        folds: how many runs a cross-validation has for each seed; `None` for one run.
        presets: `{preset: overrides}`, where the table has other ones than its
            corpus has in `dsa.papers.presets`.
        notes: sentences that a reader must know of the paper's numbers.
    """

    title: str
    corpus: str
    rows: tuple[Row, ...]
    measures: tuple[Measure, ...]
    source: Source | None = None
    folds: int | None = None
    presets: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that the table's runs are evaluated on."""
        return tuple(dict.fromkeys(split for m in self.measures for split in m.splits))
