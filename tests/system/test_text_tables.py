import doctest

import pytest

from dsa.system import text_tables
from dsa.system.text_tables import format_csv, format_html_table, format_markdown_table


def test_a_markdown_table_has_a_header_a_rule_and_a_line_for_each_row():
    table = format_markdown_table(["a", "b", "c"], [["1", "", "x y"], ["2", "3", ""]])
    assert table == "| a | b | c |\n|---|---|---|\n| 1 | | x y |\n| 2 | 3 | |"


def test_a_markdown_table_can_have_no_rows():
    assert format_markdown_table(["a", "b"], []) == "| a | b |\n|---|---|"


def test_a_row_with_a_missing_cell_is_an_error():
    for format_table in (format_markdown_table, format_html_table):
        with pytest.raises(ValueError, match="Received: 1 cells, 2 columns"):
            format_table(["a", "b"], [["1"]])


def test_a_csv_text_begins_with_the_keys_of_the_rows():
    rows = [{"a": 1, "b": "x, y"}, {"a": 2, "b": None}]
    assert format_csv(rows) == 'a,b\n1,"x, y"\n2,\n'


def test_no_rows_are_an_empty_csv_text():
    assert format_csv([]) == ""


def test_vertical_bars_and_line_breaks_do_not_divide_markdown_cells():
    table = format_markdown_table(["a|b"], [["x|y\nz"]])
    assert table == "| a\\|b |\n|---|\n| x\\|y z |"


def test_the_examples_of_the_docstrings_run():
    assert doctest.testmod(text_tables) == (0, 2)


def test_texts_of_an_html_table_are_escaped():
    table = format_html_table(["a & b"], [["<script>"]])
    assert "<th>a &amp; b</th>" in table and "<td>&lt;script&gt;</td>" in table
