"""Tables of `dsa reproduce`: rows, measures and metrics."""

import dataclasses
from typing import Any

from dsa.papers.paper_numbers import Source


@dataclasses.dataclass(frozen=True)
class Metric:
    """A metric and its format in tables.

    Args:
        key: name in `metrics.json`.
        paper_name: name in `paper_results.csv`.
        description: explanation in the notes below a table.
        scale: factor that converts the value in `metrics.json` to the value in the
            table.
        format_spec: format of a number, such as ".2f".
        error: name of the standard error in `metrics.json`. `None` if it is the
            binomial standard error of a proportion, or unknown.
        unit: unit of the sample size: "pairs" for rows, or the key of the sample size
            in `metrics.json`.
    """

    key: str
    paper_name: str
    description: str = "Accuracy in per cent"
    scale: float = 1
    format_spec: str = ".3f"
    error: str | None = None
    unit: str = "pairs"


def _make_ranking_metric(key: str) -> Metric:
    name = key.upper()
    return Metric(
        key=key,
        paper_name=name,
        description=f"{name} over the questions with a right answer, the mean over all "
        "orders of equal scores",
        format_spec=".4f",
        error=f"{key}_standard_error",
        unit="questions",
    )


METRICS = {
    metric.key: metric
    for metric in (
        Metric("accuracy", "accuracy_percent", scale=100, format_spec=".2f"),
        Metric("pearson", "pearson_r"),
        Metric("spearman", "spearman_rho"),
        Metric("mse", "mse"),
        Metric(
            "f1",
            "f1_percent",
            description="F1 of the positive label in per cent",
            scale=100,
            format_spec=".2f",
            error="f1_standard_error",
        ),
        _make_ranking_metric("map"),
        _make_ranking_metric("mrr"),
    )
}


@dataclasses.dataclass(frozen=True)
class Measure:
    """A column of a table.

    Args:
        name: heading of the column.
        splits: splits of this project in order of preference. The first split on which
            all runs were evaluated is used.
        paper_split: split of the paper, with an optional remark in brackets; `None` for
            a column without numbers of a paper.
        compared: whether to report the difference from the paper in standard errors;
            `False` for training data, where the difference is not a sampling error.
        metric: the metric.
    """

    name: str
    splits: tuple[str, ...]
    paper_split: str | None = None
    compared: bool = True
    metric: Metric = METRICS["accuracy"]

    def matches_paper(self, split: str | None) -> bool:
        """Returns whether a split is equal to the paper's split without its remark."""
        if not self.paper_split:
            return False
        return split == self.paper_split.split(" (")[0]


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of a table.

    Args:
        name: name of the model.
        config: path of the YAML file relative to the checkout; `None` for a model that
            is not implemented.
        overrides: settings that take precedence over the config and the preset.
        in_paper: whether `name` is a model of the paper's table.
        stand_in: description of a model that only approximates the paper's model;
            `None` for the model itself.
        sweep: candidate settings, `{name: overrides}`, if the paper reports the best of
            several settings without naming it. The setting is selected on dev.
        shown_as: name in tables if the name in the paper is "Our ..."; `None` for the
            value of `name`.
    """

    name: str
    config: str | None = None
    overrides: dict[str, Any] = dataclasses.field(default_factory=dict)
    in_paper: bool = False
    stand_in: str | None = None
    sweep: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    shown_as: str | None = None

    @property
    def title(self) -> str:
        """Name in tables and log lines."""
        return self.shown_as or self.name

    def swept_rows(self) -> "dict[str, Row]":
        """Returns a row with the overrides of each setting of `sweep`, by its name."""
        return {
            setting: dataclasses.replace(
                self, name=f"{self.name}, {setting}", overrides=overrides, sweep={}
            )
            for setting, overrides in self.sweep.items()
        }


@dataclasses.dataclass(frozen=True)
class Table:
    """A table of `dsa reproduce`.

    Args:
        title: heading of the table.
        corpus: name of the corpus of all configs.
        rows: the models.
        measures: the columns.
        source: the table of a paper; `None` for a table without a paper.
        folds: number of folds of a cross-validation; `None` for a single run per seed.
        presets: `{preset: overrides}`, which replace the presets of the corpus.
        notes: sentences below the table.
        own_models: values of `model.name` of the models proposed by the paper. They are
            trained before the baselines.
    """

    title: str
    corpus: str
    rows: tuple[Row, ...]
    measures: tuple[Measure, ...]
    source: Source | None = None
    folds: int | None = None
    presets: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    own_models: tuple[str, ...] = ()

    @property
    def splits(self) -> tuple[str, ...]:
        """Splits on which the runs are evaluated, without duplicates."""
        splits = []
        for measure in self.measures:
            splits += measure.splits
        return tuple(dict.fromkeys(splits))
