"""The schema of `data.columns` and `data.labels`: what a user's own files hold."""

from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from dsa.config_section import Section, setting


def _text_of_label(label):
    """A label as text. A whole number is one too."""
    if isinstance(label, bool):
        raise ValueError(
            "YAML reads yes, no, on and off as true and false: put quotes around them"
        )
    return str(label) if isinstance(label, int) else label


Column = Annotated[str, Field(min_length=1)]
Label = Annotated[str, BeforeValidator(_text_of_label), Field(min_length=1)]


class ColumnsConfig(Section):
    """`data.columns`: the columns of files of your own (`corpus: own`), or the keys of
    JSON lines: those of `premise` and `hypothesis`, or that of `sentence`."""

    premise: Column | None = setting(None, "First sentence of a pair.")
    hypothesis: Column | None = setting(None, "Second sentence of a pair.")
    sentence: Column | None = setting(None, "The sentence, where rows are no pairs.")
    label: Column = setting("label", "The label, one of `data.labels`.")
    id: Column | None = setting(None, "A name of the row, for predictions.")
    group: Column | None = setting(
        None, "A part of the corpus that evaluations report separately."
    )

    @model_validator(mode="after")
    def _possible(self):
        pair = [self.premise, self.hypothesis]
        if self.sentence and any(pair) or not self.sentence and not all(pair):
            raise ValueError("'premise' and 'hypothesis', or 'sentence' are needed")
        columns = [*self.names.values()]
        if len(set(columns)) < len(columns):
            raise ValueError("two of them name the same column")
        return self

    @property
    def names(self):
        """`{what: column}` of those that there are."""
        return self.model_dump(exclude_none=True)
