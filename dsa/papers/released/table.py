"""The tables of what differs from the released codes, with the settings that make it
differ."""

import functools
import json
from pathlib import Path

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.papers.released import baselines, bcnn, disan, esim
from dsa.system.text_tables import markdown_table

CODES = {**esim.CODES, **disan.CODES, **bcnn.CODES, **baselines.CODES}


def write_code_table(name, checkout):
    """What differs for one of `CODES`, as a Markdown table; our values are read from
    the configs.

    Args:
        name: of the code.
        checkout: the folder that holds `configs/`.

    Raises: `InputError` for a config of the released form whose setting is another one
        than the code's.
    """
    code = CODES[name]
    configs = [file for file in (code.config, code.released) if file]
    experiments = [load_experiment(Path(checkout, "configs", file)) for file in configs]
    lines = []
    for difference in code.differences:
        cells = [difference.here] * len(experiments)
        if difference.setting:
            values = [_read(e, difference.setting) for e in experiments]
            cells = [f"`{difference.setting}: {_write(value)}`" for value in values]
            if code.released and values[-1] != difference.value:
                raise InputError(
                    f"configs/{code.released}: '{difference.setting}' is {values[-1]}, "
                    f"in the released code {difference.value}"
                )
        lines.append([difference.what, difference.code, *cells])
    names = [f"`{Path(file).name}`" for file in configs]
    return markdown_table(["", "released code", *names], lines)


def _read(experiment, setting):
    return functools.reduce(getattr, setting.split("."), experiment)


def _write(value):
    """A value as in a YAML file."""
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return value if isinstance(value, str) else json.dumps(value)
