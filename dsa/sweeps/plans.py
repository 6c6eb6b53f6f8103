"""Runs that are planned."""

import json


def assignments(overrides):
    """Overrides as the arguments of `--set`."""
    return [
        f"{key}={value if isinstance(value, str) else json.dumps(value)}"
        for key, value in overrides.items()
    ]
