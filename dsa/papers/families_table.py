"""The table of all models, made from the registry and the configs."""

from pathlib import Path

from dsa.experiment.yaml_file import load_experiment
from dsa.models.registry import FAMILIES
from dsa.system.text_tables import markdown_table

SHOWN = 2  # configs of a model


def write_families_table(checkout):
    """Every family: its name in a config, its paper, what it is, and configs of it."""
    folder = Path(checkout, "configs")
    configs = {name: [] for name in FAMILIES}
    for path in sorted(folder.rglob("*.yaml")):
        configs[load_experiment(path).model.name].append(path.relative_to(folder))
    rows = [
        [f"`{name}`", family.paper, _name_kind(family), _write_paths(configs[name])]
        for name, family in FAMILIES.items()
    ]
    return markdown_table(["`model.name`", "paper", "kind", "in `configs/`"], rows)


def _name_kind(family):
    if not family.is_network:
        return "linear classifier"
    return "sentence encoder" if family.encodes else "pair model"


def _write_paths(paths):
    """The first configs, those of SNLI before others."""
    first = sorted(paths, key=lambda path: (path.parts[0] != "snli", len(path.name)))
    text = ", ".join(f"`{path.as_posix()}`" for path in first[:SHOWN])
    return f"{text}, ..." if len(paths) > SHOWN else text or "-"
