"""Presets of `dsa reproduce`: named config overrides for each corpus."""

import functools
from typing import Any

from dsa.errors import InputError
from dsa.experiment.strict_yaml import parse_yaml
from dsa.papers.table import Table
from dsa.system.folders import find_bundled

TABLES_FOLDER = "configs/tables"
PRESETS_FILE = "presets.yaml"
FULL = "full"  # published settings of every corpus, without overrides
Settings = dict[str, Any]


@functools.cache
def load_presets() -> dict[str, dict[str, Settings]]:
    """Returns all presets except `FULL`: `{preset: {corpus: overrides}}`."""
    path = find_bundled() / TABLES_FOLDER / PRESETS_FILE
    return parse_yaml(path.read_text(encoding="utf-8"), path)["presets"]


def get_preset_overrides(
    preset: str, corpus: str, table: Table | None = None
) -> Settings:
    """Returns the overrides of a preset for the configs of a corpus.

    Args:
        preset: name of the preset.
        corpus: name of the corpus.
        table: table whose presets take precedence over the presets of the corpus;
            `None` uses only the presets of the corpus.

    Raises: `InputError` if the preset has no overrides for the corpus.
    """
    if table and preset in table.presets:
        return table.presets[preset]
    if preset == FULL:
        return {}
    corpora = load_presets().get(preset, {})
    if corpus not in corpora:
        hint = f" It supports: {', '.join(corpora)}" if corpora else ""
        raise InputError(f"the preset '{preset}' does not support {corpus}.{hint}")
    return corpora[corpus]
