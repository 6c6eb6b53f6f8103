"""Tab-separated columns below a header line, without quoting."""

from dsa.data.corpora.files import read_lines
from dsa.data.corpora.texts import refuse_unreadable
from dsa.errors import InputError


def columns_of(path, wanted):
    """Yield `(line number, {column: text})` of a file, the wanted columns alone.

    Args:
        path: the file, also gzipped.
        wanted: the columns' names in the header line.

    Raises: `InputError` with file, line and reason for a header without one of them, a
        row with another number of fields, and a file without any row.
    """
    header, number = None, 1
    for number, line in read_lines(path):
        fields = line.split("\t")
        place = f"{path}, line {number}"
        if header is None:
            header = fields
            missing = [name for name in wanted if header.count(name) != 1]
            if missing:
                raise InputError(
                    f"{place}: a header line that names the column {missing[0]} once "
                    f"is needed. Received: {line[:80]!r}"
                )
            continue
        if len(fields) != len(header):
            raise InputError(
                f"{place}: {len(fields)} fields, but the header names {len(header)}"
            )
        refuse_unreadable(line, place)
        row = dict(zip(header, fields, strict=True))
        yield number, {name: row[name] for name in wanted}
    if number < 2:
        raise InputError(f"{path}: no rows")
