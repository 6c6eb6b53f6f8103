"""Labels and scores of user files."""

import difflib
import reprlib
from collections.abc import Collection
from typing import Any

from dsa.data.corpora.columns import parse_score
from dsa.errors import InputError
from dsa.parsing import is_missing, list_forms
from dsa.tasks.relatedness import Relatedness

# label values of unlabelled rows in Hugging Face data sets, SNLI and MultiNLI
UNLABELLED = ("", "-1", "-", "hidden")


def read_label(
    value: Any,
    labels: Collection[str],
    location: str,
    unlabelled: Collection[str] = UNLABELLED,
) -> str | None:
    """Returns the label of a row, or `None` for an unlabelled row.

    Args:
        value: value of the label column, a string or a whole number.
        labels: the known labels.
        location: file and row for error messages.
        unlabelled: see `build_own_corpus`.

    Raises: `InputError` if the label is unknown, or the value is neither a string nor a
        whole number.
    """
    forms = list_forms(value)
    for form in forms:
        if form in labels:
            return form
    if not set(forms).isdisjoint(unlabelled) or is_missing(value):
        return None
    label = forms[0]
    is_whole_float = isinstance(value, float) and value.is_integer()
    if not (isinstance(value, (str, int)) or is_whole_float):
        raise InputError(
            f"{location}: the label must be text or a whole number. Received: "
            f"{reprlib.repr(value)}"
        )
    similar = difflib.get_close_matches(label, labels, n=1)
    hint = f"Did you mean {similar[0]!r}? " if similar else ""
    raise InputError(
        f"{location}: unknown label {label[:40]!r}. {hint}Known labels "
        f"(data.labels): {', '.join(labels)}. To mark a row as unlabelled, leave the "
        "field empty"
    )


def read_score(
    value: Any,
    task: Relatedness,
    location: str,
    unlabelled: Collection[str] = UNLABELLED,
) -> float | None:
    """Returns the score of a row, or `None` for an unlabelled row.

    Args:
        value: value of the label column, a number or a numeric string.
        task: the task, whose scale contains the score.
        location: file and row for error messages.
        unlabelled: see `build_own_corpus`.

    Raises: `InputError` if the value is not a number within the scale of the task.
    """
    forms = list_forms(value)
    if not set(forms).isdisjoint(unlabelled) or is_missing(value):
        return None
    return parse_score(forms[0], task, location)
