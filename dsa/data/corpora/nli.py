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

from dsa.data.corpora.columns import read_named_columns, read_quoted_rows, split_tabs
from dsa.data.corpora.example import Example, to_id
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
    """Yields an `Example` for every row of SNLI's or MultiNLI's `.jsonl` or `.txt`.
    Labels are the task's, `-` and `hidden`; `labelled`: whether a row without
    `gold_label` is an error."""
    labels = {label: label for label in task.labels}
    for number, row in FORMS[_guess_form(path)](path):
        place, label = f"{path}, row {number}", None
        if labelled or "gold_label" in row:
            label = _read_label(row, "gold_label", labels, place)
        yield make_pair(row, number, place)._replace(label=label)


def make_pair(row: Mapping, number: int, place: str) -> Example:
    """Returns the `Example` of a row with `sentence1` and `sentence2`, its label left
    out. `place`: file and row, for errors."""
    names = ("sentence1", "sentence2")
    return Example(
        texts=tuple(_read_text(row, name, place) for name in names),
        label=None,
        id=to_id(row.get("pairID")),
        group=to_id(row.get("genre")),
        parses=_whole(row.get(f"{name}_binary_parse") for name in names),
        row=number,
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
        path, task: as every reader.
        columns: `{what: column}` of `premise`, `hypothesis`, `label`, and as far as
            there are any `id`, `group`, `premise_parse`, `hypothesis_parse`; those that
            differ from SNLI's. Of a file without a header line columns are numbers from
            0.
        labels: `{the file's word: the task's label}`; `None` where they are the same.
        form: a key of `FORMS`; `None` for JSON lines, and for a table with a header
            line if the name ends in `.tsv` or `.txt`.
        only: `{column: value}` that a row must have; others are left out.
    """
    columns = SNLI_COLUMNS | dict(columns or {})
    labels = labels or {label: label for label in task.labels}
    for number, row in FORMS[form or _guess_form(path)](path):
        place = f"{path}, row {number}"
        wanted = (only or {}).items()
        if any(_read_text(row, name, place) != value for name, value in wanted):
            continue
        _check_columns(row, columns, place)
        yield Example(
            texts=tuple(_read_text(row, columns[name], place) for name in TEXTS),
            label=_read_label(row, columns["label"], labels, place),
            id=to_id(row.get(columns.get("id"))),
            group=to_id(row.get(columns.get("group"))),
            parses=_whole(row.get(columns.get(f"{name}_parse")) for name in TEXTS),
            row=number,
        )


def read_json_rows(
    lines: Iterable[tuple[int, str]], path: Path | str
) -> Iterator[tuple[int, dict]]:
    """Yields `(row number, dictionary)` of numbered JSON lines. Empty lines are left
    out and are no rows."""
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
    """Yields `(row number, dictionary)` of the JSON lines of a file."""
    return read_json_rows(read_lines(path), path)


def _make_object(pairs):
    """A JSON object, which must not have two values of one key."""
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise LookupError(f"the key {twice[:40]!r} is given twice")
    return row


def read_table_rows(
    lines: Iterable[tuple[int, str]], path: Path | str
) -> Iterator[tuple[int, dict]]:
    """Yields `(row number, dictionary)` of numbered tab-separated lines, of which the
    first one names the columns. Fields can be missing at the end of a line."""
    rows = split_tabs(lines, keep_empty=False)
    return read_named_columns(rows, path, ("sentence1", "sentence2"), ragged=True)


def _guess_form(path):
    suffix = Path(str(path).removesuffix(".gz")).suffix
    return "table" if suffix in (".tsv", ".txt") else "json lines"


def _read_bare_table(path):
    """Rows of a table without a header line, fields by number; all of one length."""
    count = None
    for line, fields in split_tabs(read_lines(path)):
        count = count or len(fields)
        if len(fields) != count:
            raise InputError(
                f"{path}, line {line}: {len(fields)} fields, but line 1 has {count}"
            )
        yield line, dict(enumerate(fields))


FORMS = {
    "json lines": read_json_file,
    "table": lambda path: read_table_rows(read_lines(path), path),  # without quoting
    "quoted table": read_quoted_rows,
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


def _whole(parses: Iterable) -> tuple[str, ...] | None:
    """The parses, or `None` if one is missing."""
    whole = tuple(parse for parse in parses if isinstance(parse, str))
    return whole if len(whole) == len(TEXTS) else None
