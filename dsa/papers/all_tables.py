"""Every table by its name. A paper's file of tables is one entry of `FILES`."""

from dsa.errors import InputError
from dsa.papers import abcnn_2016, aesim_2019, disan_2018, dsa_2017, project_tables
from dsa.papers.paper_table import Table
from dsa.papers.presets import PRESETS

FILES = (  # each has `TABLES`, `{name: Table}`
    dsa_2017,
    disan_2018,
    aesim_2019,
    abcnn_2016,
    project_tables,
)


def collect_tables(files) -> dict[str, Table]:
    """Returns the tables of all files by name.

    Raises: `ValueError` for a name that two tables have.
    """
    tables = {}
    for file in files:
        for name, table in file.TABLES.items():
            if name in tables:
                raise ValueError(f"Two tables have the name '{name}'")
            tables[name] = table
    return tables


TABLES = collect_tables(FILES)


def table_named(name: str) -> Table:
    """Returns the table of a name.

    Raises: `InputError` for an unknown name.
    """
    if name not in TABLES:
        raise InputError(f"unknown table '{name}'. Known: {', '.join(TABLES)}")
    return TABLES[name]


def list_presets() -> tuple[str, ...]:
    """Returns the presets of all corpora, and those that single tables add."""
    own = [preset for table in TABLES.values() for preset in table.presets]
    return tuple(dict.fromkeys([*PRESETS, *own]))
