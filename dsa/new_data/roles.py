"""Chooses the columns of texts, label, id, group and split."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dsa.data.corpora.own import GROUP, ID, LABEL, SPLIT_NAMES
from dsa.errors import InputError
from dsa.experiment.data_parts import MAX_LABELS
from dsa.new_data.table import Column, Table
from dsa.tasks.task import PAIR, SINGLE

SPLIT = "split"
ROLES = (*PAIR, *SINGLE, LABEL, ID, GROUP, SPLIT)
LABEL_NAMES = {
    *("label", "labels", "gold", "class", "category", "target", "duplicate"),
    *("score", "similarity", "relatedness", "entailment", "sentiment", "intent"),
}
GROUP_NAMES = {"group", "genre", "domain", "source", "topic", "subset"}
PAIR_NAMES = (
    PAIR,
    ("question", "answer"),
    ("query", "document"),
    *((f"{noun}1", f"{noun}2") for noun in ("sentence", "question", "text", "s", "q")),
)


class Choice(NamedTuple):
    """A column and the reason for its choice."""

    column: str
    reason: str


def parse_columns(assignments: Sequence[str]) -> dict[str, str]:
    """Parses `["premise=left", "id="]` to `{"premise": "left", "id": ""}`.

    Raises: `InputError` for malformed assignments, unknown roles and duplicates.
    """
    columns: dict[str, str] = {}
    for assignment in assignments:
        role, equal, column = assignment.partition("=")
        if not equal or role not in ROLES or role in columns:
            raise InputError(
                f"--columns must be ROLE=COLUMN with distinct roles of "
                f"{', '.join(ROLES)}. Received: {assignment[:80]!r}"
            )
        columns[role] = column
    if SINGLE[0] in columns and not columns.keys().isdisjoint(PAIR):
        raise InputError("--columns: 'premise' and 'hypothesis', or 'sentence'")
    return columns


def choose_columns(table: Table, given: Mapping[str, str]) -> dict[str, Choice]:
    """Chooses the column of each role by its values and its name.

    Args:
        table: the table.
        given: `{role: column}` of the user, "" for no column. Other roles are guessed.

    Returns: `{role: choice}` in the order of `ROLES`; roles without a column are left
        out.

    Raises: `InputError` if a given column is missing, or if no column contains texts
        or labels.
    """
    choices = {}
    for role, name in given.items():
        if name and name not in table.columns:
            raise InputError(
                f"{table.path}: no column {name!r}. Columns: {table.describe()}"
            )
        if name:
            choices[role] = Choice(name, "given by --columns")
    for role, choose in (
        (SPLIT, _choose_split),
        (LABEL, _choose_label),
        (SINGLE[0], _choose_texts),
        (ID, _choose_id),
        (GROUP, _choose_group),
    ):
        if role not in given and not (role in SINGLE and set(PAIR) <= set(choices)):
            used = {choice.column for choice in choices.values()}
            free = [c for c in table.columns.values() if c.name not in used]
            choices |= choose(free, table, choices)
    _check_kinds(table, choices)
    return {role: choices[role] for role in ROLES if role in choices}


def _choose_split(free, table, choices):
    for column in free:
        known = all(value.strip().lower() in SPLIT_NAMES for value in column.counts)
        if column.distinct >= 2 and known:
            return {SPLIT: Choice(column.name, f"values {', '.join(column.counts)}")}
    return {}


def _choose_label(free, table, choices):
    fitting = [
        column
        for column in free
        if column.has_fractions or column.is_label and not column.is_text
    ] or [column for column in free if column.is_score]
    if not fitting:
        raise InputError(
            f"{table.path}: no label column, which has 2 to {MAX_LABELS} distinct "
            f"values, or scores. Columns: {table.describe()}. --columns "
            "label=COLUMN selects another one"
        )
    named = [column for column in fitting if _split_name(column.name) & LABEL_NAMES]
    column = (named or fitting)[-1]
    reason = "scores" if column.is_score else f"{column.distinct:,} distinct values"
    if len(fitting) > 1:
        others = ", ".join(repr(c.name) for c in fitting if c is not column)
        by = "its name" if named else "the last of these columns"
        reason += f"; {by}, the others are {others}"
    return {LABEL: Choice(column.name, reason)}


def _choose_texts(free, table, choices):
    texts = [column for column in free if column.is_text]
    if not texts:
        texts = [column for column in free if column.is_short_text]
    missing = [role for role in PAIR if role not in choices]
    if len(missing) == 1 and texts:  # the other sentence of the pair is given
        return {missing[0]: Choice(texts[0].name, _describe_text(texts[0]))}
    if not texts:
        raise InputError(
            f"{table.path}: no column of texts. Columns: {table.describe()}. --columns "
            "sentence=COLUMN, or premise=COLUMN and hypothesis=COLUMN, selects columns"
        )
    if len(texts) == 1:
        return {SINGLE[0]: Choice(texts[0].name, _describe_text(texts[0]))}
    pair = _find_named_pair(texts)
    reason = "names of a pair" if pair else "texts in the order of the columns"
    pair = pair or texts[:2]
    if len(texts) > 2:
        others = ", ".join(repr(c.name) for c in texts if c not in pair)
        reason += f"; further texts: {others}"
    return {
        role: Choice(column.name, f"{_describe_text(column)}; {reason}")
        for role, column in zip(PAIR, pair, strict=True)
    }


def _find_named_pair(texts):
    """Returns the columns with the usual names of a pair, or `None`."""
    names = {"".join(re.findall("[a-z0-9]", c.name.lower())): c for c in texts}
    for first, second in PAIR_NAMES:
        if first in names and second in names:
            return [names[first], names[second]]
    return None


def _describe_text(column: Column) -> str:
    return f"{column.mean_words:.0f} words on average"


def _choose_id(free, table, choices):
    keys = [column for column in free if column.is_key]
    if not keys:
        return {}
    return {ID: Choice(keys[0].name, "a different value in each row")}


def _choose_group(free, table, choices):
    for column in free:
        if column.is_label and _split_name(column.name) & GROUP_NAMES:
            reason = f"its name, and {column.distinct} distinct values"
            return {GROUP: Choice(column.name, reason)}
    return {}


def _split_name(name):
    """Returns the lower-case words of a column name, such as `is_duplicate`."""
    words = re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return set(re.split("[^a-z0-9]+", words))


def _check_kinds(table, choices):
    """Raises `InputError` if labels are used as texts or the reverse."""
    label = table.columns[choices[LABEL].column]
    if not label.is_score and label.distinct > MAX_LABELS:
        raise InputError(
            f"{table.path}: {label.describe()} as label: at most {MAX_LABELS} labels "
            "are possible. Columns: " + table.describe()
        )
    for role in (*PAIR, *SINGLE):
        if role not in choices:
            continue
        column = table.columns[choices[role].column]
        if column.numbers is not None or not (column.is_text or column.is_short_text):
            raise InputError(
                f"{table.path}: {column.describe()} as {role}: its values look like "
                f"labels or numbers, not texts. Columns: {table.describe()}"
            )
