"""Fits of power laws, and their intervals."""

import csv
import dataclasses

import numpy as np
import pytest

from dsa.evaluation.answers import write_answers
from dsa.evaluation.study_answers import find_answers
from tests.support.hostile_checks import assert_error
from tests.support.kept_answers import write_run
from tools import learning_curves
from tools.learning_curve_figure import draw_learning_curves
from tools.learning_curves import (
    ALL_PAIRS,
    describe_curve,
    fit_power_laws,
    predict_errors,
    resample_errors,
)

PAIRS = [10_000, 20_000, 40_000, 80_000, 141_511]


@pytest.mark.parametrize("law", [(5.0, 0.3, 0.1), (2.0, 0.12, 0.0), (9.0, 0.5, 0.2)])
def test_a_fit_recovers_the_parameters_of_a_power_law(law):
    errors = predict_errors(np.array([law]), PAIRS)
    np.testing.assert_allclose(fit_power_laws(PAIRS, errors), [law], rtol=1e-6)


def test_offset_and_slope_are_never_negative():
    straight = 0.5 - 0.03 * np.log(PAIRS)  # the best offset is negative
    falling, rising = fit_power_laws(PAIRS, [straight, straight[::-1]])
    assert falling[0] > 0 and falling[2] == 0
    assert rising[0] == 0 and rising[2] == pytest.approx(straight.mean())


def test_a_fit_is_better_than_those_of_the_next_exponents():
    errors = np.array([0.32, 0.29, 0.25, 0.235, 0.22])
    (parameters,) = fit_power_laws(PAIRS, errors[None])

    def loss(a, b, c):
        return ((a * np.array(PAIRS, float) ** -b + c - errors) ** 2).sum()

    for step in (-0.01, 0.01):
        b = parameters[1] + step
        a, c = np.polyfit(np.array(PAIRS, float) ** -b, errors, 1)
        assert loss(a, b, c) > loss(*parameters)


def test_samples_vary_by_seeds_and_by_rows():
    random = np.random.default_rng(0)
    by_seed = {16: np.zeros(50), 17: np.ones(50)}
    seeds = resample_errors({1: by_seed, 2: by_seed}, random)
    assert set(np.unique(seeds)) == {0, 0.5, 1}
    assert (seeds[:, 0] == seeds[:, 1]).all()
    by_row = {16: np.repeat([0.0, 1.0], 25)}
    rows = resample_errors({1: by_row, 2: by_row}, random)
    assert (rows[:, 0] == rows[:, 1]).all()
    assert rows.mean() == pytest.approx(0.5, abs=0.01)
    assert rows.std() == pytest.approx(0.5 / np.sqrt(50), rel=0.1)


def test_a_number_of_pairs_with_fewer_seeds_uses_the_drawn_ones_that_it_has():
    zeros, ones = np.zeros(5), np.ones(5)
    curve = {1: {16: zeros, 17: zeros, 18: ones}, 2: {16: zeros, 18: ones}}
    errors = resample_errors(curve, np.random.default_rng(0))
    only_18 = errors[:, 0] == 0
    assert only_18.any() and (errors[only_18, 1] == 0).all()
    assert (errors[:, 1] <= errors[:, 0]).all()  # without the errors of seed 17


def test_the_lines_contain_means_and_an_extrapolation():
    random = np.random.default_rng(0)
    truth = 1 - predict_errors(np.array([[5.0, 0.3, 0.1]]), [*PAIRS, ALL_PAIRS])[0]
    curve = {
        size: {
            seed: (random.random(10_000) < accuracy).astype(float) for seed in (16, 17)
        }
        for size, accuracy in zip(PAIRS, truth, strict=False)
    }
    lines = describe_curve(curve)
    assert [line["pairs"] for line in lines] == [*map(str, PAIRS), str(ALL_PAIRS)]
    for line in lines[:-1]:
        assert line["seeds"] == "16, 17"
        mean = np.mean([*curve[int(line["pairs"])].values()])
        assert float(line["accuracy"]) == pytest.approx(mean, abs=1e-6)
        assert float(line["low"]) < mean < float(line["high"])
        assert float(line["fitted"]) == pytest.approx(mean, abs=0.01)
    last = lines[-1]
    assert (last["seeds"], last["accuracy"]) == ("", "")
    assert float(last["low"]) < float(last["fitted"]) < float(last["high"])
    assert float(last["fitted"]) == pytest.approx(truth[-1], abs=0.01)


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setattr(learning_curves, "CHECKOUT", tmp_path)
    folder = tmp_path / learning_curves.STUDY
    answers = {10: "1100000", 20: "1110000", 40: "1111000"}
    for pairs, right in answers.items():
        write_run(folder / f"explosion/{pairs}/dsa", 16, right)
        write_run(folder / f"glove_50d/{pairs}/dsa", 16, right)
    write_run(folder / "explosion/80/dsa", 16, "1111110")
    write_run(folder / "explosion/80/dsa", 17, "1111111")
    write_run(folder / "explosion/80/esim", 16, "1111111")
    write_run(folder / "explosion/uniform/dsa", 16, "0000000")
    return folder


def table_path():
    return learning_curves.CHECKOUT / learning_curves.TABLE


def test_the_curves_of_a_study_are_written(study):
    assert learning_curves.main([]) == 0
    lines = list(csv.DictReader((table_path()).open()))
    expected = {
        ("explosion", "10"): ("16", 2 / 7),
        ("explosion", "20"): ("16", 3 / 7),
        ("explosion", "40"): ("16", 4 / 7),
        ("explosion", "80"): ("16, 17", 13 / 14),
        ("explosion", str(ALL_PAIRS)): ("", None),
        ("glove_50d", "10"): ("16", 2 / 7),
        ("glove_50d", "20"): ("16", 3 / 7),
        ("glove_50d", "40"): ("16", 4 / 7),
    }
    assert [(line["vectors"], line["pairs"]) for line in lines] == [*expected]
    for line, (seeds, accuracy) in zip(lines, expected.values(), strict=True):
        assert (line["model"], line["seeds"]) == ("dsa", seeds)
        if accuracy is None:
            assert line["accuracy"] == ""
        else:
            assert float(line["accuracy"]) == pytest.approx(accuracy, abs=1e-6)
        is_fitted = line["vectors"] == "explosion"  # the only curve with four numbers
        assert bool(line["fitted"]) == is_fitted


def test_a_changed_table_is_an_error(study, capsys):
    learning_curves.main([])
    assert learning_curves.main(["--check"]) == 0
    path = table_path()
    text = path.read_text()
    path.write_text(text.replace("0.285714", "0.385714", 1))
    assert_error(learning_curves.main(["--check"]), capsys, "line 2: differs")
    path.write_text(text.rsplit("\n", 2)[0] + "\n")
    assert_error(learning_curves.main(["--check"]), capsys, "expected 8 lines")


def test_runs_with_other_dev_rows_are_an_error(study, capsys):
    run = write_run(study / "explosion/160/dsa", 16, "1100000")
    answers = dataclasses.replace(find_answers(run, "dev"), rows_sha256="other rows")
    write_answers(run, answers)
    assert_error(
        learning_curves.main([]), capsys, "explosion/dsa: runs with different dev rows"
    )


def test_the_figure_has_the_points_and_the_extrapolation(study):
    learning_curves.main([])
    path = table_path()
    (axes,) = draw_learning_curves(path).axes
    labels = axes.get_legend_handles_labels()[1]
    assert labels == [
        "the paper's DSA, test",
        "DSA, explosion 300-d",
        "DSA, GloVe 50-d",
    ]
    points = [container[0].get_ydata() for container in axes.containers]
    lines = list(csv.DictReader(path.open()))
    assert [len(values) for values in points] == [4, 1, 3]
    np.testing.assert_allclose(
        np.concatenate(points),
        [100 * float(line["accuracy"] or line["fitted"]) for line in lines],
    )
