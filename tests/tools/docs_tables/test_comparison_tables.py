import pytest

from dsa.errors import InputError
from tests.support.kept_answers import write_run
from tools.comparisons import main
from tools.docs_tables.comparison_tables import (
    write_comparisons_table,
    write_paired_table,
)
from tools.docs_tables.pages import fill_tables

ARGUMENTS = "wikiqa/paired_test.txt", "map", "BCNN's"


def test_paired_differences_are_read_from_what_compare_printed(tmp_path):
    (tmp_path / "results/wikiqa").mkdir(parents=True)
    (tmp_path / "results/wikiqa/paired_test.txt").write_text(
        "$ dsa compare bcnn/seed-1 bcnn/seed-2 --with abcnn1/seed-1 --split test\n"
        "test: ...\n"
        "  map      0.6000, 0.6500, difference +0.0500, 95 % interval +0.0100 to "
        "+0.0900 (paired ... These pairs resolve the difference.\n"
        "$ dsa compare bcnn_two/seed-1 --with abcnn2_two/seed-1 --split test\n"
        "  map      0.6000, 0.5900, difference -0.0100, 95 % interval -0.0300 to "
        "+0.0100 (paired ... A difference of that size cannot be resolved by ...\n"
        "$ dsa compare bcnn/seed-1 --with abcnn3/seed-1 --split test\n"
        "  map      0.6000, 0.6100, difference +0.0100, 95 % interval +0.0000 to "
        "+0.0200 (paired ... These pairs resolve the difference.\n"
    )
    lines = write_paired_table(*ARGUMENTS, tmp_path).splitlines()
    assert lines[2] == (
        "| `abcnn1` minus `bcnn` | `bcnn` 1, 2; `abcnn1` 1 | 0.6500 | 0.6000 | "
        "+0.0500 | +0.0100 to +0.0900 | yes |"
    )
    assert lines[3].startswith("| `abcnn2_two` minus `bcnn_two` | 1 | 0.5900 | ")
    assert lines[3].endswith("| no |")
    assert lines[4].endswith("| +0.0000 to +0.0200 | yes |")  # rounded


def test_means_can_have_intervals_of_their_own(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/dev.txt").write_text(
        "$ dsa compare dsa/seed-13 --with esim/seed-13\n"
        "  accuracy 0.7526 (0.7440 to 0.7611), 0.7777 (0.77 to 0.78), difference "
        "+0.0251, 95 % interval +0.0170 to +0.0330 (paired bootstrap, ...), p = 0.0005 "
        "(randomization test). These pairs resolve the difference.\n"
    )
    table = write_paired_table("dev.txt", "accuracy", "DSA's", tmp_path)
    assert table.splitlines()[2] == (
        "| `esim` minus `dsa` | 13 | 0.7777 | 0.7526 | +0.0251 | +0.0170 to +0.0330 | "
        "yes |"
    )
    with pytest.raises(InputError, match="no 'map' after"):
        write_paired_table("dev.txt", "map", "DSA's", tmp_path)


def test_differences_over_seeds_and_rows_are_a_table_of_points(tmp_path):
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
