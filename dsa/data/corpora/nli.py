"""Readers of natural language inference corpora.

SNLI: Bowman et al. 2015, https://nlp.stanford.edu/projects/snli/. MultiNLI: Williams et
al. 2018, https://cims.nyu.edu/~sbowman/multinli/. The files are `.jsonl` and
tab-separated `.txt`, plain or gzipped. The columns `sentence1` and `sentence2` are
required, and `gold_label` in a labelled corpus. The group is the column `genre` of
MultiNLI.

The catalogue defines the columns and labels of other corpora. Their formats:

- Breaking NLI: README of https://github.com/BIU-NLP/Breaking_NLI ("Fields")
- HANS: README of https://github.com/tommccoy1/hans ("Data")
- stress tests: https://abhilasharavichander.github.io/NLI_StressTest/, the files of
  MultiNLI's own format
- CAD: https://github.com/acmi-lab/counterfactually-augmented-data, NLI/*/test.tsv
- ANLI: https://github.com/facebookresearch/anli, src/dataset_tools/format_convert.py
- XNLI: https://github.com/facebookresearch/XNLI; the header of xnli.test.tsv
- SciTail: SciTailV1.1.zip, https://allenai.org/data/scitail
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from dsa.data.corpora.columns import read_named_columns, read_quoted_rows, split_tabs
from dsa.data.corpora.example import Example, to_id
from dsa.data.corpora.files import get_suffix, read_first_line, read_lines
from dsa.errors import InputError
from dsa.tasks.classification import Classification

NO_LABEL = ("-", "hidden")  # no majority of the annotators; test files of MultiNLI
SNLI_COLUMNS = {
    "premise": "sentence1",
    "hypothesis": "sentence2",
    "label": "gold_label",
    "id": "pairID",
}
TEXT_FIELDS = ("premise", "hypothesis")
OPTIONAL_FIELDS = ("id", "premise_parse", "hypothesis_parse")


def read_nli(
    path: Path | str, task: Classification, labelled: bool = True
) -> Iterator[Example]:
    """Yields an `Example` for every row of a `.jsonl` or `.txt` file of SNLI or
    MultiNLI. Rows with the labels `-` and `hidden` are unlabelled.

    Args:
        path: the file.
        task: the task of the labels.
        labelled: whether a row without `gold_label` is an error.

    Raises: `InputError` if a column is missing, a text is not a string, or a label is
        unknown.
    """
    labels = {label: label for label in task.labels}
    for number, row in FORMATS[_infer_format(path)](path):
        location = f"{path}, row {number}"
        label = None
        if labelled or "gold_label" in row:
            label = _read_label(row, "gold_label", labels, location)
        yield make_pair(row, number, location)._replace(label=label)


def make_pair(row: Mapping, number: int, location: str) -> Example:
    """Returns the unlabelled `Example` of a row with `sentence1` and `sentence2`.

    Args:
        row: `{column: value}`.
        number: row number.
        location: file and row for error messages.
    """
    names = ("sentence1", "sentence2")
    return Example(
        texts=tuple(_read_text(row, name, location) for name in names),
        label=None,
        id=to_id(row.get("pairID")),
        group=to_id(row.get("genre")),
        parses=_collect_parses(row.get(f"{name}_binary_parse") for name in names),
        row=number,
    )


def read_nli_columns(  # noqa: PLR0913 (settings of the catalogue)
    path: Path | str,
    task: Classification,
    columns: Mapping | None = None,
    labels: Mapping[str, str] | None = None,
    file_format: str | None = None,
    only: Mapping[str, str] | None = None,
) -> Iterator[Example]:
    """Yields an `Example` for every row of a file with the given columns. Rows with the
    labels `-` and `hidden` are unlabelled.

    Args:
        path: the file.
        task: the task of the labels.
        columns: `{field: column}`, which overrides `SNLI_COLUMNS`. The fields are
            `premise`, `hypothesis`, `label`, `id`, `group`, `premise_parse` and
            `hypothesis_parse`. Columns of a file without a header line are numbered
            from 0.
        labels: `{label in the file: label of the task}`; `None` if the file contains
            the labels of the task.
        file_format: a key of `FORMATS`; by default, "table" for `.tsv` and `.txt`
            files, "json lines" for others.
        only: `{column: value}`; rows with other values are skipped.

    Raises: `InputError`: see `read_nli`.
    """
    columns = SNLI_COLUMNS | dict(columns or {})
    labels = labels or {label: label for label in task.labels}
    only = only or {}
    for number, row in FORMATS[file_format or _infer_format(path)](path):
        location = f"{path}, row {number}"
        if not all(
            _read_text(row, name, location) == value for name, value in only.items()
        ):
            continue
        _check_columns(row, columns, location)
        yield Example(
            texts=tuple(
                _read_text(row, columns[name], location) for name in TEXT_FIELDS
            ),
            label=_read_label(row, columns["label"], labels, location),
            id=to_id(row.get(columns.get("id"))),
            group=to_id(row.get(columns.get("group"))),
            parses=_collect_parses(
                row.get(columns.get(f"{name}_parse")) for name in TEXT_FIELDS
            ),
            row=number,
        )


def read_scitail(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every row of a file in one of SciTail's four formats.

    `snli_format` and `predictor_format` are JSON lines with SNLI's keys. `tsv_format`
    and `dgem_format` are tables without a header line. Their columns are premise,
    hypothesis and label; `dgem_format` also has the structure of the hypothesis.
    """
    entailment, other = task.labels
    labels = {"entails": entailment, "entailment": entailment, "neutral": other}
    if read_first_line(path).startswith("{"):
        yield from read_nli_columns(path, task, labels=labels, file_format="json lines")
        return
    columns = {"premise": 0, "hypothesis": 1, "label": 2}
    yield from read_nli_columns(path, task, columns, labels, "table without header")


def read_json_rows(
    lines: Iterable[tuple[int, str]], path: Path | str
) -> Iterator[tuple[int, dict]]:
    """Yields `(row number, dictionary)` of numbered JSON lines.

    Empty lines are skipped and not counted.

    Args:
        lines: numbered lines.
        path: the file, for error messages.

    Raises: `InputError` if a line is not a JSON object, or has a duplicate key.
    """
    count = 0
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_make_object)
        except LookupError as error:
            raise InputError(f"{path}, line {number}: {error}") from error
        except (ValueError, RecursionError) as error:
            reason = str(error) or type(error).__name__
            raise InputError(f"{path}, line {number}: not JSON: {reason}") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: not a JSON object")
        count += 1
        yield count, row


def read_json_file(path: Path | str) -> Iterator[tuple[int, dict]]:
    """Yields `(row number, dictionary)` of a JSON lines file, see `read_json_rows`."""
    return read_json_rows(read_lines(path), path)


def _make_object(pairs):
    """Returns the dictionary of a JSON object; raises `LookupError` for a duplicate
    key."""
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        duplicate = next(key for key in keys if keys.count(key) > 1)
        raise LookupError(f"duplicate key {duplicate[:40]!r}")
    return row


def read_table_rows(
    lines: Iterable[tuple[int, str]], path: Path | str
) -> Iterator[tuple[int, dict]]:
    """Yields `(row number, dictionary)` of numbered tab-separated lines with a header
    line.

    Fields may be missing at the end of a line.

    Args:
        lines: numbered lines.
        path: the file, for error messages.
    """
    rows = split_tabs(lines, keep_empty=False)
    return read_named_columns(rows, path, ("sentence1", "sentence2"), ragged=True)


def _infer_format(path):
    """Returns the key of `FORMATS` that belongs to the suffix of a file."""
    return "table" if get_suffix(path) in (".tsv", ".txt") else "json lines"


def _read_table_without_header(path):
    """Yields `(row number, {column number: text})` of a table without a header line.
    All rows must have the same number of fields."""
    columns = None
    for number, fields in split_tabs(read_lines(path)):
        if columns is None:
            columns = len(fields)
        if len(fields) != columns:
            raise InputError(
                f"{path}, line {number}: expected {columns} fields, as in line 1. "
                f"Received: {len(fields)}"
            )
        yield number, dict(enumerate(fields))


def _read_unquoted_table(path):
    return read_table_rows(read_lines(path), path)


FORMATS = {
    "json lines": read_json_file,
    "table": _read_unquoted_table,
    "quoted table": read_quoted_rows,
    "table without header": _read_table_without_header,
}


def _check_columns(row, columns, location):
    for field, column in columns.items():
        if column not in row and field not in OPTIONAL_FIELDS:
            name = column if isinstance(column, str) else f"column {column + 1}"
            raise InputError(f"{location}: '{name}' ({field}) is missing")


def _read_text(row, column, location):
    text = row.get(column)
    if not isinstance(text, str):
        problem = "is missing" if column not in row else "must be text"
        raise InputError(f"{location}: '{column}' {problem}")
    return text


def _read_label(row, column, labels, location):
    if isinstance(row.get(column), int):  # from a Hugging Face data set
        raise InputError(
            f"{location}: '{column}' is a number without a name. Name the numbers of "
            "the data set with cast_column('label', ClassLabel(names=[...])), or use "
            "'data.corpus: own' and 'data.labels: [0, 1, 2]'"
        )
    label = _read_text(row, column, location)
    if label in NO_LABEL:
        return None
    if label not in labels:
        raise InputError(
            f"{location}: unknown label {label[:40]!r}. Known: {', '.join(labels)}, "
            f"and {', '.join(NO_LABEL)} for unlabelled rows"
        )
    return labels[label]


def _collect_parses(parses: Iterable) -> tuple[str, ...] | None:
    """Returns the parses as a tuple, or `None` if any parse is missing."""
    parses = tuple(parses)
    if all(isinstance(parse, str) for parse in parses):
        return parses
    return None
