"""Random combinations of settings."""

import pytest

from dsa.errors import InputError
from dsa.sweeps.draws import Distribution, combine_values
from dsa.sweeps.grid import parse_grid, plan_grid

CONFIG = "configs/mini/dsa.yaml"


def test_distributions_are_read_beside_lists():
    grid = parse_grid(["a.b=uniform(0, 0.5)", "c.d=log(1e-4,3e-3)", "e.f=1,2"])
    assert grid == {
        "a.b": Distribution("uniform", 0, 0.5),
        "c.d": Distribution("log", 1e-4, 3e-3),
        "e.f": [1, 2],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a=uniform(1,0)",
            "--grid a: uniform requires lowest < highest. Received: unif",
        ),
        ("a=log(0,1)", "--grid a: log requires 0 < lowest < highest"),
        ("a=uniform(0,x)", "--grid a: expected a number. Received: 'x'"),
        ("seed=uniform(0,1)", "--grid cannot contain 'seed'. Use"),
    ],
)
def test_impossible_bounds_raise_an_error(text, message):
    with pytest.raises(InputError, match=message):
        parse_grid([text])


def test_values_are_within_the_bounds_and_half_are_below_the_median():
    grid = {"a": Distribution("uniform", 2, 4), "b": Distribution("log", 1e-4, 1e-2)}
    drawn = combine_values({**grid, "c": ["x", "y"]}, 400)
    for key, median in (("a", 3), ("b", 1e-3)):
        values = [combination[key] for combination in drawn]
        assert grid[key].lowest <= min(values) <= max(values) <= grid[key].highest
        assert sum(value < median for value in values) == pytest.approx(200, abs=40)
    assert {combination["c"] for combination in drawn} == {"x", "y"}


@pytest.mark.parametrize("bounds", [(0.99, 0.9999), (1000, 1000.5), (-1.05, -1)])
def test_rounded_values_are_within_narrow_bounds(bounds):
    grid = {"a": Distribution("uniform", *bounds)}
    values = [combination["a"] for combination in combine_values(grid, 400)]
    assert bounds[0] <= min(values) and max(values) <= bounds[1]
    assert len(set(values)) > 100


def test_values_have_three_digits():
    grid = {"a": Distribution("uniform", 0, 0.5), "b": Distribution("log", 1e-4, 3e-3)}
    for combination in combine_values(grid, 50):
        assert all(float(f"{v:.3g}") == v for v in combination.values())


def test_more_runs_keep_the_earlier_combinations():
    grid = {"a": Distribution("uniform", 0, 1), "b": [1, 2]}
    assert combine_values(grid, 9)[:4] == combine_values(grid, 4)
    lists = {"a": [1, 2, 3], "b": [4, 5]}
    assert combine_values(lists, 5)[:2] == combine_values(lists, 2)
    assert len({tuple(c.values()) for c in combine_values(lists, 5)}) == 5
    assert combine_values(lists, 9) == combine_values(lists)


def test_the_number_of_runs_covers_all_seeds():
    grid = {"model.dropout": Distribution("uniform", 0, 0.5)}
    plans = plan_grid(CONFIG, [13, 14], grid, [], runs_at_most=7)
    assert len(plans) == 6 and len({plan.row for plan in plans}) == 3
    assert plans[0].row == f"model.dropout={plans[0].experiment.model.dropout}"
    with pytest.raises(InputError, match="random values require --runs-at-most"):
        plan_grid(CONFIG, [], grid, [])
    with pytest.raises(InputError, match="must be at least 2, .* Received: 1$"):
        plan_grid(CONFIG, [13, 14], grid, [], runs_at_most=1)


def test_runs_at_most_limits_the_plan_of_a_large_grid():
    grid = {"model.alpha": [*range(200)], "training.batch_size": [*range(1, 101)]}
    plans = plan_grid(CONFIG, [13], grid, [], runs_at_most=3)
    assert len({plan.row for plan in plans}) == 3
    random = {"model.dropout": Distribution("uniform", 0, 0.5)}
    with pytest.raises(InputError, match="at most 10,000 runs"):
        plan_grid(CONFIG, [13], random, [], runs_at_most=10_001)
