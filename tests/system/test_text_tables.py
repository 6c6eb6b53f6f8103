import doctest

import pytest

from dsa.system import text_tables
from dsa.system.text_tables import comma_separated, html_table, markdown_table


def test_a_markdown_table_has_a_header_a_rule_and_a_line_for_each_row():
    table = markdown_table(["a", "b", "c"], [["1", "", "x y"], ["2", "3", ""]])
    assert table == "| a | b | c |\n|---|---|---|\n| 1 | | x y |\n| 2 | 3 | |"


def test_a_markdown_table_can_have_no_rows():
    assert markdown_table(["a", "b"], []) == "| a | b |\n|---|---|"


def test_a_row_with_a_missing_cell_is_an_error():
    with pytest.raises(ValueError, match="Received: 1 cells, 2 columns"):
        markdown_table(["a", "b"], [["1"]])


def test_comma_separated_rows_begin_with_their_keys():
    rows = [{"a": 1, "b": "x, y"}, {"a": 2, "b": None}]
    assert comma_separated(rows) == 'a,b\n1,"x, y"\n2,\n'


def test_the_examples_of_the_docstrings_run():
    assert doctest.testmod(text_tables) == (0, 2)


def test_texts_of_an_html_table_are_escaped():
    table = html_table(["a & b"], [["<script>"]])
    assert "<th>a &amp; b</th>" in table and "<td>&lt;script&gt;</td>" in table
