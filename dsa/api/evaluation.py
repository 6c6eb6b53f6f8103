"""Result of `dsa.evaluate`."""

from typing import Any

from dsa.evaluation.evaluate import describe_evaluation
from dsa.system.text_tables import format_html_table
from dsa.tasks.task import Task


class Evaluation(dict):
    """Metrics of one split, a dictionary; its `repr` is the text that `dsa evaluate`
    prints.

    Args:
        entry: an entry of `metrics.json`.
        task: the task of the run.
    """

    def __init__(self, entry: dict[str, Any], task: Task) -> None:
        super().__init__(entry)
        self._task = task

    def __repr__(self) -> str:
        return describe_evaluation(self._task, self)

    def _repr_html_(self) -> str:
        """Returns the metrics as HTML tables, for notebooks."""
        heading = f"{self['split']}: {self['file']}"
        # scalar metrics are floats; counts and matrices are integers and lists
        numbers = [
            [name, f"{value:.4f}"]
            for name, value in self.items()
            if isinstance(value, float)
        ]
        tables = [format_html_table([heading, f"{self['count']:,} rows"], numbers)]
        if "confusion" in self:
            labels = self["labels"]
            counts = [
                [label, *(f"{count:,}" for count in row)]
                for label, row in zip(labels, self["confusion"], strict=True)
            ]
            columns = ["gold label", *(f"predicted {label}" for label in labels)]
            tables.append(format_html_table(columns, counts))
        return "\n".join(tables)
