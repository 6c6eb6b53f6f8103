"""Reads the tables of papers from `configs/tables/*.yaml`.

A file has the section `tables`, `{name: table}`, and optionally the section `shared`
with YAML anchors for several tables. A table has the fields of `Table`, with two kinds
of rows. `paper_rows` maps models of the paper's table, named as in `paper_results.csv`,
to the fields of their rows. The table contains every model of the paper's table in the
order of the paper, including models that are not in `paper_rows`. `rows` are additional
rows below the rows of the paper.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.papers.paper_numbers import Source
from dsa.papers.presets import FULL, PRESETS_FILE, TABLES_FOLDER, load_presets
from dsa.papers.table import METRICS, Measure, Row, Table
from dsa.system.folders import find_bundled

FILE_ORDER = ("dsa_2017.yaml", "disan_2018.yaml", "aesim_2019.yaml", "abcnn_2016.yaml")


@functools.cache
def load_tables() -> dict[str, Table]:
    """Returns the tables of all files by name, the tables of `FILE_ORDER` first.

    Raises: `ValueError` if two tables have the same name.
    """
    folder = find_bundled() / TABLES_FOLDER
    paths = [folder / name for name in FILE_ORDER]
    for path in sorted(folder.glob("*.yaml")):
        if path not in paths and path.name != PRESETS_FILE:
            paths.append(path)
    return read_tables(paths)


def read_tables(paths: list[Path]) -> dict[str, Table]:
    """Returns the tables of several files by name.

    Raises: `ValueError` if two tables have the same name.
    """
    tables: dict[str, Table] = {}
    for path in paths:
        content = parse_yaml(path.read_text(encoding="utf-8"), path)
        for name, fields in content["tables"].items():
            if name in tables:
                raise ValueError(f"{path}: two tables have the name '{name}'")
            tables[name] = build_table(fields)
    return tables


def build_table(fields: Mapping[str, Any]) -> Table:
    """Builds a `Table` from the fields of a YAML file.

    Raises: `ValueError` if `paper_rows` is used without `source`, or contains a name
        that is not in the paper's table.
    """
    fields = dict(fields)
    source_fields = fields.pop("source", None)
    paper_rows = fields.pop("paper_rows", {})
    other_rows = fields.pop("rows", {})
    measures = fields.pop("measures")
    notes = fields.pop("notes", ())
    own_models = fields.pop("own_models", ())
    if paper_rows and source_fields is None:
        raise ValueError(
            f"`paper_rows` requires `source`. Received: {', '.join(paper_rows)}"
        )
    source = None
    rows = []
    if source_fields is not None:
        source = Source(**source_fields)
        rows = _list_paper_rows(source, paper_rows)
    rows += [Row(name, **row) for name, row in other_rows.items()]
    return Table(
        rows=tuple(rows),
        measures=tuple(_build_measure(measure) for measure in measures),
        source=source,
        notes=tuple(notes),
        own_models=tuple(own_models),
        **fields,
    )


def _build_measure(fields: Mapping[str, Any]) -> Measure:
    return Measure(
        name=fields["name"],
        splits=tuple(fields["splits"]),
        paper_split=fields.get("paper_split"),
        compared=fields.get("compared", True),
        metric=METRICS[fields.get("metric", "accuracy")],
    )


def _list_paper_rows(source: Source, rows: Mapping[str, Any]) -> list[Row]:
    """Returns a row for each model of a paper's table, in the order of the paper."""
    models = dict.fromkeys(number.model for number in source.read_numbers())
    for name in rows:
        if name not in models:
            raise ValueError(
                f"`paper_rows` must be names from {source.paper}, {source.table}. "
                f"Received: '{name}'"
            )
    return [Row(model, **rows.get(model, {}), in_paper=True) for model in models]


def find_table(name: str) -> Table:
    """Returns a table by name.

    Raises: `InputError` if no table has this name.
    """
    tables = load_tables()
    if name not in tables:
        raise InputError(f"unknown table '{name}'. Known: {', '.join(tables)}")
    return tables[name]


def list_presets() -> tuple[str, ...]:
    """Returns the names of all presets, including presets of single tables."""
    names = [FULL, *load_presets()]
    for table in load_tables().values():
        names += table.presets
    return tuple(dict.fromkeys(names))
