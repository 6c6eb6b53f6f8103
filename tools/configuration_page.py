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
from dsa.experiment.training_config import (
    CosineDecay,
    DecayAndDivide,
    HalveAndReload,
    HalveEvery,
    HalveOnPlateau,
    LinearDecay,
    TrainingConfig,
)
from dsa.models.classifiers.config import ClassifierConfig
from dsa.models.registry import FAMILIES
from dsa.system.text_tables import markdown_table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "configuration.md"
HEADER = ["key", "values", "default", "meaning"]
BEGINNING = """# Settings

This page shows how to set everything in an experiment: its keys, values and defaults.

    dsa train configs/snli/dsa.yaml --set model.alpha=0 training.epochs=5

One YAML file is one experiment. A key that is unknown, a value of a wrong type and an
impossible value stop the run before any data is read. Paths are relative to the data
root. `--set section.key=value` changes a setting on the command line. This page is made
from the schema by `python tools/configuration_page.py`.

A file may name another one, relative to itself, whose settings it takes over:

    base: ../snli/dsa.yaml
    model: {alpha: 0}

Sections are joined key by key; a section whose `name` differs from the base's, such as
a `model`, replaces the base's as a whole. A base may have a base of its own. What a run
keeps is the result, without `base`.
"""
BOUNDS = {"ge": "at least {}", "gt": "above {}", "le": "at most {}", "lt": "below {}"}
KINDS = {"string": "text", "object": "a mapping", "null": "`null`"}


def page():
    """Returns the page as Markdown."""
    parts = [BEGINNING, _section("the file", Experiment)]
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
            for corpus in CORPORA:
                if options := find_options(corpus):
                    title = f"`data.options` of `corpus: {corpus}`"
                    parts.append(_section(title, options))
    for kind, sections in (
        (
            "optimizer",
            (AdamConfig, AdamWConfig, AdadeltaConfig, AdagradConfig, SGDConfig),
        ),
        (
            "schedule",
            (
                HalveOnPlateau,
                HalveAndReload,
                DecayAndDivide,
                HalveEvery,
                LinearDecay,
                CosineDecay,
            ),
        ),
    ):
        for section in sections:
            parts.append(_section(f"`training.{kind}: {_name(section)}`", section))
    for name, family in FAMILIES.items():
        parts.append(_section(f"`model.name: {name}`", family.config))
    parts += [_section(title, section) for title, section in _classifiers()]
    return "\n".join(parts)


def _classifiers():
    """Yields the title and schema of each classifier over sentence vectors. The titles
    of model-specific classifiers list the models."""
    models = {}
    for name, family in FAMILIES.items():
        if field := family.config.model_fields.get("classifier"):
            models.setdefault(field.annotation, []).append(f"`{name}`")
    for section, names in models.items():
        title = "`model.classifier`"
        if section is not ClassifierConfig:
            title += f" of {', '.join(names)}"
        yield title, section


def _section(title, section):
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
    return f"## {title}\n\n{text}\n\n{markdown_table(HEADER, rows)}\n"


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
    return KINDS.get(entry.get("type"), entry.get("type", "a section"))


def _bounds(field):
    """Describes the bounds of a number; the JSON schema lacks the bounds of floats."""
    annotation = field.annotation
    nested = [
        item
        for choice in getattr(annotation, "__args__", ())
        for item in getattr(choice, "__metadata__", ())
    ]
    for item in [*field.metadata, *nested]:
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
