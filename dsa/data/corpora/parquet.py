"""Reader of Parquet files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from dsa.errors import InputError
from dsa.system.extras import naming_errors
from dsa.system.reading import open_regular

PARQUET_SUFFIX = ".parquet"
ROWS_PER_BATCH = 4096


def read_parquet_rows(
    path: Path | str,
    columns: Sequence[str] | None = None,
    optional: Sequence[str] = (),
) -> Iterator[tuple[int, dict]]:
    """Yields `(row number, {column: value})` for each row of a Parquet file.

    Args:
        path: the file.
        columns: names of the columns to read; `None` for all columns.
        optional: names of additional columns to read if the file contains them.

    Raises: `InputError` if the file is damaged, or if a column in `columns` is missing
        or occurs several times.
    """
    from pyarrow import parquet

    with (
        naming_errors(f"{path}: the file is damaged or not a Parquet file"),
        open_regular(path) as file,
    ):
        table = parquet.ParquetFile(file)
        names = table.schema_arrow.names
        columns = names if columns is None else columns
        for column in columns:
            if names.count(column) > 1:
                raise InputError(f"{path}: duplicate column {column!r}")
            if column not in names:
                raise InputError(
                    f"{path}: no column {column!r} (column names are set in the "
                    f"section 'data' or by --columns). Columns: "
                    f"{', '.join(map(repr, names))}"
                )
        present = [name for name in optional if names.count(name) == 1]
        columns = list(dict.fromkeys([*columns, *present]))
        number = 0
        for batch in table.iter_batches(ROWS_PER_BATCH, columns=columns):
            for row in batch.to_pylist():
                number += 1
                yield number, row
