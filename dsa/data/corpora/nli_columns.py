"""Corpora of natural-language inference whose files name columns and labels otherwise
than SNLI's: a corpus says which column is what, and what its labels mean.

The catalogue has the columns of each corpus. Their formats are described by:

- Breaking NLI: README of https://github.com/BIU-NLP/Breaking_NLI ("Fields")
- HANS: README of https://github.com/tommccoy1/hans ("Data")
- stress tests: https://abhilasharavichander.github.io/NLI_StressTest/, the files of
  MultiNLI's own format
- CAD: https://github.com/acmi-lab/counterfactually-augmented-data, NLI/*/test.tsv
- ANLI: https://github.com/facebookresearch/anli, src/dataset_tools/format_convert.py
- XNLI: https://github.com/facebookresearch/XNLI; the header of xnli.test.tsv
- SciTail: `tsv_format` of SciTailV1.1.zip, https://allenai.org/data/scitail
"""

from pathlib import Path

from dsa.data.corpora.columns import read_quoted_rows
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.data.corpora.nli import NO_LABEL, read_json_rows, read_table_rows
from dsa.errors import InputError

NLI_COLUMNS = {
    "premise": "sentence1",
    "hypothesis": "sentence2",
    "label": "gold_label",
    "id": "pairID",
}
NLI_PARSES = {
    "premise_parse": "sentence1_binary_parse",
    "hypothesis_parse": "sentence2_binary_parse",
}
TEXTS = ("premise", "hypothesis")
OPTIONAL = ("id", "premise_parse", "hypothesis_parse")


def read_nli_columns(path, task, columns=None, labels=None, form=None, only=None):
    """Yield an `Example` for every row. Rows labelled `-` or `hidden` have no label.

    Args:
        path: the file, also gzipped.
        task: the `Classification`.
        columns: `{what: column}` of `premise`, `hypothesis`, `label`, and as far as
            there are any `id`, `group`, `premise_parse`, `hypothesis_parse`; `None` for
            SNLI's names. Of a file without a header line columns are numbers from 0.
        labels: `{the file's word: the task's label}`; `None` where they are the same.
        form: a key of `FORMS`; `None` for JSON lines, and for a table with a header
            line if the name ends in `.tsv` or `.txt`.
        only: `{column: value}` that a row must have; others are left out.

    Raises: `InputError` with file, line and reason for a malformed row, a missing
        column and an unknown label.
    """
    columns = columns or NLI_COLUMNS
    labels = labels or {label: label for label in task.labels}
    for line, row in FORMS[form or _guess_form(path)](path):
        place = f"{path}, line {line}"
        if any(_read_text(row, name, place) != only[name] for name in only or ()):
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
    parses = tuple(row.get(columns.get(f"{name}_parse")) for name in TEXTS)
    return parses if all(isinstance(parse, str) for parse in parses) else None
