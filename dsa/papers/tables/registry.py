"""Every table by its name. A paper's file of tables is one line in `FILES`."""

from dsa.errors import InputError
from dsa.papers.presets import PRESETS
from dsa.papers.tables import abcnn_2016, aesim_2019, disan_2018, dsa_2017, project

FILES = (  # each has `TABLES`, `{name: Table}`, and `HEADLINES`, a tuple of `Headline`
    dsa_2017,
    disan_2018,
    aesim_2019,
    abcnn_2016,
    project,
)


def collect_tables(files):
    """`{name: Table}` of all files.

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
HEADLINES = tuple(headline for file in FILES for headline in file.HEADLINES)


def table_named(name):
    """The `Table` of a name.

    Raises: `InputError` for an unknown name.
    """
    if name not in TABLES:
        raise InputError(f"unknown table '{name}'. Known: {', '.join(TABLES)}")
    return TABLES[name]


def list_presets():
    """The presets of all corpora, and those that single tables add."""
    own = [preset for table in TABLES.values() for preset in table.presets]
    return tuple(dict.fromkeys([*PRESETS, *own]))
