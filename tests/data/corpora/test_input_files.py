import pytest

from dsa.data.corpora.input_files import read_pairs, read_sentences
from dsa.errors import InputError
from dsa.inference.input_rows import find_columns, read_rows


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (
            '{"sentence1": "A b.", "sentence2": "C.", "pairID": 7, "label": "x"}\n',
            ["7"],
        ),
        ('{"premise": "A b.", "hypothesis": "C.", "pairID": 7}\n', ["7"]),
        ("pairID\tsentence1\tsentence2\nq\tA b.\tC.\n", ["q"]),
        ("premise\thypothesis\nA b.\tC.\n", ["1"]),
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
        ("only one column\n", "line 1: expected premise, tab, hypothesis"),
        ("a\tb\nc\td\te\n", "line 2: .* Received: 3 fields"),
        ('{"sentence1": "a"}\n', "row 1: 'sentence2' is missing"),
    ],
)
def test_a_malformed_line_is_an_error_with_its_place(tmp_path, content, message):
    (tmp_path / "pairs").write_text(content)
    with pytest.raises(InputError, match=message):
        list(read_pairs(tmp_path / "pairs"))


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ('{"sentence": "A b.", "id": 7}\n{"sentence": "A b."}\n', ["7", "2"]),
        ("A b.\nA b.", ["1", "2"]),
    ],
)
def test_sentences_are_json_lines_or_a_text_a_line(tmp_path, content, ids):
    (tmp_path / "texts").write_text(content)
    examples = list(read_sentences(tmp_path / "texts"))
    assert [example.name for example in examples] == ids
    assert {example.texts for example in examples} == {("A b.",)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no sentences"),
        ("a\n\nb\n", "line 2: the sentence is empty"),
        ("a\tb\n", "line 1: expected one sentence. Received: a line w"),
        ('{"sentence": "a"}\n{"text": "a"}\n', "row 2: 'sentence' is missing"),
        ('{"sentence": " "}\n', "row 1: the sentence is empty"),
        ('{"sentence": "a \\ud800"}\n', "row 1: the sentence is not valid Unicode"),
    ],
)
def test_a_malformed_sentence_is_an_error_with_its_place(tmp_path, content, message):
    (tmp_path / "texts").write_text(content)
    with pytest.raises(InputError, match=message):
        list(read_sentences(tmp_path / "texts"))


@pytest.mark.parametrize(
    "content", ['[{"sentence": "A b."}]', '[\n {\n  "sentence": "A b."\n }\n]\n']
)
def test_a_json_array_is_no_list_of_sentences(tmp_path, content):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(InputError, match="expected JSON lines. Received: a JSON arr"):
        list(read_sentences(tmp_path / "a.json"))


def test_the_case_of_a_suffix_is_ignored(tmp_path):
    path = tmp_path / "REVIEWS.CSV"
    path.write_text('id,sentence\n7,"A b."\n')
    columns = find_columns(path, "sentences", None)
    (example,) = read_rows(path, "sentences", columns)
    assert (example.name, example.texts) == ("7", ("A b.",))
