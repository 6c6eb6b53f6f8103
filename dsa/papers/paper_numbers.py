"""Published numbers of the papers, from `paper_results.csv`."""

import csv
import dataclasses
from importlib import resources


@dataclasses.dataclass(frozen=True)
class PublishedNumber:
    """A number printed in a paper.

    Args:
        model: name of the model in the paper.
        dataset, split: data set and split of the evaluation.
        metric: name of the metric with its unit, such as "accuracy_percent".
        text: the number as printed.
        params_millions: number of parameters of the model in millions; `None` if it is
            not published.
        seconds_per_epoch: training time per epoch in seconds; `None` if it is not
            published.
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
        """The number in the unit of the paper."""
        return float(self.text)


@dataclasses.dataclass(frozen=True)
class Source:
    """A table of a paper.

    Args:
        paper: name of the paper in `paper_results.csv`.
        table: name of the table in the paper.
        dataset: data set to which the numbers are restricted; `None` for all data sets.
    """

    paper: str
    table: str
    dataset: str | None = None

    def read_numbers(self) -> list[PublishedNumber]:
        """Returns the numbers of the table in the order of the paper.

        Raises: `KeyError` if `paper_results.csv` has no number of the table.
        """
        file = resources.files("dsa.papers") / "paper_results.csv"
        lines = file.read_text(encoding="utf-8").splitlines()
        numbers = []
        for line in csv.DictReader(lines):
            if line["paper"] != self.paper or line["table"] != self.table:
                continue
            if self.dataset is not None and line["dataset"] != self.dataset:
                continue
            number = PublishedNumber(
                model=line["model"],
                dataset=line["dataset"],
                split=line["split"],
                metric=line["metric"],
                text=line["value"],
                params_millions=_parse_optional_float(line["params_millions"]),
                seconds_per_epoch=_parse_optional_float(line["seconds_per_epoch"]),
            )
            numbers.append(number)
        if not numbers:
            raise KeyError(self)
        return numbers

    def find_number(self, model: str, split: str = "test") -> PublishedNumber:
        """Returns the first number of a model on a split.

        Raises: `KeyError` if the table has no number of the model on the split.
        """
        for number in self.read_numbers():
            if number.model == model and number.split == split:
                return number
        raise KeyError((self, model, split))


def _parse_optional_float(text: str) -> float | None:
    return float(text) if text else None
