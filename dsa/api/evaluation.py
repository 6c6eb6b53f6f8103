"""Result of `dsa.evaluate`."""

from typing import Any

from dsa.evaluation.evaluate import describe_evaluation
from dsa.system.text_tables import format_html_table
from dsa.tasks.task import Task


class Evaluation(dict):
    """Dictionary of the metrics of one split, displayed like the output of
    `dsa evaluate`.

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
        metrics = []
        for name, value in self.items():
            if isinstance(value, float):  # not a count, a matrix or a text
                metrics.append([name, f"{value:.4f}"])
        tables = [format_html_table([heading, f"{self['count']:,} rows"], metrics)]
        if "confusion" in self:
            labels = self["labels"]
            columns = ["gold label", *(f"predicted {label}" for label in labels)]
            rows = []
            for label, counts in zip(labels, self["confusion"], strict=True):
                rows.append([label, *(f"{count:,}" for count in counts)])
            tables.append(format_html_table(columns, rows))
        return "\n".join(tables)
