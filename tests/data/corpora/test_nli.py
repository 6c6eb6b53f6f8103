import gzip

import pytest

from dsa.data.corpora.catalogue import NLI
from dsa.data.corpora.example import check_examples
from dsa.data.corpora.nli import read_nli
from dsa.errors import InputError
from tests.support.corpora import rows, write_jsonl

HEADER = (
    "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\t"
    "sentence2_parse\tsentence1\tsentence2\tcaptionID\tpairID\tlabel1\tlabel2\n"
)
ROW = 'neutral\t( A b )\t( C )\t(X)\t(Y)\tA b "quoted\tC\tcap\tid7\tneutral'


def read(path, **arguments):
    return list(check_examples(read_nli(path, NLI, **arguments), path))


def test_rows_of_json_lines_are_read_in_file_order(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", rows(3, genre="travel"))
    first, second, third = read(path)
    assert first.texts == ("A man sleeps.", "A man is awake.")
    assert (first.label, first.id, first.group) == ("contradiction", "p0", "travel")
    assert (first.parses, first.row) == (None, 1)
    assert [second.id, third.id] == ["p1", "p2"]


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_the_table_form_finds_columns_by_name_and_misses_some_at_the_end(
    tmp_path, name
):
    data = (HEADER + ROW + "\n").encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    (example,) = read(path)
    assert example.texts[0] == 'A b "quoted'
    assert example.label == "neutral"
    assert example.id == "id7"
    assert example.parses == ("( A b )", "( C )")
    assert example.row == 1


def test_rows_without_majority_label_are_kept_without_label(tmp_path):
    path = write_jsonl(
        tmp_path / "a.jsonl", [*rows(1, gold_label="-"), *rows(1, gold_label="hidden")]
    )
    assert [example.label for example in read(path)] == [None, None]


def test_ids_and_parses_are_optional_and_null_is_a_text(tmp_path):
    row = {"gold_label": "neutral", "sentence1": "n/a", "sentence2": "null"}
    (example,) = read(write_jsonl(tmp_path / "a.jsonl", [row]))
    assert example.texts == ("n/a", "null")
    assert (example.id, example.name, example.group) == (None, "1", None)


MULTINLI = {  # the fields of the official files
    "annotator_labels": ["neutral", "entailment"],
    "genre": "telephone",
    "gold_label": "neutral",
    "pairID": "63735n",
    "promptID": "63735",
    "sentence1": "uh-huh",
    "sentence1_binary_parse": "( uh - huh )",
    "sentence1_parse": "(ROOT (X uh-huh))",
    "sentence2": "Yes.",
    "sentence2_binary_parse": "( Yes . )",
    "sentence2_parse": "(ROOT (X Yes.))",
}


def test_multinlis_official_rows_give_genre_and_pair_id_as_texts(tmp_path):
    lines = [MULTINLI, {**MULTINLI, "gold_label": "-", "pairID": 31193, "genre": 9}]
    first, second = read(write_jsonl(tmp_path / "a.jsonl", lines))
    assert (first.id, first.group, first.label) == ("63735n", "telephone", "neutral")
    assert (second.id, second.group, second.label) == ("31193", "9", None)


def test_multinlis_table_form_reads_the_same(tmp_path):
    columns = ["gold_label", *(name for name in MULTINLI if "label" not in name)]
    table = [columns, [MULTINLI[name] for name in columns]]
    path = tmp_path / "a.txt"
    path.write_text("".join("\t".join(fields) + "\n" for fields in table))
    (example,) = read(path)
    (other,) = read(write_jsonl(tmp_path / "a.jsonl", [MULTINLI]))
    assert example._replace(row=1) == other


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold_label": "maybe"}, "row 1: unknown label 'maybe'. Known: entailment"),
        ({"gold_label": None}, "row 1: 'gold_label' must be text"),
        ({"sentence1": None}, "row 1: 'sentence1' must be text"),
        ({"sentence2": 7}, "row 1: 'sentence2' must be text"),
    ],
)
def test_a_malformed_row_is_an_error_with_file_line_and_reason(
    tmp_path, change, message
):
    path = write_jsonl(tmp_path / "a.jsonl", rows(1, **change))
    with pytest.raises(InputError, match=f"a.jsonl, {message}"):
        read(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"gold_label": "neu', "a.jsonl, line 1: not JSON"),
        ("a.jsonl", "[1, 2]\n", "a.jsonl, line 1: not a JSON object"),
        ("a.jsonl", "[" * 100_000, "a.jsonl, line 1: not JSON"),
        ("a.jsonl", '{"sentence1": "a"}\n', "row 1: 'gold_label' is missing"),
        ("a.jsonl", "", "a.jsonl: the file contains no"),
        ("a.txt", "gold_label\tsentence1\n", ": the header line must contain"),
        ("a.txt", HEADER, "a.txt: the file contains no"),
        ("a.txt", HEADER + "neutral\t( A )\n", "row 1: 'sentence1' is missing"),
        ("a.txt", HEADER + "x\t" * 12, "row 1: expected 11 fields, .* Received: 13"),
    ],
)
def test_a_malformed_file_is_an_error_with_its_place(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        read(tmp_path / name)


def test_labels_are_optional_in_an_unlabelled_corpus(tmp_path):
    row = {"sentence1": "A.", "sentence2": "B."}
    (example,) = read(write_jsonl(tmp_path / "a.jsonl", [row]), labelled=False)
    assert example.label is None
