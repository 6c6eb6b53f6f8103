"""What is asked of a model: the labels, and the metric that selects a checkpoint."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Task:
    """`labels`: in the order of their ids; `metric`: the key of
    `dsa.evaluation.metrics` that selects the checkpoint, higher is better."""

    name: str
    labels: tuple[str, ...]
    metric: str


NLI = Task("nli", ("entailment", "neutral", "contradiction"), metric="accuracy")
TASKS = {"snli": NLI, "multinli": NLI}  # by corpus
