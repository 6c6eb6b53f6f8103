"""Every committed figure was drawn by today's code, from the numbers beside it."""

import json
import subprocess

import pytest

from tools.case_figures import build_studies, read_cases
from tools.figures import (
    CHECKOUT,
    DIGESTS,
    digest_code,
    digest_numbers,
    digest_picture,
)

AGAIN = "draw the figures again: make figures"
RECORD = json.loads((CHECKOUT / DIGESTS).read_text())
FIGURES = RECORD["figures"]


def test_the_code_that_draws_is_that_of_the_figures():
    assert digest_code(CHECKOUT) == RECORD["code"], AGAIN


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_the_numbers_and_the_picture_of_its_drawing(name):
    path = CHECKOUT / name
    assert digest_numbers(path) == FIGURES[name]["numbers"], AGAIN
    assert digest_picture(path) == FIGURES[name]["picture"], AGAIN


def test_every_picture_of_results_is_drawn_but_the_screenshot():
    listed = subprocess.run(
        ["git", "ls-files", "results/*.png"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("no checkout of git")
    assert set(listed.stdout.split()) == {*FIGURES, "results/page.png"}


def test_a_case_study_is_read_from_its_files():
    record, arrays = read_cases(CHECKOUT / "results/case_study")
    studies = build_studies(record["market"], arrays["market"])
    assert list(studies) == ["with distance mask", "without distance mask"]
    look = studies["with distance mask"][""]
    weights = look["attention_forward"]
    assert weights.values.shape == (5, 9, 9) and weights.tokens[1] == "lady"
    numbers = record["market"]["alpha 1.5"][""]["gate_forward"]
    assert look["gate_forward"].by_token().tolist() == numbers
