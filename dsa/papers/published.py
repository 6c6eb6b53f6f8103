"""The numbers that the papers print, as data (`paper_results.csv`)."""

import csv
import dataclasses
from importlib import resources


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
    def value(self):
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

    def numbers(self):
        """The `PublishedNumber`s, in the paper's order.

        Raises: `KeyError` if there are none.
        """
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
            for row in _read_rows()
            if (row["paper"], row["table"]) == (self.paper, self.table)
            and self.dataset in (None, row["dataset"])
        ]
        if not numbers:
            raise KeyError(self)
        return numbers

    def number(self, model, split="test"):
        """The first `PublishedNumber` of a model on a split.

        Raises: `KeyError` if there is none.
        """
        for number in self.numbers():
            if (number.model, number.split) == (model, split):
                return number
        raise KeyError((self, model, split))


def _read_rows():
    file = resources.files("dsa.papers") / "paper_results.csv"
    return csv.DictReader(file.read_text(encoding="utf-8").splitlines())


def _number_or_none(text):
    return float(text) if text else None
