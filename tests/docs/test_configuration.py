"""docs/configuration.md matches the schema."""

import runpy

from dsa.config_section import Section
from dsa.experiment.config import Experiment
from dsa.models.registry import FAMILIES

TOOL = runpy.run_path("tools/configuration_page.py")


def test_the_page_is_current():
    page = TOOL["PAGE"].read_text(encoding="utf-8")
    assert page == TOOL["page"](), "python tools/configuration_page.py writes it"


def sections(section):
    """A section and all sections in it, without the models."""
    yield section
    for field in section.model_fields.values():
        for kind in getattr(field.annotation, "__args__", (field.annotation,)):
            if isinstance(kind, type) and issubclass(kind, Section):
                yield from sections(kind)


def all_sections():
    found = {*sections(Experiment)}
    for family in FAMILIES.values():
        found |= {*sections(family.config)}
    assert len(found) > 20
    return found


def escape_bars(text):
    return text.replace("|", "\\|")


def test_every_setting_is_on_the_page():
    page = TOOL["page"]()
    missing = [
        f"{section.__name__}.{name}"
        for section in all_sections()
        for name, field in section.model_fields.items()
        if field.description
        and not any(
            line.startswith(f"| `{name}` |")
            and line.endswith(f"{escape_bars(field.description)} |")
            for line in page.splitlines()
        )
    ]
    assert missing == []


def test_every_setting_has_a_description():
    silent = [
        f"{section.__name__}.{name}"
        for section in all_sections()
        for name, field in section.model_fields.items()
        if field.description is None
        and name != "name"
        and not any(
            isinstance(kind, type) and issubclass(kind, Section)
            for kind in getattr(field.annotation, "__args__", (field.annotation,))
        )
    ]
    assert silent == []
