import pathlib
import shutil

import pytest
import yaml

from dsa.errors import InputError
from tools.docs_tables.code_tables import write_first_run_output
from tools.docs_tables.paper_tables import HEADLINES, write_headline_table

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def checkout(tmp_path):
    """A copy of the results and configs that the table is made from."""
    shutil.copytree(CHECKOUT / "configs", tmp_path / "configs")
    for headline in HEADLINES:
        folder = pathlib.Path("results", headline.result)
        shutil.copytree(CHECKOUT / folder, tmp_path / folder)
    return tmp_path


def read_rows(checkout=CHECKOUT):
    table = write_headline_table(checkout)
    return {line.split(" | ")[0].lstrip("| "): line for line in table.splitlines()[2:]}


def change(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_each_paper_has_one_row_with_its_own_number():
    rows = read_rows()
    assert list(rows) == [headline.paper for headline in HEADLINES]
    for paper, number in {
        "DSA (Im & Cho 2017)": "86.3 %",
        "DiSAN (Shen et al. 2018)": "85.62 %",
        "ESIM (Chen et al. 2017)": "87.3 %, reported in aESIM (Li et al. 2019)",
        "aESIM (Li et al. 2019)": "88.1 %",
    }.items():
        assert rows[paper].split(" | ")[1] == number


def test_every_row_of_partial_data_says_so():
    assert all("partial" in row for row in read_rows().values())


def test_our_numbers_come_from_the_runs(checkout):
    name = "DSA (Im & Cho 2017)"
    assert "| 76.55 % +- 0.43 |" in read_rows(checkout)[name]
    metrics = checkout / "results/snli/dsa_partial/metrics.json"
    change(metrics, "0.7654948181263971", "0.5")
    assert "| 50.00 % +- 0.43 |" in read_rows(checkout)[name]


def test_whole_data_and_published_settings_have_no_caveat_but_the_seed(checkout):
    run = checkout / "results/models/disan"
    caveat = read_rows(checkout)["DiSAN (Shen et al. 2018)"]
    assert "2,500 steps (published: 400,000), 50-d vectors (published: 300-d)" in caveat
    change(run / "environment.json", '"train": 40000', '"train": 549367')
    change(run / "environment.json", '"steps": 2500', '"steps": 400000')
    change(run / "config.yaml", "units: 50\n", "units: 300\n")
    row = read_rows(checkout)["DiSAN (Shen et al. 2018)"]
    assert row.endswith("| 549,367 pairs, 100 % | 400,000 steps, seed 13 |")


def test_a_missing_run_is_an_error(checkout):
    shutil.rmtree(checkout / "results/models/esim")
    with pytest.raises(InputError, match="no results below .*models/esim"):
        write_headline_table(checkout)


def test_the_configs_of_the_rows_have_the_models_of_the_runs():
    for headline in HEADLINES:
        ours, published = (
            yaml.safe_load(path.read_text(encoding="utf-8"))["model"]["name"]
            for path in (
                CHECKOUT / "results" / headline.result / "config.yaml",
                CHECKOUT / "configs" / headline.config,
            )
        )
        assert ours == published


def test_the_output_of_the_first_run_is_that_of_evaluate_and_of_the_makefile():
    fence, heading, accuracy, _, last, end = write_first_run_output(
        CHECKOUT
    ).splitlines()
    assert fence == end == "```"
    assert heading.startswith("test: mini/test.jsonl, 1,002 rows")
    assert accuracy.startswith("  accuracy  ") and "(standard error)" in accuracy
    assert f'@echo "{last}"' in (CHECKOUT / "Makefile").read_text(encoding="utf-8")
