"""The listed differences from released code match the configs."""

import shutil
from pathlib import Path

import pytest

from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.runs.run_names import flatten
from tools.docs_tables.code_tables import (
    RELEASED,
    read_differences,
    write_code_table,
)
from tools.docs_tables.pages import find_pages

CHECKOUT = Path(__file__).resolve().parents[3]
PAIRS = {name: files for name, files in RELEASED.items() if len(files) > 1}


@pytest.mark.parametrize("name", PAIRS)
def test_both_variants_differ_only_in_the_listed_settings(name):
    ours, released = (
        flatten(load_experiment(CHECKOUT / "configs" / file).model_dump())
        for file in PAIRS[name]
    )
    differing = {key for key in ours | released if ours.get(key) != released.get(key)}
    rows = read_differences(CHECKOUT)[name]
    listed = {row["setting"] for row in rows if row["setting"]}
    assert differing == listed


def test_every_released_form_has_its_table():
    files = (CHECKOUT / "configs").rglob("*_released.yaml")
    forms = {file.relative_to(CHECKOUT / "configs").as_posix() for file in files}
    assert forms == {released for _, released in PAIRS.values()}


def test_every_code_has_its_configs_and_its_differences():
    assert list(read_differences(CHECKOUT)) == list(RELEASED)


@pytest.mark.parametrize("row", ["a,b,c,,,", "a,b,c,model.x,1,d"])
def test_a_difference_has_a_setting_or_a_description(row, tmp_path):
    (tmp_path / "docs").mkdir()
    text = f"table,what,code,setting,value,here\n{row}\n"
    (tmp_path / "docs/released_codes.csv").write_text(text)
    with pytest.raises(InputError, match="a, b: expected either 'setting' or 'here'"):
        read_differences(tmp_path)


def test_every_code_has_its_table_on_one_page():
    pages = "".join(page.read_text("utf-8") for page in find_pages(CHECKOUT))
    for name in RELEASED:
        assert pages.count(f"<!-- table: {name} -->") == 1


def test_a_released_form_that_does_otherwise_is_an_error(tmp_path):
    shutil.copytree(CHECKOUT / "configs" / "snli", tmp_path / "configs" / "snli")
    (tmp_path / "docs").mkdir()
    shutil.copy(CHECKOUT / "docs/released_codes.csv", tmp_path / "docs")
    config = tmp_path / "configs" / "snli" / "esim_released.yaml"
    config.write_text(config.read_text().replace("max_tokens: 99", "max_tokens: 98"))
    message = (
        r"expected 'training.max_tokens: 99' as in the released code. Received: 98"
    )
    with pytest.raises(InputError, match=message):
        write_code_table("released-esim", tmp_path)
