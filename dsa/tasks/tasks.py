"""What is asked of a model: how many sentences it reads, what it answers, and the
metric that selects a checkpoint."""

import dataclasses

PAIR = ("premise", "hypothesis")
SINGLE = ("sentence",)


@dataclasses.dataclass(frozen=True)
class Classification:
    """One label of several.

    Args:
        name: of the task.
        inputs: names of the sentences that the model reads.
        labels: in the order of their ids.
    """

    name: str
    inputs: tuple[str, ...]
    labels: tuple[str, ...]
    metric = "accuracy"  # selects the checkpoint, higher is better

    @property
    def rows(self):
        """What a corpus's rows are, in words."""
        return "sentences" if self.inputs == SINGLE else "pairs"

    @property
    def outputs(self):
        """Number of the model's logits."""
        return len(self.labels)

    @property
    def names(self):
        """What each logit is of."""
        return self.labels

    @property
    def answers(self):
        """What the model can answer, in words."""
        return f"the labels {', '.join(self.labels)}"


@dataclasses.dataclass(frozen=True)
class Relatedness:
    """A score on a scale, as a distribution over its whole numbers (Tai et al. 2015,
    section 4.2, equations 15 and 16).

    Args:
        name: of the task.
        lowest, highest: ends of the scale, whole numbers, not below 0.
    """

    name: str
    lowest: int
    highest: int
    inputs = PAIR
    rows = "pairs"
    metric = "pearson"

    @property
    def outputs(self):
        """Number of the model's logits: the scale's whole numbers."""
        return self.highest - self.lowest + 1

    @property
    def names(self):
        """What each logit is of."""
        return tuple(str(each) for each in range(self.lowest, self.highest + 1))

    @property
    def answers(self):
        """What the model can answer, in words."""
        return f"a score from {self.lowest} to {self.highest}"


NLI = Classification("nli", PAIR, ("entailment", "neutral", "contradiction"))
POLARITY = Classification("polarity", SINGLE, ("negative", "positive"))
TASKS = {  # by corpus
    "snli": NLI,
    "multinli": NLI,
    "sick_entailment": NLI,
    "sick": Relatedness("relatedness", 1, 5),
    "stsb": Relatedness("similarity", 0, 5),
    "msrp": Classification("paraphrase", PAIR, ("different", "paraphrase")),
    "quora": Classification("duplicates", PAIR, ("different", "duplicate")),
    "sst": Classification(
        "sentiment",
        SINGLE,
        ("very negative", "negative", "neutral", "positive", "very positive"),
    ),
    "cr": POLARITY,
    "mpqa": POLARITY,
    "subj": Classification("subjectivity", SINGLE, ("subjective", "objective")),
    "trec": Classification(
        "question type", SINGLE, ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
    ),
}
