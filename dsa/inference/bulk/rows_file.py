"""The rows of an input, checked and all in one form, so that a job can begin anywhere.

A file has one row a line, an `Example` as JSON.
"""

import itertools
import json
from typing import NamedTuple

from dsa.data.corpora.example import Example
from dsa.errors import InputError


class Shard(NamedTuple):
    """Some rows that follow each other.

    Attributes:
        begin: the byte of the file where they begin.
        first: the number of rows before them.
        rows: their number.
    """

    begin: int
    first: int
    rows: int


def write_rows(path, examples, shard_rows):
    """Write rows to a file, in constant memory.

    Args:
        path: the file.
        examples: an iterable of `Example`.
        shard_rows: rows of a shard. It has more only where the rows at its end are of
            one group: the answers to a question stay together.

    Returns: a list of `Shard`.
    """
    shards, begin, first, count, last = [], 0, 0, 0, None
    with open(path, "wb") as file:
        for example in examples:
            together = example.group is not None and example.group == last
            if count >= shard_rows and not together:
                shards.append(Shard(begin, first, count))
                begin, first, count = file.tell(), first + count, 0
            file.write(json.dumps(example).encode() + b"\n")
            count, last = count + 1, example.group
    return [*shards, Shard(begin, first, count)]


def read_rows(path, shard):
    """The rows of a `Shard`, a list of `Example`.

    Raises: `InputError` for a file that is not as `write_rows` wrote it.
    """
    with open(path, "rb") as file:
        file.seek(shard.begin)
        try:
            rows = [json.loads(line) for line in itertools.islice(file, shard.rows)]
            examples = [_make_example(*row) for row in rows]
        except (ValueError, TypeError) as error:
            raise InputError(f"{path}: damaged: {error}") from error
    if len(examples) != shard.rows:
        raise InputError(f"{path}: damaged: it is cut")
    return examples


def _make_example(texts, label, name, group, parses, line):
    return Example(tuple(texts), label, name, group, parses and tuple(parses), line)
