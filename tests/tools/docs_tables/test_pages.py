import pathlib

import pytest

from dsa.errors import InputError
from tools.docs_tables.__main__ import main
from tools.docs_tables.pages import fill_tables, find_pages

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]


def test_the_tables_of_the_pages_are_made_from_the_results():
    pages = {  # and their tables
        "README.md": 2,
        "docs/distance_mask.md": 14,
        "docs/models.md": 1,
        "docs/own_data.md": 4,
        "docs/paper_tables.md": 21,
        "docs/papers/abcnn.md": 11,
        "docs/papers/disan.md": 7,
        "docs/papers/dsa.md": 15,
        "docs/papers/esim.md": 7,
        "docs/predicting.md": 1,
        "docs/released_codes.md": 8,
        "docs/results.md": 2,
        "docs/robustness.md": 4,
        "docs/scaling.md": 5,
        "docs/studies.md": 8,
        "results/benchmarks/NOTES.md": 1,
    }
    assert find_pages(CHECKOUT) == [CHECKOUT / name for name in pages]
    for name, tables in pages.items():
        text = (CHECKOUT / name).read_text(encoding="utf-8")
        assert text.count("<!-- table: ") == tables
        assert fill_tables(text, CHECKOUT) == text


def test_only_the_text_between_markers_is_replaced():
    text = "a\n<!-- table: mini -->\n<!-- end -->\nb\n<!-- end -->\nc"
    filled = fill_tables(text, CHECKOUT)
    assert filled.startswith("a\n<!-- table: mini -->\n| model |")
    assert filled.endswith("|\n<!-- end -->\nb\n<!-- end -->\nc")


def test_the_ends_of_lines_are_kept(tmp_path):
    text = "a\r\n<!-- table: mini -->\r\nold\r\n<!-- end -->\r\nb\n"
    (tmp_path / "a.md").write_bytes(text.encode())
    assert main([str(tmp_path / "a.md")]) == 0
    filled = (tmp_path / "a.md").read_bytes().decode()
    assert filled.startswith("a\r\n<!-- table: mini -->\r\n| model |")
    assert filled.endswith("|\r\n<!-- end -->\r\nb\n")
    assert filled.count("\n") == filled.count("\r\n") + 1


def test_partial_data_is_called_partial_beside_the_tables():
    for name in ("README.md", "docs/results.md", "docs/papers/dsa.md"):
        assert "partial" in (CHECKOUT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("rest", ["", "b\n<!-- table: mini -->\n<!-- end -->\n"])
def test_a_table_without_end_loses_nothing(rest, tmp_path, capsys):
    text = f"a\n<!-- table: published-dsa-2 -->\n{rest}"
    (tmp_path / "a.md").write_text(text)
    assert main([str(tmp_path / "a.md")]) == 2
    assert (
        "the table 'published-dsa-2' has no '<!-- end -->'" in capsys.readouterr().err
    )
    assert (tmp_path / "a.md").read_text() == text


def test_an_unknown_table_is_refused_with_its_line(tmp_path, capsys):
    text = "a\n<!-- table: modles -->\n<!-- end -->\n"
    (tmp_path / "a.md").write_text(text)
    assert main([str(tmp_path / "a.md")]) == 2
    error = capsys.readouterr().err
    assert "line 2: unknown table 'modles'. Did you mean 'models'? Known: " in error
    assert (tmp_path / "a.md").read_text() == text


def test_every_comment_that_names_a_table_is_filled():
    table = "<!-- table: mini -->\n<!-- end -->\n"
    spaced = " <!--table:mini-->\n<!-- end -->\n"
    filled = fill_tables(f"`<!-- table: NAME -->`\n{table}{spaced}{table}", CHECKOUT)
    assert filled.count("| model |") == 3


def test_a_table_keeps_its_rows_where_there_are_no_results(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr("tools.docs_tables.__main__.CHECKOUT", tmp_path)
    text = "<!-- table: more-pairs -->\n| row |\n<!-- end -->\n"
    (tmp_path / "a.md").write_text(text)
    assert main([str(tmp_path / "a.md")]) == 2
    assert f"no results below {tmp_path}/results/released" in capsys.readouterr().err
    assert (tmp_path / "a.md").read_text() == text


def test_tables_are_made_from_any_working_directory(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("<!-- table: mini -->\n<!-- end -->\n")
    monkeypatch.chdir(tmp_path)
    assert main(["a.md"]) == 0
    assert "\n| DSA | " in (tmp_path / "a.md").read_text()
    with pytest.raises(InputError, match="no results below"):
        fill_tables((tmp_path / "a.md").read_text(), pathlib.Path("."))


def test_without_files_every_page_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr("tools.docs_tables.__main__.CHECKOUT", tmp_path)
    text = "<!-- table: published-dsa-2 -->\n<!-- end -->\n"
    pages = [tmp_path / name for name in ("README.md", "docs/a.md", "results/b/c.md")]
    for page in pages:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
    (tmp_path / "docs/plain.md").write_text("no table")
    assert main([]) == 0
    assert all("74.1 | 72.9 | 4.7m |" in page.read_text() for page in pages)
    assert (tmp_path / "docs/plain.md").read_text() == "no table"


def test_no_table_has_more_than_eight_columns():
    texts = [page.read_text("utf-8") for page in find_pages(CHECKOUT)]
    lines = [line for text in texts for line in text.splitlines()]
    headings = [
        line for line, rule in zip(lines, lines[1:], strict=False) if rule[:4] == "|---"
    ]
    assert headings and [h for h in headings if h.count("|") > 9] == []
