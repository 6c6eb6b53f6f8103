"""Rows of Parquet files. Nothing else imports pyarrow."""

from dsa.data.corpora.example import Example
from dsa.data.corpora.own import ID
from dsa.errors import InputError
from dsa.system.reading import open_regular

PARQUET = ".parquet"
ROWS_AT_ONCE = 4096


def read_parquet(path, inputs, columns):
    """Yield an `Example` without label for every row. Its line is the row's number,
    from 1.

    Args:
        path: the file.
        inputs: the names of the sentences of a row.
        columns: `{input: column}`, and that of `id` if there is one.

    Raises: `InputError` for a file that is no Parquet, a column that is missing, a
        value that is no text, and without pyarrow.
    """
    pyarrow, parquet = _import_pyarrow()
    try:
        with open_regular(path) as file:
            table = parquet.ParquetFile(file)
            names = table.schema_arrow.names
            for column in columns.values():
                if column not in names:
                    raise InputError(
                        f"{path}: no column {column!r}. There are: "
                        f"{', '.join(map(repr, names))}"
                    )
            yield from _read_batches(table, path, inputs, columns)
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).strip().split("\n")[0]
        raise InputError(f"{path}: no Parquet file, or damaged: {reason}") from error


def _read_batches(table, path, inputs, columns):
    row, wanted = 0, list(dict.fromkeys(columns.values()))
    for batch in table.iter_batches(ROWS_AT_ONCE, columns=wanted):
        values = batch.to_pydict()
        for position in range(batch.num_rows):
            row += 1
            texts = tuple(values[columns[name]][position] for name in inputs)
            for name, text in zip(inputs, texts, strict=True):
                if not isinstance(text, str):
                    raise InputError(
                        f"{path}, line {row}: {columns[name]!r} is no text. Received: "
                        f"{str(text)[:40]}"
                    )
            name = values[columns[ID]][position] if ID in columns else None
            name = None if name is None else str(name)
            yield Example(texts, None, name, None, None, row)


def _import_pyarrow():
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise InputError(
            "Parquet files: pyarrow is not installed. pip install '.[parquet]' "
            "installs it"
        ) from error
    return pyarrow, pyarrow.parquet
