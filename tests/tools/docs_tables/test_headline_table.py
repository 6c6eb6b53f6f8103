import json
import math
import pathlib
import shutil

import pytest
import yaml

from dsa.errors import InputError
from dsa.system.reading import read_json_object
from tools.docs_tables.code_tables import FIRST_RUNS, write_first_run_output
from tools.docs_tables.paper_tables import HEADLINES, write_headline_table
from tools.docs_tables.run_records import read_results

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
    *_, fence, heading, accuracy, _, last, end = write_first_run_output(
        CHECKOUT
    ).splitlines()
    assert fence == end == "```"
    assert heading.startswith("test: mini/test.jsonl, 1,002 rows")
    assert accuracy.startswith("  accuracy  ") and "(standard error)" in accuracy
    assert f'@echo "{last}"' in (CHECKOUT / "Makefile").read_text(encoding="utf-8")


def test_the_accuracy_of_a_first_run_is_a_range_over_seeds_and_processors(checkout):
    for folder in FIRST_RUNS:
        for number, run in enumerate((CHECKOUT / "results" / folder).iterdir()):
            copy = checkout / "results" / folder / run.name
            shutil.copytree(run, copy, dirs_exist_ok=True)
            record = json.loads((copy / "metrics.json").read_text(encoding="utf-8"))
            share = 0.5 + number / 8 if "avx512" in folder else 0.625
            record["evaluations"][-1]["accuracy"] = share
            (copy / "metrics.json").write_text(json.dumps(record), encoding="utf-8")
    text = write_first_run_output(checkout)
    assert "with seeds 13 to 15, on processors with AVX2 and with AVX-512," in text
    assert "its accuracy was 50.0 to 75.0 %:\n" in text


def test_each_first_run_was_trained_on_its_kind_of_processor():
    for folder, kind in FIRST_RUNS.items():
        for run in read_results(CHECKOUT / "results" / folder):
            has_avx512 = "avx512f" in run["environment"]["vector_extensions"]
            assert has_avx512 == (kind == "with AVX-512")


def test_make_train_says_the_minutes_that_were_measured():
    record = read_json_object(CHECKOUT / "results/benchmarks/first_run.json")
    minutes = {
        part: math.ceil(figures["seconds"]["median"] / 60)
        for part, figures in record["figures"].items()
    }
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    size = f"{record['installed_bytes'] / 1e9:.0f} GB"
    installs = f"{size}: about {minutes['installing']} minute"
    assert f'echo "Installs into $(VENV), {installs}' in makefile
    trains = f"about {minutes['training']} minute"
    assert f'echo "Trains and evaluates: {trains}' in makefile
    assert f"on {['', 'one core', 'two cores'][record['cores']]}" in makefile
