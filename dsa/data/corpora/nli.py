"""Corpora of natural-language inference: SNLI's and MultiNLI's formats, and others.

SNLI, MultiNLI: Bowman et al. 2015, https://nlp.stanford.edu/projects/snli/, and
Williams et al. 2018, https://cims.nyu.edu/~sbowman/multinli/, `.jsonl` and
tab-separated `.txt`, also gzipped. Of the columns only `sentence1` and `sentence2` are
needed, and `gold_label` in a labelled corpus; MultiNLI's `genre` becomes the group.

Other corpora name columns and labels otherwise: the catalogue says which column is
what, and what a corpus's labels mean. Their formats are described by:

- Breaking NLI: README of https://github.com/BIU-NLP/Breaking_NLI ("Fields")
- HANS: README of https://github.com/tommccoy1/hans ("Data")
- stress tests: https://abhilasharavichander.github.io/NLI_StressTest/, the files of
  MultiNLI's own format
- CAD: https://github.com/acmi-lab/counterfactually-augmented-data, NLI/*/test.tsv
- ANLI: https://github.com/facebookresearch/anli, src/dataset_tools/format_convert.py
- XNLI: https://github.com/facebookresearch/XNLI; the header of xnli.test.tsv
- SciTail: `tsv_format` of SciTailV1.1.zip, https://allenai.org/data/scitail
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from dsa.data.corpora.columns import read_quoted_rows
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from dsa.tasks.classification import Classification

NO_LABEL = ("-", "hidden")  # no majority among the annotators; kept back by MultiNLI
SNLI_COLUMNS = {
    "premise": "sentence1",
    "hypothesis": "sentence2",
    "label": "gold_label",
    "id": "pairID",
}
TEXTS = ("premise", "hypothesis")
OPTIONAL = ("id", "premise_parse", "hypothesis_parse")


def read_nli(
    path: Path | str, task: Classification, labelled: bool = True
) -> Iterator[Example]:
    """Yields an `Example` for every row of an SNLI or MultiNLI file.

    Args:
        path: `.jsonl` or `.txt`, or one of them gzipped, `.jsonl.gz` or `.txt.gz`.
        task: the `Classification` whose labels may occur, besides `-` and `hidden`.
        labelled: whether a row without `gold_label` is an error.

    Raises: `InputError` with file, line and reason for a malformed row or an unknown
        label.
    """
    labels = {label: label for label in task.labels}
    for line, row in FORMS[_guess_form(path)](path):
        place, label = f"{path}, line {line}", None
        if labelled or "gold_label" in row:
            label = _read_label(row, "gold_label", labels, place)
        yield make_pair(row, line, place)._replace(label=label)


def make_pair(row: Mapping, line: int, place: str) -> Example:
    """Returns the `Example` of a row, its label left out.

    Args:
        row: a dictionary with `sentence1` and `sentence2`.
        line: its line in the file.
        place: file and line, for errors.
    """
    parses = (row.get("sentence1_binary_parse"), row.get("sentence2_binary_parse"))
    return Example(
        texts=(
            _read_text(row, "sentence1", place),
            _read_text(row, "sentence2", place),
        ),
        label=None,
        id=_read_name(row, "pairID"),
        group=_read_name(row, "genre"),
        parses=_whole(parses),
        line=line,
    )


def read_nli_columns(  # noqa: PLR0913 (what a line of the catalogue says)
    path: Path | str,
    task: Classification,
    columns: Mapping | None = None,
    labels: Mapping[str, str] | None = None,
    form: str | None = None,
    only: Mapping[str, str] | None = None,
) -> Iterator[Example]:
    """Yields an `Example` for every row. Rows labelled `-` or `hidden` have no label.

    Args:
        path: the file, also gzipped.
        task: the `Classification`.
        columns: `{what: column}` of `premise`, `hypothesis`, `label`, and as far as
            there are any `id`, `group`, `premise_parse`, `hypothesis_parse`; those that
            differ from SNLI's. Of a file without a header line columns are numbers from
            0.
        labels: `{the file's word: the task's label}`; `None` where they are the same.
        form: a key of `FORMS`; `None` for JSON lines, and for a table with a header
            line if the name ends in `.tsv` or `.txt`.
        only: `{column: value}` that a row must have; others are left out.

    Raises: `InputError` with file, line and reason for a malformed row, a missing
        column and an unknown label.
    """
    columns = SNLI_COLUMNS | dict(columns or {})
    labels = labels or {label: label for label in task.labels}
    for line, row in FORMS[form or _guess_form(path)](path):
        place = f"{path}, line {line}"
        wanted = (only or {}).items()
        if any(_read_text(row, name, place) != value for name, value in wanted):
            continue
        _check_columns(row, columns, place)
        yield Example(
            texts=tuple(_read_text(row, columns[name], place) for name in TEXTS),
            label=_read_label(row, columns["label"], labels, place),
            id=_read_name(row, columns.get("id")),
            group=_read_name(row, columns.get("group")),
            parses=_read_parses(row, columns),
            line=line,
        )


def read_json_rows(
    lines: Iterable[tuple[int, str]], path: Path | str
) -> Iterator[tuple[int, dict]]:
    """Yields `(number, dictionary)` of numbered JSON lines."""
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_make_object)
        except _KeyTwice as error:
            raise InputError(f"{path}, line {number}: {error}") from error
        except (ValueError, RecursionError) as error:
            reason = str(error) or type(error).__name__
            raise InputError(f"{path}, line {number}: not JSON: {reason}") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: not a JSON object")
        yield number, row


class _KeyTwice(Exception):
    pass


def _make_object(pairs):
    """A JSON object, which must not have two values of one key."""
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _KeyTwice(f"the key {twice[:40]!r} is given twice")
    return row


def read_table_rows(
    lines: Iterable[tuple[int, str]], path: Path | str
) -> Iterator[tuple[int, dict]]:
    """Yields `(number, dictionary)` of numbered tab-separated lines, of which the first
    one names the columns.

    Fields can be missing at the end of a line.
    """
    columns = None
    for number, line in lines:
        fields = line.split("\t")
        if columns is None:
            columns = fields
            _check_header(columns, line, f"{path}, line {number}")
        elif len(fields) > len(columns):
            raise InputError(
                f"{path}, line {number}: {len(fields)} fields, but the header names "
                f"{len(columns)} columns"
            )
        elif line:
            yield number, dict(zip(columns, fields, strict=False))


def _check_header(columns, line, place):
    if len(set(columns)) < len(columns):
        raise InputError(f"{place}: a column is named twice")
    if not {"sentence1", "sentence2"} <= set(columns):
        raise InputError(
            f"{place}: a header line that names the columns sentence1 and sentence2 "
            f"is needed. Received: {line[:80]!r}"
        )


def _guess_form(path):
    suffix = Path(str(path).removesuffix(".gz")).suffix
    return "table" if suffix in (".tsv", ".txt") else "json lines"


def _read_json(path):
    return read_json_rows(read_lines(path), path)


def _read_table(path):
    return read_table_rows(read_lines(path), path)


def _read_quoted_table(path):
    return read_quoted_rows(path, "\t")


def _read_bare_table(path):
    """Rows of a table without a header line, fields by number; all of one length."""
    count = None
    for line, text in read_lines(path):
        fields = text.split("\t")
        count = count or len(fields)
        if len(fields) != count:
            raise InputError(
                f"{path}, line {line}: {len(fields)} fields, but line 1 has {count}"
            )
        yield line, dict(enumerate(fields))


FORMS = {
    "json lines": _read_json,
    "table": _read_table,  # as SNLI's .txt, without quoting
    "quoted table": _read_quoted_table,
    "table without header": _read_bare_table,
}


def _check_columns(row, columns, place):
    for what, column in columns.items():
        if column not in row and what not in OPTIONAL:
            name = column if isinstance(column, str) else f"column {column + 1}"
            raise InputError(f"{place}: '{name}' ({what}) is missing")


def _read_text(row, column, place):
    text = row.get(column)
    if not isinstance(text, str):
        problem = "is missing" if column not in row else "is not a text"
        raise InputError(f"{place}: '{column}' {problem}")
    return text


def _read_label(row, column, labels, place):
    label = _read_text(row, column, place)
    if label in NO_LABEL:
        return None
    if label not in labels:
        raise InputError(
            f"{place}: unknown label {label[:40]!r}. Known: {', '.join(labels)}, and "
            f"{', '.join(NO_LABEL)} for none"
        )
    return labels[label]


def _read_name(row, column):
    """A field as a text that UTF-8 can hold; `None` for none."""
    value = row.get(column)
    return None if value is None else str(value).encode(errors="replace").decode()


def _read_parses(row, columns):
    return _whole(tuple(row.get(columns.get(f"{name}_parse")) for name in TEXTS))


def _whole(parses: tuple) -> tuple[str, ...] | None:
    """The parses, or `None` if one is missing."""
    return parses if all(isinstance(parse, str) for parse in parses) else None
