"""Tests of one-line errors for damaged results, records and arguments."""

import json
import pathlib

import pytest

from dsa.data.download import download
from dsa.errors import InputError
from tests.support.hostile_checks import assert_error
from tests.support.kept_answers import unpack_runs
from tools.docs_tables.__main__ import main
from tools.docs_tables.code_tables import FIRST_RUNS
from tools.docs_tables.pages import fill_tables

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = 6000 * "9"


@pytest.fixture
def checkout(tmp_path):
    """A checkout with the results of the bundled corpus."""
    for folder in FIRST_RUNS:
        runs = pathlib.Path("results", folder)
        unpack_runs(CHECKOUT / runs, tmp_path / runs)
    return tmp_path


PAGE = "<!-- table: first-run -->\n<!-- end -->\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("metrics.json", b"{", "metrics.json: not JSON"),
        ("metrics.json", b"\xff", "metrics.json: not readable"),
        ("metrics.json", b"[]", "metrics.json: expected a list of 'evaluations'"),
        (
            "metrics.json",
            b'{"evaluations": []}',
            "lacks 'test'",
        ),
        (
            "metrics.json",
            b'{"evaluations": [{"split": "test"}]}',
            "the table 'first-run': a file below .* lacks 'accuracy'",
        ),
        ("environment.json", b"{", "environment.json: not JSON"),
        ("config.yaml", b"\xff", "config.yaml: not readable"),
        ("config.yaml", b"- a", "the table 'first-run': a file below"),
    ],
)
def test_a_damaged_result_is_an_error_in_one_line(checkout, name, content, message):
    assert "accuracy" in fill_tables(PAGE, checkout)
    (checkout / "results/mini/dsa/seed-13" / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        fill_tables(PAGE, checkout)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "runs.jsonl: damaged"),
        (b"[]", "runs.jsonl: damaged"),
        (b"\xff", "runs.jsonl: not UTF-8"),
        (b'{"run": "dsa/seed-13"}', "runs of the study .* have no environment.json"),
    ],
)
def test_a_damaged_study_is_an_error_in_one_line(tmp_path, content, message):
    study = tmp_path / "results/mini"
    study.mkdir(parents=True)
    (study / "runs.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        fill_tables("<!-- table: mini -->\n<!-- end -->\n", tmp_path)
    assert "\n" not in str(error.value)


def test_a_page_in_another_encoding_is_an_error_and_does_not_change(tmp_path, capsys):
    page = tmp_path / "a.md"
    page.write_bytes(b"\xff" + PAGE.encode())
    assert_error(main([str(page)]), capsys, "a.md: not UTF-8")
    assert page.read_bytes() == b"\xff" + PAGE.encode()


GOOD = {"sha256": "a", "files": ["b"]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "not a JSON object"),
        ("text", "not a JSON object"),
        ({"http://x": []}, "'http://x' must have a 'sha256' and a list of 'files'"),
        ({"http://x": {**GOOD, "files": "b"}}, "'http://x' must have"),
        ({"http://x": {**GOOD, "files": [1]}}, "'http://x' must have"),
        ({"http://x": {**GOOD, "sha256": 1}}, "'http://x' must have"),
        ({"http://x": {"files": []}}, "'http://x' must have"),
    ],
)
def test_an_invalid_record_of_downloads_is_an_error(tmp_path, content, message):
    (tmp_path / "downloads.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"downloads.json: {message}"):
        download.download("snli", tmp_path)


@pytest.mark.parametrize("number", [DIGITS, "-1"])
@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("reproduce", ["dsa-1", "--seeds"]),
        ("transfer", ["run", "--seed"]),
        ("explore", ["run", "--port"]),
        ("lengths", ["run", "--edges"]),
    ],
)
def test_an_invalid_number_is_a_short_error(
    scripts, capsys, command, arguments, number
):
    with pytest.raises(SystemExit) as end:
        getattr(scripts, command).main([*arguments, number])
    last = capsys.readouterr().err.splitlines()[-1]
    assert end.value.code == 2 and f"argument {arguments[-1]}: " in last
    assert len(last) < 200


@pytest.mark.parametrize("units", [DIGITS, "\u0663", "0", "10000000", "a"])
def test_invalid_units_are_a_short_error(tmp_path, units):
    from dsa.evaluation.transfer.encoders import load_average

    (tmp_path / "v.txt").write_text("a 1\n")
    with pytest.raises(InputError, match="--average: UNITS") as error:
        load_average("v.txt", units, tmp_path)
    assert len(str(error.value)) < 200


def test_a_setting_of_6000_digits_is_a_short_error(scripts, capsys):
    arguments = ["configs/mini/dsa.yaml", "--set", f"seed={DIGITS}"]
    assert_error(scripts.train.main(arguments), capsys, "'seed': not readable as YAML")
