"""Choice of the columns of texts, label, id, group and split."""

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
LABEL_NAMES = {  # words in the names of label columns
    "label",
    "labels",
    "gold",
    "class",
    "category",
    "target",
    "duplicate",
    "score",
    "similarity",
    "relatedness",
    "entailment",
    "sentiment",
    "intent",
}
# words in the names of group columns
GROUP_NAMES = {"group", "genre", "domain", "source", "topic", "subset"}
PAIR_NAMES = (  # names of the columns of a pair
    PAIR,
    ("question", "answer"),
    ("query", "document"),
    ("sentence1", "sentence2"),
    ("question1", "question2"),
    ("text1", "text2"),
    ("s1", "s2"),
    ("q1", "q2"),
)


class Choice(NamedTuple):
    """Name of a chosen column, and the reason for the choice."""

    column: str
    reason: str


def parse_columns(assignments: Sequence[str]) -> dict[str, str]:
    """Parses `["premise=left", "id="]` to `{"premise": "left", "id": ""}`.

    Raises: `InputError` for a malformed assignment, an unknown or duplicate role, a
        text or label role without a column, a column with two roles, and for the roles
        of a pair together with the role of a single sentence.
    """
    columns: dict[str, str] = {}
    for assignment in assignments:
        role, equal, column = assignment.partition("=")
        if not equal or role not in ROLES or role in columns:
            raise InputError(
                f"--columns must be ROLE=COLUMN with distinct roles of "
                f"{', '.join(ROLES)}. Received: {assignment[:80]!r}"
            )
        if not column and role not in (ID, GROUP, SPLIT):
            raise InputError(
                f"--columns {role}= requires a column: only {ID!r}, {GROUP!r} and "
                f"{SPLIT!r} can have no column"
            )
        if column and column in columns.values():
            raise InputError(f"--columns assigns two roles to the column {column!r}")
        columns[role] = column
    if SINGLE[0] in columns and not columns.keys().isdisjoint(PAIR):
        raise InputError(
            "--columns must assign either 'premise' and 'hypothesis', or 'sentence'"
        )
    return columns


def choose_columns(table: Table, given: Mapping[str, str]) -> dict[str, Choice]:
    """Chooses the column of each role by its values and its name.

    Args:
        table: the `Table`.
        given: `{role: column}` of the user, "" for no column. The columns of other
            roles are chosen.

    Returns: `{role: choice}` in the order of `ROLES`, without roles that have no
        column.

    Raises: `InputError` if a given column is missing, if no column contains texts or
        labels, or if the values of a column do not suit its role.
    """
    choices = {}
    for role, name in given.items():
        if name and name not in table.columns:
            raise InputError(
                f"{table.path}: no column {name!r}. Columns: {table.describe()}"
            )
        if name:
            choices[role] = Choice(name, "given by --columns")
    if SPLIT not in given:
        choices |= _choose_split(_list_free_columns(table, choices))
    if LABEL not in given:
        choices |= _choose_label(_list_free_columns(table, choices), table)
    if SINGLE[0] not in given and not set(PAIR) <= set(choices):
        choices |= _choose_texts(_list_free_columns(table, choices), table, choices)
    if ID not in given:
        choices |= _choose_id(_list_free_columns(table, choices))
    if GROUP not in given:
        choices |= _choose_group(_list_free_columns(table, choices))
    _check_values(table, choices)
    return {role: choices[role] for role in ROLES if role in choices}


def _list_free_columns(table, choices):
    """Returns the columns without a role."""
    used = {choice.column for choice in choices.values()}
    return [column for column in table.columns.values() if column.name not in used]


def _choose_split(columns):
    for column in columns:
        known = all(value.strip().lower() in SPLIT_NAMES for value in column.counts)
        if column.distinct >= 2 and known:
            return {SPLIT: Choice(column.name, f"values {', '.join(column.counts)}")}
    return {}


def _choose_label(columns, table):
    candidates = [
        column
        for column in columns
        if column.has_fractions or (column.is_label and not column.is_text)
    ]
    if not candidates:
        candidates = [column for column in columns if column.is_score]
    if not candidates:
        raise InputError(
            f"{table.path}: no label column with 2 to {MAX_LABELS} distinct values or "
            f"with scores. Columns: {table.describe()}. Choose a column with --columns "
            "label=COLUMN"
        )
    named = [column for column in candidates if _split_name(column.name) & LABEL_NAMES]
    column = named[-1] if named else candidates[-1]
    reason = "scores" if column.is_score else f"{column.distinct:,} distinct values"
    others = [repr(other.name) for other in candidates if other is not column]
    if others:
        criterion = "chosen by its name" if named else "the last of several columns"
        reason += f"; {criterion}, other columns: {', '.join(others)}"
    return {LABEL: Choice(column.name, reason)}


def _choose_texts(columns, table, choices):
    texts = [column for column in columns if column.is_text]
    if not texts:
        texts = [column for column in columns if column.is_short_text]
    missing = [role for role in PAIR if role not in choices]
    if len(missing) == 1 and texts:  # the user has given the other sentence of the pair
        return {missing[0]: Choice(texts[0].name, _describe_text(texts[0]))}
    if not texts:
        raise InputError(
            f"{table.path}: no column of texts. Columns: {table.describe()}. Choose "
            "columns with --columns sentence=COLUMN, or premise=COLUMN and "
            "hypothesis=COLUMN"
        )
    if len(texts) == 1:
        return {SINGLE[0]: Choice(texts[0].name, _describe_text(texts[0]))}
    pair = _find_named_pair(texts)
    reason = "names of a pair"
    if pair is None:
        pair = texts[:2]
        reason = "texts in the order of the columns"
    others = [repr(column.name) for column in texts if column not in pair]
    if others:
        reason += f"; further texts: {', '.join(others)}"
    return {
        role: Choice(column.name, f"{_describe_text(column)}; {reason}")
        for role, column in zip(PAIR, pair, strict=True)
    }


def _find_named_pair(texts):
    """Returns the columns with usual names of a pair, or `None`."""
    columns = {}
    for column in texts:
        letters = re.findall("[a-z0-9]", column.name.lower())
        columns["".join(letters)] = column
    for first, second in PAIR_NAMES:
        if first in columns and second in columns:
            return [columns[first], columns[second]]
    return None


def _describe_text(column: Column) -> str:
    return f"{column.mean_words:.0f} words on average"


def _choose_id(columns):
    for column in columns:
        if column.is_key:
            return {ID: Choice(column.name, "a different value in each row")}
    return {}


def _choose_group(columns):
    for column in columns:
        if column.is_label and _split_name(column.name) & GROUP_NAMES:
            reason = f"its name, and {column.distinct} distinct values"
            return {GROUP: Choice(column.name, reason)}
    return {}


def _split_name(name):
    """Returns the set of lower-cased words in a column name, such as `is_duplicate` or
    `isDuplicate`."""
    words = re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return set(re.split("[^a-z0-9]+", words))


def _check_values(table, choices):
    """Raises `InputError` if the label column contains texts, or a text column contains
    labels or numbers."""
    label = table.columns[choices[LABEL].column]
    if not label.is_score and label.distinct > MAX_LABELS:
        raise InputError(
            f"{table.path}: {label.describe()} as label: expected at most {MAX_LABELS} "
            f"distinct labels. Columns: {table.describe()}"
        )
    for role in (*PAIR, *SINGLE):
        if role not in choices:
            continue
        column = table.columns[choices[role].column]
        if column.numbers is not None or not (column.is_text or column.is_short_text):
            raise InputError(
                f"{table.path}: {column.describe()} as {role}: expected texts, but the "
                f"values look like labels or numbers. Columns: {table.describe()}"
            )
