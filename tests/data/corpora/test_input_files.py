import pytest

from dsa.data.corpora.input_files import read_pairs
from dsa.errors import InputError


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (
            '{"sentence1": "A b.", "sentence2": "C.", "pairID": 7, "label": "x"}\n',
            ["7"],
        ),
        ("pairID\tsentence1\tsentence2\nq\tA b.\tC.\n", ["q"]),
        ("A b.\tC.\nA b.\tC.", ["1", "2"]),
    ],
)
def test_the_first_line_tells_the_format(tmp_path, content, ids):
    (tmp_path / "pairs").write_text(content)
    examples = list(read_pairs(tmp_path / "pairs"))
    assert [example.name for example in examples] == ids
    assert {(*e.texts, e.label) for e in examples} == {("A b.", "C.", None)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no pairs"),
        ("only one column\n", "line 1: premise, tab, hypothesis are needed"),
        ("a\tb\nc\td\te\n", "line 2: .* Received: 3 fields"),
        ('{"sentence1": "a"}\n', "line 1: 'sentence2' is missing"),
    ],
)
def test_a_malformed_line_is_an_error_with_its_place(tmp_path, content, message):
    (tmp_path / "pairs").write_text(content)
    with pytest.raises(InputError, match=message):
        list(read_pairs(tmp_path / "pairs"))
