"""The rows of an input, whatever its form."""

import gzip
from types import SimpleNamespace

import pytest

from dsa.data.corpora.example import Example
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.inference.input_rows import (
    check_token_counts,
    find_columns,
    guess_suffix,
    parse_columns,
    read_nonempty_rows,
)
from tests.support.hostile_checks import write_file
from tests.support.tables import make_table

FORMS = {  # the same sentences
    "rows.jsonl": b'{"sentence": "a, b", "id": 7}\n{"sentence": "c", "id": 8}\n',
    "rows.csv": b'id,sentence\n7,"a, b"\n8,c\n',
    "rows.tsv": b"sentence\tid\na, b\t7\nc\t8\n",
    "rows.txt": b"a, b\nc\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_all_forms_give_the_same_sentences(name, tmp_path):
    path = write_file(tmp_path, name, FORMS[name])
    packed = write_file(tmp_path, f"{name}.gz", gzip.compress(FORMS[name]))
    for file in (path, packed):
        columns = find_columns(file, "sentences", None)
        assert [e.texts[0] for e in read_nonempty_rows(file, "sentences", columns)] == [
            "a, b",
            "c",
        ]


TABLES = {
    "sentences": [{"idx": "x7", "sentence": "a"}, {"idx": "x8", "sentence": "b"}],
    "pairs": [
        {"test_id": "x7", "premise": "a", "hypothesis": "c"},
        {"test_id": "x8", "premise": "b", "hypothesis": "c"},
    ],
    "questions": [
        {"question": "a", "answer": "c", "id": "x7"},
        {"question": "b", "answer": "c", "id": "x8"},
    ],
}


@pytest.mark.parametrize("suffix", ["txt", "tsv", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("form", TABLES)
def test_a_header_and_its_ids_are_recognized_in_every_format(form, suffix, tmp_path):
    content = make_table(TABLES[form], suffix)
    path = write_file(tmp_path, f"rows.{suffix}", content)
    rows = list(read_nonempty_rows(path, form, find_columns(path, form, None)))
    assert [(row.name, row.texts[0]) for row in rows] == [("x7", "a"), ("x8", "b")]


@pytest.mark.parametrize("suffix", ["txt", "csv", "jsonl", "parquet"])
def test_the_question_id_of_a_table_names_the_question(suffix, tmp_path):
    texts = ("q1", "a", "b"), ("q1", "a", "c"), ("q2", "d", "e")
    names = ("question_id", "question", "answer")
    table = [dict(zip(names, row, strict=True)) for row in texts]
    path = write_file(tmp_path, f"rows.{suffix}", make_table(table, suffix))
    rows = list(read_nonempty_rows(path, "questions"))
    assert [row.group for row in rows] == ["q1", "q1", "q2"]
    assert [row.name for row in rows] == ["1", "2", "3"]


def test_the_id_of_a_config_is_optional(tmp_path):
    config = SimpleNamespace(
        columns=SimpleNamespace(names={"premise": "a", "hypothesis": "b", "id": "nr"})
    )
    for content, names in ((b"a,b\nx,y\n", ["1"]), (b"nr,a,b\n7,x,y\n", ["7"])):
        path = write_file(tmp_path, "rows.csv", content)
        columns = find_columns(path, "pairs", None, config)
        assert [e.name for e in read_nonempty_rows(path, "pairs", columns)] == names


def test_columns_have_any_names(tmp_path):
    columns = parse_columns(["hypothesis=b", "id=n", "premise=a"], "pairs")
    for name, content in (
        ("p.csv", b"n,a,b,c\n1,x y,z,\n"),
        ("p.tsv", b"a\tb\tn\nx y\tz\t1\n"),
        ("p.jsonl", b'{"a": "x y", "b": "z", "n": 1}\n'),
    ):
        path = write_file(tmp_path, name, content)
        (example,) = read_nonempty_rows(path, "pairs", columns)
        assert example.texts == ("x y", "z") and example.name == "1"


@pytest.mark.parametrize("head", ["premise,hypothesis", "sentence1,sentence2"])
def test_pairs_of_csv_have_the_names_of_the_inputs_or_those_of_snli(head, tmp_path):
    path = write_file(tmp_path, "p.csv", f'label,{head}\nneutral,"x, y",z\n'.encode())
    (example,) = read_nonempty_rows(path, "pairs", find_columns(path, "pairs", None))
    assert example.texts == ("x, y", "z")


@pytest.mark.parametrize(
    ("texts", "form", "words"),
    [
        (
            ["text"],
            "sentences",
            "--columns must be sentence=NAME and optionally id=NAME",
        ),
        (["premise=a"], "sentences", "Received: 'premise=a'"),
        (["premise=a"], "pairs", "--columns: hypothesis=NAME is missing"),
        (["sentence="], "sentences", "must be sentence=NAME"),
        (
            ["sentence=a", "sentence=b"],
            "sentences",
            "--columns: sentence is given twice",
        ),
        (["a=b"], "questions", "a file of questions, which has fixed"),
    ],
)
def test_columns_that_cannot_be(texts, form, words):
    with pytest.raises(InputError, match=words):
        parse_columns(texts, form)


def test_a_run_on_own_columns_reads_csv_with_other_known_names_too(tmp_path):
    names = {"premise": "a", "hypothesis": "b", "label": "c"}
    data = SimpleNamespace(columns=SimpleNamespace(names=names))
    for head in ("b,a", "hypothesis,premise", "sentence2,sentence1"):
        path = write_file(tmp_path, "p.csv", f"{head}\nz,x\n".encode())
        columns = find_columns(path, "pairs", None, data)
        (example,) = read_nonempty_rows(path, "pairs", columns)
        assert example.texts == ("x", "z")
    path = write_file(tmp_path, "p.csv", b"d,e\nz,x\n")
    with pytest.raises(InputError, match="no column 'a'"):
        list(read_nonempty_rows(path, "pairs", find_columns(path, "pairs", None, data)))


def test_sentences_have_the_column_of_a_run_on_own_sentences(tmp_path):
    path = write_file(tmp_path, "s.csv", b"review,sentence\na,b\n")
    for names, expected in (
        ({"sentence": "review", "label": "stars"}, {"sentence": "review"}),
        ({"premise": "p", "hypothesis": "h", "label": "l"}, {"sentence": "sentence"}),
    ):
        data = SimpleNamespace(columns=SimpleNamespace(names=names))
        assert find_columns(path, "sentences", None, data) == expected


def test_a_long_text_of_csv_is_refused_by_its_characters(tmp_path):
    path = write_file(tmp_path, "s.csv", b"sentence\n" + b"a" * 200_000 + b"\n")
    with pytest.raises(InputError, match="row 1: the sentence .* Received: 200,000"):
        list(read_nonempty_rows(path, "sentences", {"sentence": "sentence"}))


BAD = {
    "empty.txt": (b"a\n \nb\n", "line 2: the sentence is empty"),
    "no_utf8.txt": (b"a\nb\n\xff\n", "line 3: not UTF-8: invalid start byte"),
    "tab.txt": (b"a\tb\n", "line 1: expected one sentence"),
    "long.txt": (b"a\n" + b"b" * 50_001 + b"\n", "row 2: the sentence must have at"),
    "no_json.jsonl": (b'{"sentence": "a"}\n{"sentence\n', "line 2: not JSON"),
    "no_key.jsonl": (b'{"sentence": "a"}\n{"text": "b"}\n', "row 2: 'sentence' is"),
    "no_column.csv": (b"text\na\n", "row 1: no column 'sentence'"),
    "fields.csv": (
        b"sentence\na\nb,c\n",
        "row 2: expected 1 fields, as in the header. R",
    ),
    "empty.csv": (b'sentence\na\n" "\n', "row 2: a text is empty"),
    "nothing.txt": (b"", "no sentences"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_row_is_named_with_file_line_and_reason(name, tmp_path):
    content, words = BAD[name]
    path = write_file(tmp_path, name, content)
    with pytest.raises(InputError) as error:
        list(
            read_nonempty_rows(path, "sentences", find_columns(path, "sentences", None))
        )
    assert str(error.value).startswith(f"{path}") and words in str(error.value)


def test_a_pair_with_an_empty_text_is_refused(tmp_path):
    path = write_file(tmp_path, "pairs.txt", b"a\tb\nc\t\n")
    with pytest.raises(InputError, match="row 2: a text is empty"):
        list(read_nonempty_rows(path, "pairs"))


@pytest.mark.parametrize(
    ("first", "named", "suffix"),
    [
        (b"a man\nb\n", False, ".txt"),
        (b'\xef\xbb\xbf{"sentence": "a"}\n', False, ".jsonl"),
        (b"a,b\n1,2\t3\n", True, ".csv"),
        (b"a\tb\n", True, ".tsv"),
        (b"PAR1\x15", False, ".parquet"),
    ],
)
def test_the_form_of_standard_input_is_seen(first, named, suffix):
    assert guess_suffix(first, named) == suffix


def test_parquet_is_read_by_its_columns(tmp_path):
    import pyarrow
    from pyarrow import parquet

    texts = [f"text {n}" for n in range(9001)]
    table = pyarrow.table({"n": range(9001), "text": texts, "more": texts})
    path = tmp_path / "rows.parquet"
    parquet.write_table(table, path, row_group_size=2000)
    columns = {"sentence": "text", "id": "n"}
    rows = list(read_nonempty_rows(path, "sentences", columns))
    assert [row.texts[0] for row in rows] == texts
    assert rows[-1].name == "9000" and rows[-1].row == 9001
    with pytest.raises(InputError, match="no column 'sentence' .* Columns: 'n', 'tex"):
        list(read_nonempty_rows(path, "sentences", {"sentence": "sentence"}))
    with pytest.raises(InputError, match="row 1: 'n' must be text. Received: 0"):
        list(read_nonempty_rows(path, "sentences", {"sentence": "n"}))
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(InputError, match="damaged or not a Parquet file"):
        list(read_nonempty_rows(path, "sentences", columns))


def test_a_short_text_of_too_many_tokens_is_an_error():
    tokenize = Tokenizer("whitespace", extra_split=True)
    example = Example(("-" * 2000,), None, None, None, None, 7)
    message = "f, row 7: a text must have at most 4,000 tokens. Received: 4,001"
    with pytest.raises(InputError, match=message):
        check_token_counts([example], tokenize, "f")
