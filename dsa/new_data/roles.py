"""Assigns the columns of a user's file to roles: texts, label, id, group and split."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dsa.data.corpora.own import GROUP, ID, LABEL, SPLIT_NAMES
from dsa.errors import InputError
from dsa.experiment.data_parts import MAX_LABELS
from dsa.new_data.table import Column, Table
from dsa.tasks.task import PAIR, SINGLE

SPLIT = "split"
(SENTENCE,) = SINGLE
ROLES = (*PAIR, SENTENCE, LABEL, ID, GROUP, SPLIT)
LABEL_COLUMN_WORDS = {  # words in the names of label columns
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
# words in the names of columns that are no texts
ID_COLUMN_WORDS = {"id", "uid", "uuid", "guid", "qid", "key", "user", "author", "url"}
# words in the names of group columns
GROUP_COLUMN_WORDS = {"group", "genre", "domain", "source", "topic", "subset"}
PAIR_COLUMNS = (  # names of the columns of a pair
    PAIR,
    ("question", "answer"),
    ("query", "document"),
    ("sentence1", "sentence2"),
    ("question1", "question2"),
    ("text1", "text2"),
    ("s1", "s2"),
    ("q1", "q2"),
)


class ColumnChoice(NamedTuple):
    """Name of the column of a role, and the reason for the choice."""

    column: str
    reason: str


def parse_columns(assignments: Sequence[str]) -> dict[str, str]:
    """Parses `["premise=left", "id="]` to `{"premise": "left", "id": ""}`.

    Raises: `InputError` if an assignment is malformed, a role is unknown or repeated, a
        text or label role has no column, a column has two roles, or `sentence` is
        combined with `premise` or `hypothesis`.
    """
    columns: dict[str, str] = {}
    for assignment in assignments:
        role, separator, column = assignment.partition("=")
        if not separator or role not in ROLES:
            raise InputError(
                f"--columns expects ROLE=COLUMN. Known roles: {', '.join(ROLES)}. "
                f"Received: {assignment[:80]!r}"
            )
        if role in columns:
            raise InputError(f"--columns assigns two columns to the role {role!r}")
        if not column and role not in (ID, GROUP, SPLIT):
            raise InputError(
                f"--columns {role}= requires a column: only {ID!r}, {GROUP!r} and "
                f"{SPLIT!r} can have no column"
            )
        if column and column in columns.values():
            raise InputError(f"--columns assigns two roles to the column {column!r}")
        columns[role] = column
    if SENTENCE in columns and not columns.keys().isdisjoint(PAIR):
        raise InputError(
            "--columns must assign either 'premise' and 'hypothesis', or 'sentence'"
        )
    return columns


def choose_columns(
    table: Table, assigned: Mapping[str, str]
) -> dict[str, ColumnChoice]:
    """Infers the column of each role from the values and the names of the columns.

    Args:
        table: the table.
        assigned: columns that the user has given, `{role: column}`. "" leaves the role
            `id`, `group` or `split` without a column. The columns of the other roles
            are inferred.

    Returns: `{role: choice}` in the order of `ROLES`, without roles that have no
        column.

    Raises: `InputError` if a given column is missing, if no column contains texts or
        labels, or if the values of a column do not suit its role.
    """
    choices: dict[str, ColumnChoice] = {}
    for role, name in assigned.items():
        if not name:
            continue
        if name not in table.columns:
            raise InputError(
                f"{table.path}: no column {name!r}. Columns: {table.describe()}"
            )
        choices[role] = ColumnChoice(name, "given by the user")
    if SPLIT not in assigned:
        choices |= _choose_split(_list_free_columns(table, choices))
    if LABEL not in assigned:
        choices |= _choose_label(_list_free_columns(table, choices), table)
    has_pair = all(role in choices for role in PAIR)
    if SENTENCE not in assigned and not has_pair:
        choices |= _choose_texts(_list_free_columns(table, choices), table, choices)
    if ID not in assigned:
        choices |= _choose_id(_list_free_columns(table, choices))
    if GROUP not in assigned:
        choices |= _choose_group(_list_free_columns(table, choices))
    _check_values(table, choices)
    return {role: choices[role] for role in ROLES if role in choices}


def _list_free_columns(table, choices):
    """Returns the columns without a role."""
    used = {choice.column for choice in choices.values()}
    return [column for column in table.columns.values() if column.name not in used]


def _choose_split(columns):
    """Returns the choice of the first column with two or more names of splits, or an
    empty dictionary."""
    for column in columns:
        names = [value.strip().lower() for value in column.counts]
        if len(names) >= 2 and all(name in SPLIT_NAMES for name in names):
            reason = f"values {', '.join(column.counts)}"
            return {SPLIT: ColumnChoice(column.name, reason)}
    return {}


def _choose_label(columns, table):
    """Returns the choice of the label column: the last candidate with the name of a
    label column, or else the last candidate.

    Candidates are columns of labels or fractions, or else columns of other scores.
    """
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
    named = [
        column for column in candidates if _split_name(column.name) & LABEL_COLUMN_WORDS
    ]
    column = named[-1] if named else candidates[-1]
    reason = (
        "scores" if column.has_fractions else f"{column.distinct:,} distinct values"
    )
    others = [repr(other.name) for other in candidates if other is not column]
    if others:
        criterion = "matched by name" if named else "last of several candidates"
        reason += f"; {criterion}, other candidates: {', '.join(others)}"
    return {LABEL: ColumnChoice(column.name, reason)}


def _choose_texts(columns, table, choices):
    """Returns the choices of the text columns without a choice: of a pair, or of single
    sentences if there is only one text column.

    One column of a pair with known names can contain words or phrases.
    """
    texts = [column for column in columns if column.is_text]
    phrases = [
        column for column in columns if column.is_short_text and not column.is_text
    ]
    if not texts:
        # without texts of several words, columns of ids look like columns of texts
        texts = [c for c in phrases if not _split_name(c.name) & ID_COLUMN_WORDS]
        texts, phrases = texts or phrases, []
    missing = [role for role in PAIR if role not in choices]
    if len(missing) == 1 and texts:  # the user has given the other column of the pair
        return {missing[0]: ColumnChoice(texts[0].name, _describe_text(texts[0]))}
    if not texts:
        raise InputError(
            f"{table.path}: no text column. Columns: {table.describe()}. Choose "
            "columns with --columns sentence=COLUMN, or premise=COLUMN and "
            "hypothesis=COLUMN"
        )
    pair = _find_named_pair(texts) or _find_named_pair([*texts, *phrases])
    if pair is not None and not any(column in texts for column in pair):
        pair = None
    if pair is None and len(texts) == 1:
        reason = _describe_text(texts[0])
        others = [repr(column.name) for column in phrases if not column.is_key]
        if others:
            reason += f"; columns of shorter texts: {', '.join(others)}"
        return {SENTENCE: ColumnChoice(texts[0].name, reason)}
    reason = "known column names of a pair"
    if pair is None:
        pair = texts[:2]
        reason = "first two text columns"
    others = [repr(column.name) for column in texts if column not in pair]
    if others:
        reason += f"; other text columns: {', '.join(others)}"
    return {
        role: ColumnChoice(column.name, f"{_describe_text(column)}; {reason}")
        for role, column in zip(PAIR, pair, strict=True)
    }


def _find_named_pair(texts):
    """Returns the first pair of columns with names in `PAIR_COLUMNS`, or `None`. Case
    and punctuation are ignored."""
    columns = {}
    for column in texts:
        characters = re.findall("[a-z0-9]", column.name.lower())
        columns["".join(characters)] = column
    for first, second in PAIR_COLUMNS:
        if first in columns and second in columns:
            return [columns[first], columns[second]]
    return None


def _describe_text(column):
    return f"{column.mean_words:.0f} words on average"


def _choose_id(columns):
    """Returns the choice of the first column with distinct values without white space,
    or an empty dictionary."""
    for column in columns:
        if column.is_key:
            return {ID: ColumnChoice(column.name, "unique in each row")}
    return {}


def _choose_group(columns):
    """Returns the choice of the first column with the name of a group column and
    repeated values, or an empty dictionary."""
    for column in columns:
        if column.is_label and _split_name(column.name) & GROUP_COLUMN_WORDS:
            reason = f"matched by name, {column.distinct} distinct values"
            return {GROUP: ColumnChoice(column.name, reason)}
    return {}


def _split_name(name):
    """Returns the set of lower-cased words in a column name, such as `is_duplicate` or
    `isDuplicate`."""
    words = re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return set(re.split("[^a-z0-9]+", words))


def _check_values(table, choices):
    """Raises `InputError` if the label column contains texts, or a text column contains
    labels or numbers."""
    label: Column = table.columns[choices[LABEL].column]
    if not label.is_score and label.distinct > MAX_LABELS:
        raise InputError(
            f"{table.path}: the column {label.name!r} cannot be the label: it has "
            f"{label.distinct:,} distinct values, the maximum is {MAX_LABELS}. "
            f"Columns: {table.describe()}"
        )
    for role in (*PAIR, SENTENCE):
        if role not in choices:
            continue
        column = table.columns[choices[role].column]
        if column.numbers is not None or not (column.is_text or column.is_short_text):
            raise InputError(
                f"{table.path}: the column {column.name!r} cannot be the {role}: its "
                f"values look like labels or numbers. Columns: {table.describe()}"
            )
