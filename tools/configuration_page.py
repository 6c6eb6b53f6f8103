"""Generate `docs/configuration.md`, the reference of all settings, from the schema.

python tools/configuration_page.py
"""

import json
from pathlib import Path

from pydantic import BaseModel

from dsa.data.corpora.catalogue import CORPORA
from dsa.experiment.config import Experiment
from dsa.experiment.data_config import DataConfig, find_options
from dsa.experiment.data_parts import (
    ColumnsConfig,
    FoldsConfig,
    MixConfig,
    ScoresConfig,
)
from dsa.experiment.input_config import EmbeddingConfig, FeaturesConfig, TokenizerConfig
from dsa.experiment.optimizer_config import (
    AdadeltaConfig,
    AdagradConfig,
    AdamConfig,
    AdamWConfig,
    SGDConfig,
)
from dsa.experiment.schedule_config import (
    CosineDecay,
    DecayAndDivide,
    HalveAndReload,
    HalveEvery,
    HalveOnPlateau,
    LinearDecay,
)
from dsa.experiment.training_config import TrainingConfig
from dsa.models.classifiers.config import ClassifierConfig
from dsa.models.registry import FAMILIES
from dsa.system.text_tables import format_markdown_table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "configuration.md"
HEADER = ["key", "values", "default", "meaning"]
INTRODUCTION = """# Settings

This page shows how to set everything in an experiment: its keys, values and defaults.

    dsa train configs/snli/dsa.yaml --set model.alpha=0 training.epochs=5

A YAML file describes an experiment. An unknown key, a value of a wrong type and an
impossible value stop the run before any data is read. Paths are relative to the data
root. `--set section.key=value` changes a setting on the command line. This page is
generated from the schema by `python tools/configuration_page.py`.

A file can inherit the settings of another file, whose path is relative to its folder:

    base: ../snli/dsa.yaml
    model: {alpha: 0}

Sections are merged key by key. A section with a different `name`, such as another
`model`, replaces the section of the base completely. A base can have a base, too. The
config of a run contains the merged settings, without `base`.
"""
OPTIMIZERS = (AdamConfig, AdamWConfig, AdadeltaConfig, AdagradConfig, SGDConfig)
SCHEDULES = (
    HalveOnPlateau,
    HalveAndReload,
    DecayAndDivide,
    HalveEvery,
    LinearDecay,
    CosineDecay,
)
BOUNDS = {"ge": "at least {}", "gt": "above {}", "le": "at most {}", "lt": "below {}"}
TYPES = {"string": "text", "object": "a mapping", "null": "`null`"}


def page():
    """Returns the page as Markdown."""
    parts = [INTRODUCTION, _section("the file", Experiment)]
    for title, section in (
        ("data", DataConfig),
        ("data.columns", ColumnsConfig),
        ("data.scores", ScoresConfig),
        ("data.mix", MixConfig),
        ("data.folds", FoldsConfig),
        ("tokenizer", TokenizerConfig),
        ("embedding", EmbeddingConfig),
        ("features", FeaturesConfig),
        ("training", TrainingConfig),
    ):
        parts.append(_section(f"`{title}`", section))
        if title == "data":
            parts += _corpus_sections()
    for section in OPTIMIZERS:
        parts.append(_section(f"`training.optimizer: {_name(section)}`", section))
    for section in SCHEDULES:
        parts.append(_section(f"`training.schedule: {_name(section)}`", section))
    for name, family in FAMILIES.items():
        parts.append(_section(f"`model.name: {name}`", family.config))
    parts += [_section(title, section) for title, section in _classifiers()]
    return "\n".join(parts)


def _corpus_sections():
    """Yields the section of each corpus with options."""
    for corpus in CORPORA:
        options = find_options(corpus)
        if options:
            yield _section(f"`data.options` of `corpus: {corpus}`", options)


def _classifiers():
    """Yields the title and schema of each classifier over sentence vectors.

    The titles of model-specific classifiers contain the names of the models.
    """
    models = {}
    for name, family in FAMILIES.items():
        field = family.config.model_fields.get("classifier")
        if field:
            models.setdefault(field.annotation, []).append(f"`{name}`")
    for section, names in models.items():
        title = "`model.classifier`"
        if section is not ClassifierConfig:
            title += f" of {', '.join(names)}"
        yield title, section


def _section(title, section):
    """Returns a section of the page: description and table of a config class."""
    schema = section.model_json_schema()
    rows = [
        [
            f"`{key}`",
            ", ".join([_values(entry), *_bounds(section.model_fields[key])]),
            _default(section.model_fields[key]),
            entry.get("description", ""),
        ]
        for key, entry in schema["properties"].items()
    ]
    text = " ".join((section.__doc__ or "").split())
    return f"## {title}\n\n{text}\n\n{format_markdown_table(HEADER, rows)}\n"


def _name(section):
    return section.model_fields["name"].annotation.__args__[0]


def _values(entry):
    """Describes the accepted values of a key from its JSON schema."""
    if "anyOf" in entry:
        return " or ".join(_values(choice) for choice in entry["anyOf"])
    if "enum" in entry:
        return ", ".join(f"`{value}`" for value in entry["enum"])
    if "const" in entry:
        return f"`{entry['const']}`"
    return TYPES.get(entry.get("type"), entry.get("type", "a section"))


def _bounds(field):
    """Yields the bounds of a number. The JSON schema lacks the bounds of floats."""
    items = list(field.metadata)
    for choice in getattr(field.annotation, "__args__", ()):
        items += getattr(choice, "__metadata__", ())
    for item in items:
        for rule in getattr(item, "metadata", [item]):
            for name, text in BOUNDS.items():
                if getattr(rule, name, None) is not None:
                    yield text.format(getattr(rule, name))


def _default(field):
    if field.is_required():
        return "needed"
    value = field.default
    if isinstance(value, BaseModel):
        return f"`name: {value.name}`" if hasattr(value, "name") else ""
    return f"`{json.dumps(value)}`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
