import pytest

from dsa.errors import InputError
from tools.docs_tables.study_tables import write_paired_table

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
