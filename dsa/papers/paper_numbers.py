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
        metric: name of the metric, with its unit.
        text: the number as printed.
        params_millions: number of parameters in millions; `None` if not published.
        seconds_per_epoch: seconds of training per epoch; `None` if not published.
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
        dataset: data set, to restrict the table to its numbers; `None` for all.
    """

    paper: str
    table: str
    dataset: str | None = None

    def numbers(self) -> list[PublishedNumber]:
        """Returns the numbers of the table in the order of the paper.

        Raises: `KeyError` for an unknown table.
        """
        file = resources.files("dsa.papers") / "paper_results.csv"
        numbers = [
            PublishedNumber(
                model=line["model"],
                dataset=line["dataset"],
                split=line["split"],
                metric=line["metric"],
                text=line["value"],
                params_millions=_parse_optional(line["params_millions"]),
                seconds_per_epoch=_parse_optional(line["seconds_per_epoch"]),
            )
            for line in csv.DictReader(file.read_text(encoding="utf-8").splitlines())
            if (line["paper"], line["table"]) == (self.paper, self.table)
            and self.dataset in (None, line["dataset"])
        ]
        if not numbers:
            raise KeyError(self)
        return numbers

    def number(self, model: str, split: str = "test") -> PublishedNumber:
        """Returns the first number of a model on a split.

        Raises: `KeyError` for an unknown model or split.
        """
        for number in self.numbers():
            if (number.model, number.split) == (model, split):
                return number
        raise KeyError((self, model, split))


def _parse_optional(text: str) -> float | None:
    return float(text) if text else None
