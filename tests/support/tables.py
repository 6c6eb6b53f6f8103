"""Small tables in every input format."""

import io
import json

import pytest


def make_table(rows, suffix):
    """Returns the bytes of a file with the rows, dictionaries with the same keys.
    Suffixes other than "jsonl", "parquet" and "csv" give tab-separated text."""
    if suffix == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if suffix == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        file = io.BytesIO()
        parquet.write_table(pyarrow.Table.from_pylist(rows), file)
        return file.getvalue()
    separator = "," if suffix == "csv" else "\t"
    lines = [[*rows[0]], *(row.values() for row in rows)]
    return "".join(separator.join(fields) + "\n" for fields in lines).encode()
