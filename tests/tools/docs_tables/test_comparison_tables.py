import pytest

from dsa.errors import InputError
from tests.support.kept_answers import write_run
from tools import comparisons
from tools.comparisons import main
from tools.docs_tables.comparison_tables import (
    write_comparisons_table,
    write_pairs_table,
)
from tools.docs_tables.pages import fill_tables


def test_differences_over_seeds_and_rows_are_a_table_of_points(tmp_path, monkeypatch):
    monkeypatch.setattr(comparisons, "FEWEST", 3)
    for model, rights in (("dsa", ("1100000", "1110000")), ("esim", ("1111000",) * 2)):
        for seed, right in enumerate(rights, start=1):
            write_run(tmp_path / "results/mask/c" / model, seed, right)
    assert main([str(tmp_path / "results/mask/c")]) == 0
    page = "<!-- table: comparisons of mask/c -->\n<!-- end -->\n"
    lines = fill_tables(page, tmp_path).splitlines()
    assert lines[3].startswith(
        "| `esim` minus `dsa` | accuracy on dev | 1, 2 | 57.14, 35.71 | +21.43 | "
    )
    # half of 1/7 between two seeds, at t = 12.706 / sqrt(2) standard deviations
    half = 12.706 * (1 / 7) / 2
    low, high = 3 / 14 - half, 3 / 14 + half
    assert lines[3].endswith(f" | {100 * low:+.2f} to {100 * high:+.2f} | no |")
    assert "accuracy on dev, above 25 tokens minus others" in lines[4]


def test_one_seed_has_no_interval_over_seeds(tmp_path):
    for model in ("a", "b"):
        write_run(tmp_path / "results/c" / model, 1, "1100000")
    assert main([str(tmp_path / "results/c")]) == 0
    assert "| one seed | no |" in write_comparisons_table("c", tmp_path)


def test_an_experiment_without_comparisons_is_told(tmp_path):
    page = "<!-- table: comparisons of mask/c -->\n<!-- end -->\n"
    with pytest.raises(InputError, match="no comparisons in .*mask/c/comparisons.csv"):
        fill_tables(page, tmp_path)


def test_a_pair_of_models_is_a_row_with_its_difference(tmp_path):
    for model, right in (("esim", "1100000"), ("aesim", "1110000")):
        for seed in (1, 2):
            write_run(tmp_path / "results/c" / model, seed, right)
    folder = str(tmp_path / "results/c")
    assert main([folder, "--base", "esim"]) == 0
    names = {("c", "aesim", "esim"): ("aESIM", "ESIM, too")}
    row = write_pairs_table(names, tmp_path).splitlines()[2]
    assert row.startswith("| aESIM | 42.86 | ESIM, too | 28.57 | +14.29 (+0.00 to ")
    assert row.endswith("; +14.29 to +14.29) | 1, 2 |")
    with pytest.raises(InputError, match="no comparison of .'esim', 'aesim'"):
        write_pairs_table({("c", "esim", "aesim"): ("ESIM", "aESIM")}, tmp_path)
