"""The output of a first run, as the README shows it."""

import json
import math
import pathlib

from dsa.system.reading import read_json_object
from tests.support.kept_answers import unpack_runs
from tools.docs_tables.code_tables import FIRST_RUNS, write_first_run_output
from tools.docs_tables.records import read_runs

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]


def test_the_output_of_the_first_run_is_that_of_evaluate_and_of_the_makefile():
    *_, fence, heading, accuracy, _, last, end = write_first_run_output(
        CHECKOUT
    ).splitlines()
    assert fence == end == "```"
    assert heading.startswith("test: mini/test.jsonl, 1,002 rows")
    assert accuracy.startswith("  accuracy  ") and "(standard error)" in accuracy
    assert f'@echo "{last}"' in (CHECKOUT / "Makefile").read_text(encoding="utf-8")


def test_the_accuracy_of_a_first_run_is_a_range_over_seeds_and_processors(tmp_path):
    for folder in FIRST_RUNS:
        unpack_runs(CHECKOUT / "results" / folder, tmp_path / "results" / folder)
        copies = sorted((tmp_path / "results" / folder).iterdir())
        for number, copy in enumerate(copies):
            record = json.loads((copy / "metrics.json").read_text(encoding="utf-8"))
            share = 0.5 + number / 8 if "avx512" in folder else 0.625
            record["evaluations"][-1]["accuracy"] = share
            (copy / "metrics.json").write_text(json.dumps(record), encoding="utf-8")
    text = write_first_run_output(tmp_path)
    assert "seeds 13 to 15, processors with AVX2 and with AVX-512: 50.0 to " in text
    assert ": 50.0 to 75.0 %):\n" in text


def test_each_first_run_was_trained_on_its_kind_of_processor():
    for folder, kind in FIRST_RUNS.items():
        for run in read_runs(CHECKOUT / "results" / folder):
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
