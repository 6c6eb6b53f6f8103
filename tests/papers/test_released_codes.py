"""What differs from the released codes is what the configs say."""

import shutil
from pathlib import Path

import pytest

from dsa.errors import InputError
from dsa.experiment.run_names import flatten
from dsa.experiment.yaml_file import load_experiment
from dsa.papers.readme_tables import fill_tables
from dsa.papers.released.table import CODES, write_code_table

CHECKOUT = Path(__file__).resolve().parents[2]
PAIRS = {name: code for name, code in CODES.items() if code.released}


@pytest.mark.parametrize("name", PAIRS)
def test_both_forms_differ_only_in_what_the_table_lists(name):
    code = PAIRS[name]
    ours, released = (
        flatten(load_experiment(CHECKOUT / "configs" / file).model_dump())
        for file in (code.config, code.released)
    )
    differing = {key for key in ours | released if ours.get(key) != released.get(key)}
    listed = {d.setting for d in code.differences if d.setting}
    assert differing == listed


def test_every_released_form_has_its_table():
    files = (CHECKOUT / "configs").rglob("*_released.yaml")
    forms = {file.relative_to(CHECKOUT / "configs").as_posix() for file in files}
    assert forms == {code.released for code in PAIRS.values()}


@pytest.mark.parametrize("name", CODES)
def test_a_difference_has_a_setting_or_says_what_is_done_here(name):
    for difference in CODES[name].differences:
        assert (difference.setting is None) != (difference.here is None)


def test_the_committed_page_is_that_of_the_configs():
    text = (CHECKOUT / "docs" / "released_codes.md").read_text(encoding="utf-8")
    assert fill_tables(text, CHECKOUT) == text
    for name in CODES:
        assert f"<!-- table: {name} -->" in text


def test_a_released_form_that_does_otherwise_is_an_error(tmp_path):
    shutil.copytree(CHECKOUT / "configs" / "snli", tmp_path / "configs" / "snli")
    config = tmp_path / "configs" / "snli" / "esim_released.yaml"
    config.write_text(config.read_text().replace("max_tokens: 99", "max_tokens: 98"))
    message = r"'training.max_tokens' is 98, in the released code 99"
    with pytest.raises(InputError, match=message):
        write_code_table("released-esim", tmp_path)
