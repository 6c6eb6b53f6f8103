"""The README's two tables of numbers: models trained alike, and a first run."""

import json
import math
import pathlib
import shutil

import pytest

from dsa.errors import InputError
from dsa.system.reading import read_json_object
from tests.support.kept_answers import unpack_runs
from tools.docs_tables.code_tables import FIRST_RUNS, write_first_run_output
from tools.docs_tables.run_records import read_results
from tools.docs_tables.seed_tables import HEADLINE, write_headline_table
from tools.docs_tables.trained_alike import MODELS

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def checkout(tmp_path):
    """A copy of the results that the table is made from."""
    folders = [f for model in MODELS if model.name in HEADLINE for f in model.runs]
    for folder in [*folders, *(f"convolutions/wikiqa/{name}" for name in CONVOLUTIONS)]:
        unpack_runs(CHECKOUT / "results" / folder, tmp_path / "results" / folder)
    return tmp_path


CONVOLUTIONS = ("bcnn", "abcnn1", "abcnn2", "abcnn3")


def read_rows(checkout=CHECKOUT):
    table = write_headline_table(checkout)
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    return {row.split(" | ")[0].lstrip("| "): row.split(" | ")[1:] for row in rows}


def change_accuracy(run, value):
    record = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    for entry in record["evaluations"]:
        entry["accuracy"] = value
    (run / "metrics.json").write_text(json.dumps(record), encoding="utf-8")


def test_models_of_a_part_of_snli_stand_without_their_papers_numbers():
    first, sentence, second = write_headline_table(CHECKOUT).split("\n\n")
    assert "paper" not in first and "86.3" not in first
    assert "**40,000 pairs, 7 %, partial**, seeds 13, 14, 15" in sentence
    assert "| paper |" in second  # both are of test and of the complete corpus


def test_the_rows_are_means_over_the_seeds_of_the_runs(checkout):
    for seed, accuracy in zip((13, 14, 15), (0.5, 0.6, 0.7), strict=True):
        change_accuracy(checkout / f"results/seeds/dsa/seed-{seed}", accuracy)
    # a half-width of t = 4.303 times .1 / sqrt(3)
    assert read_rows(checkout)["DSA"] == ["60.0 %", "35.2 to 84.8 |"]


def test_the_most_accurate_model_is_the_first(checkout):
    assert list(read_rows(checkout))[1] == "ESIM"
    for seed in (13, 14, 15):
        change_accuracy(checkout / f"results/seeds/dsa/seed-{seed}", 0.9 + seed / 1000)
    assert list(read_rows(checkout))[1] == "DSA"


def test_abcnns_rows_are_beside_its_papers_numbers():
    rows = read_rows()
    assert rows["ABCNN-3"][-1] == "0.6914 |"
    assert list(rows)[-4:] == ["BCNN", "ABCNN-1", "ABCNN-2", "ABCNN-3"]


def test_a_missing_run_is_an_error(checkout):
    shutil.rmtree(checkout / "results/seeds/esim/seed-14")
    with pytest.raises(InputError, match="the same seeds"):
        write_headline_table(checkout)
    shutil.rmtree(checkout / "results/seeds/esim")
    with pytest.raises(InputError, match="no results below .*seeds/esim"):
        write_headline_table(checkout)


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
        unpack_runs(CHECKOUT / "results" / folder, checkout / "results" / folder)
        copies = sorted((checkout / "results" / folder).iterdir())
        for number, copy in enumerate(copies):
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


def test_make_train_prints_the_measured_minutes():
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
