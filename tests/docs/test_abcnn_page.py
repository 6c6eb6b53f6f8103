"""Counts on the page of BCNN and ABCNN, written as words, follow from its tables."""

import collections
import re
from pathlib import Path

import pytest

from dsa.system.reading import read_text

PAGE = Path(__file__).parents[2] / "docs/papers/abcnn.md"
VECTORS = ("GloVe 50-d", "word2vec 300-d", "explosion 300-d")
LARGE = VECTORS[1:]


@pytest.fixture(scope="module")
def text():
    return " ".join(read_text(PAGE).split())


def read_cells(name):
    """Reads a table of the page with a column for each kind of vectors.

    Returns: a list of tuples: corpus, row, vectors, mean, low, high, the paper's
        number, and whether the mean is bold.
    """
    _, _, rest = read_text(PAGE).partition(f"<!-- table: {name} -->")
    header, _, *lines = rest.split("<!-- end -->")[0].strip().splitlines()
    assert [cell.strip() for cell in header.strip("|").split("|")][2:5] == [*VECTORS]
    cells = []
    for line in lines:
        corpus, row, *values, paper = (c.strip() for c in line.strip("|").split("|"))
        for vectors, value in zip(VECTORS, values, strict=True):
            mean, low, high = map(float, re.findall(r"[-+]?\d+\.\d+", value))
            numbers = (mean, low, high, float(paper))
            cells.append((corpus.split(",")[0], row, vectors, *numbers, "**" in value))
    return cells


def test_the_verdicts_on_attention_are_counted(text):
    cells = [cell for cell in read_cells("abcnn-attention") if cell[2] in LARGE]
    assert len(cells) == 36
    assert sum(is_bold for *_, is_bold in cells) == 2
    against = {
        (corpus, row, vectors)
        for corpus, row, vectors, _, _, high, paper, _ in cells
        if high < paper
    }
    one, two = "ABCNN-2 minus BCNN, one-conv", "ABCNN-2 minus BCNN, two-conv"
    assert against == {
        *(("WikiQA", row, vectors) for row in (one, two) for vectors in LARGE),
        ("MSRP", one, "word2vec 300-d"),
        ("WikiQA", "ABCNN-3 minus BCNN, two-conv", "explosion 300-d"),
    }
    assert "two of thirty-six differences are significant" in text
    assert (
        "six of the thirty-six count against it" in text and "Thirty are open." in text
    )


def test_the_signs_of_the_differences_are_counted(text):
    cells = read_cells("abcnn-attention")

    def count_above(corpus, vectors, models="ABCNN"):
        return sum(
            cell[3] > 0
            for cell in cells
            if (cell[0], cell[2]) == (corpus, vectors) and cell[1].startswith(models)
        )

    above = {c: count_above(c, "explosion 300-d") for c in ("WikiQA", "MSRP", "SICK")}
    assert above == {"WikiQA": 0, "MSRP": 3, "SICK": 6}
    for corpus in above:
        for models in ("ABCNN-1", "ABCNN-3"):
            assert count_above(corpus, "word2vec 300-d", models) == 2
    assert count_above("MSRP", "GloVe 50-d") == 0
    assert count_above("SICK", "GloVe 50-d") == 5
    assert "On MSRP three of six, and on SICK all six are above BCNN" in text
    assert "On MSRP all six differences are below 0, on SICK five of six" in text


def test_the_papers_numbers_inside_the_intervals_are_counted(text):
    cells = read_cells("abcnn-sizes")
    inside = collections.defaultdict(set)
    for corpus, row, vectors, _, low, high, paper, _ in cells:
        if low < paper < high:
            inside[corpus, vectors].add(row)
    word2vec, explosion = LARGE
    assert len(inside["WikiQA", word2vec]) == 8
    assert inside["WikiQA", explosion] == {
        f"{model} {depth}-conv"
        for model in ("BCNN", "ABCNN-1")
        for depth in ("one", "two")
    }
    assert inside["MSRP", word2vec] == set()
    assert inside["MSRP", explosion] == {"BCNN two-conv", "ABCNN-2 two-conv"}
    assert inside["SICK", word2vec] == {
        *("BCNN one-conv", "BCNN two-conv", "ABCNN-3 one-conv")
    }
    assert inside["SICK", explosion] == set()
    assert all(cell[3] < cell[6] for cell in cells if cell[0] == "SICK")
    assert "four of eight networks: BCNN and ABCNN-1" in text
    assert "inside the interval of three networks with word2vec vectors" in text
