"""Subsections of `data`, and types of paths and labels."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    model_validator,
)

from dsa.config_section import NonNegativeCount, Number, Section, setting
from dsa.data.corpora.catalogue import get_corpus


def _check_data_path(path, info: ValidationInfo):
    if path.startswith("data/"):
        raise ValueError(
            "paths are relative to the data root. Remove the leading 'data/'"
        )
    if Path(path).is_absolute():
        root = (info.context or {}).get("data_root")
        if root is None or Path(root) != Path("/"):
            raise ValueError(
                "paths are relative to the data root (DSA_DATA). An absolute path "
                "requires the data root /"
            )
        return path.lstrip("/")
    return path


def check_corpus_name(name: str) -> str:
    """Returns a name if it is the name of a corpus.

    Raises: `InputError` for an unknown corpus.
    """
    get_corpus(name)
    return name


DataPath = Annotated[str, Field(min_length=1), AfterValidator(_check_data_path)]
CorpusName = Annotated[str, AfterValidator(check_corpus_name)]


class MixConfig(Section):
    """`data.mix`: labelled training pairs of another corpus, drawn with the seed of the
    run.

    Williams et al. 2018 add 15 % of the SNLI pairs to MultiNLI; their released code
    draws new pairs for each epoch.
    """

    corpus: CorpusName = setting(
        "snli", "The other corpus, which must have the same task."
    )
    path: DataPath = Field(description="Training file of the other corpus.")
    share: Annotated[Number, Field(gt=0, le=1)] = setting(
        0.15, "Share of the labelled pairs that is drawn."
    )
    redraw: Literal["epoch", "once"] = setting(
        "epoch",
        "`epoch` draws new pairs for each epoch, `once` the same pairs for all.",
    )

    @property
    def draws_each_epoch(self) -> bool:
        """Whether new pairs are drawn for each epoch."""
        return self.redraw == "epoch" and self.share < 1


class FoldsConfig(Section):
    """`data.folds`: cross-validation over the labelled rows of `data.train`, divided
    into `count` folds with equal shares of each label."""

    count: Annotated[int, Field(ge=2)] = setting(10, "Number of folds.")
    fold: NonNegativeCount = setting(0, "Test fold of the run, counted from 0.")

    @model_validator(mode="after")
    def _check_combinations(self):
        if self.fold >= self.count:
            raise ValueError(
                "'data.folds.fold', counted from 0, must be below 'data.folds.count'. "
                f"Received: fold={self.fold}, count={self.count}"
            )
        return self


def _convert_label(label):
    """Converts an integer label to text. Rejects a label that YAML reads as a bool."""
    if isinstance(label, bool):
        raise ValueError(
            "expected text. YAML reads yes, no, on and off as true and false. Put "
            "quotes around the words"
        )
    return str(label) if isinstance(label, int) else label


Column = Annotated[str, Field(min_length=1)]
CellText = Annotated[str, BeforeValidator(_convert_label)]
Label = Annotated[CellText, Field(min_length=1)]
MAX_LABELS = 127


class ColumnsConfig(Section):
    """`data.columns`: columns of your own files (`corpus: own`), or keys of JSON lines:
    `premise` and `hypothesis`, or `sentence`."""

    premise: Column | None = setting(None, "First sentence of a pair.")
    hypothesis: Column | None = setting(None, "Second sentence of a pair.")
    sentence: Column | None = setting(None, "Sentence, if rows are not pairs.")
    label: Column = setting(
        "label", "Label, one of `data.labels`, or score (`data.scores`)."
    )
    id: Column | None = setting(None, "Identifier of the row, for predictions.")
    group: Column | None = setting(
        None, "Part of the corpus, such as a genre, that is also evaluated separately."
    )

    @model_validator(mode="after")
    def _check_combinations(self):
        pair = [self.premise, self.hypothesis]
        is_valid = not any(pair) if self.sentence else all(pair)
        if not is_valid:
            raise ValueError(
                "'data.columns' must have the keys 'premise' and 'hypothesis', or the "
                "key 'sentence'"
            )
        columns = list(self.names.values())
        if len(set(columns)) < len(columns):
            raise ValueError(
                "'data.columns' must have distinct columns. "
                f"Received: {', '.join(columns)}"
            )
        return self

    @property
    def names(self) -> dict[str, str]:
        """Columns by field, without fields that are not set."""
        return self.model_dump(exclude_none=True)


class ScoresConfig(Section):
    """`data.scores`: scores of pairs instead of labels, such as similarity from 0 to
    5. A model predicts a distribution over the integers of the scale."""

    lowest: NonNegativeCount = Field(description="Lowest possible score, an integer.")
    highest: NonNegativeCount = Field(description="Highest possible score, an integer.")

    @model_validator(mode="after")
    def _check_combinations(self):
        if not 1 <= self.highest - self.lowest < MAX_LABELS:
            raise ValueError(
                "'data.scores.highest' must exceed 'data.scores.lowest' by 1 to "
                f"{MAX_LABELS - 1}. Received: lowest={self.lowest}, "
                f"highest={self.highest}"
            )
        return self
