"""A user's own files: formats, labels and errors."""

import gzip

import pytest

from dsa.data.corpora.own import (
    build_own_corpus,
    has_own_columns,
    read_own_unlabelled,
    read_splits,
)
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.experiment.yaml_file import parse_experiment

PAIRS = {"premise": "first", "hypothesis": "second", "label": "same", "id": "key"}
SINGLE = {"sentence": "text", "label": "topic", "group": "part"}
CSV = 'key,first,second,same\n7,"a, b",c ""d,yes\n8,"two\nlines",e,\n'


def corpus_of(columns=PAIRS, labels=("no", "yes")):
    return build_own_corpus(columns, labels)


def read(path, columns=PAIRS):
    return list(corpus_of(columns).read_examples(path))


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".txt", ".jsonl"])
def test_pairs_are_read_from_every_format(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    if ".csv" in ending:
        text = 'key,first,second,same,x\n7,"a, ""b""",c,yes,z\n\n8,d,e,,z\n'
    elif ending == ".jsonl":
        text = (
            '{"key": 7, "first": "a, \\"b\\"", "second": "c", "same": "yes"}\n'
            '{"key": 8, "first": "d", "second": "e", "same": null}\n'
        )
    else:
        text = 'key\tfirst\tsecond\tsame\tx\n7\ta, "b"\tc\tyes\tz\n8\td\te\t\tz\n'
    data = text.encode("utf-8-sig")  # as spreadsheets write it
    path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    first, second = read(path)
    assert first.texts == ('a, "b"', "c") and first.label == "yes" and first.id == "7"
    assert second.texts == ("d", "e") and second.label is None


def test_sentences_have_groups_and_labels_can_be_numbers(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "topic": 1, "part": "p"}\n')
    corpus = corpus_of(SINGLE, ("0", "1"))
    (example,) = corpus.read_examples(path)
    assert example.texts == ("a",) and example.label == "1" and example.group == "p"
    assert corpus.grouped and corpus.task.inputs == ("sentence",)


def test_a_quoted_field_may_contain_a_line_end(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('key,first,second,same\n8,"two\nlines",e,no\n9,f,g,no\n')
    assert [example.texts[0] for example in read(path)] == ["two\nlines", "f"]
    assert [(row.row, row.name) for row in read(path)] == [(1, "8"), (2, "9")]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "key;first;second;same\n1;a;b;no\n", "no column 'first' .*Columns: "),
        ("a.csv", "key,first,second\n1,a,b\n", "row 1: no column 'same'"),
        ("a.csv", "key,first,second,same\n1,a,b\n", "expected 4 fields, .*: 3"),
        (
            "a.csv",
            "key,first,first,same\n1,a,b,no\n",
            ": duplicate column 'first'",
        ),
        ("a.csv", 'key,first,second,same\n1,"a,b,no\n', "a.csv, row 1: .*end of data"),
        ("a.csv", "key,first,second,same\n1,a,b,yse\n", "unknown label 'yse'. Did you"),
        ("a.csv", "key,first,second,same\n", "no rows"),
        (
            "a.tsv",
            'key\tfirst\tsecond\tsame\n1\t"a\tb\tmaybe\n',
            "label 'maybe'. Known",
        ),
        (
            "a.jsonl",
            '{"key": 1, "first": "a", "second": null, "same": "no"}',
            "must be text",
        ),
        ("a.jsonl", '{"key": 1, "first": "a", "same": "no"}\n', "no column 'second'"),
        ("a.jsonl", '{"key":1,"first":"a","second":"b","same":true}', "label 'True'"),
        ("a.xlsx", "PK", r"Known: .csv, .tsv, .txt, .jsonl"),
    ],
)
def test_a_malformed_row_raises_an_error_with_file_and_row(
    tmp_path, name, text, message
):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read(path)


def test_a_file_to_predict_needs_no_labels(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("second,first\nb,a\n")
    inputs = ("premise", "hypothesis")
    columns = {name: column for name, column in PAIRS.items() if name != "id"}
    assert has_own_columns(path, inputs, columns)
    (example,) = read_own_unlabelled(path, inputs, columns)
    assert example.texts == ("a", "b") and example.label is None
    other = tmp_path / "other.jsonl"
    other.write_text('{"sentence1": "a", "sentence2": "b"}\n')
    assert not has_own_columns(other, inputs, columns)
    assert not has_own_columns("-", inputs, columns)


def test_other_columns_are_another_corpus_in_the_cache(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("first,second,third,same\na,b,c,no\nd,e,f,yes\n")
    columns = {"premise": "first", "hypothesis": "second", "label": "same"}
    one = prepare(path, corpus_of(columns), Tokenizer())
    other = prepare(path, corpus_of({**columns, "hypothesis": "third"}), Tokenizer())
    assert set(one.words) == set("abde") and set(other.words) == set("acdf")


DATA = {
    "corpus": "own",
    "columns": {"premise": "first", "hypothesis": "second"},
    "labels": ["no", "yes"],
    "train": "train.csv",
    "dev": "dev.csv",
}


def build(root=None, model="esim", **changes):
    data = {key: value for key, value in {**DATA, **changes}.items() if value}
    embedding = {"trainable": True}
    settings = {"data": data, "embedding": embedding, "model": {"name": model}}
    return parse_experiment(settings, root=root)


def test_the_config_determines_the_task():
    task = build().task
    assert task.labels == ("no", "yes") and task.classifies_pairs
    assert build(labels=[0, 1]).task.labels == ("0", "1")
    columns = {"sentence": "text", "label": "topic"}
    with pytest.raises(InputError, match="'model.name: esim' requires sentence pairs"):
        build(columns=columns)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": None}, "requires 'data.columns', and 'data.labels'"),
        ({"columns": None}, "requires 'data.columns', and 'data.labels'"),
        ({"corpus": "snli"}, "'data.columns' requires 'data.corpus: own'"),
        (
            {"scores": {"lowest": 0, "highest": 5}},
            "'data.labels' and 'data.scores' cannot",
        ),
        ({"labels": None, "scores": {"lowest": 5, "highest": 5}}, "must exceed"),
        ({"split_column": "part"}, "'data.split_column' cannot be .*are rows of"),
        (
            {"dev": None, "split_column": "a", "dev_share": 0.1},
            "'data.split_column'.*Received",
        ),
        ({"corpus": "mine"}, "Known: snli, .*, or 'own' for your own files"),
        ({"labels": [False, True]}, "Put quotes around the words"),
        ({"labels": ["a"]}, "at least 2 items"),
        ({"labels": ["a", "a"]}, "distinct labels. Received: a, a"),
        ({"columns": {"premise": "a"}}, "'hypothesis', or the key 'sentence'"),
        (
            {"columns": {"sentence": "a", "premise": "b"}},
            "the keys 'premise' and 'hypothesis', or the key 'sentence'",
        ),
        (
            {"columns": {"sentence": "label"}},
            "distinct columns. Received: label, label",
        ),
        ({"columns": {"sentenc": "a"}}, "Did you mean 'sentence'"),
        ({"train": "/home/me/train.csv"}, "An absolute path requires the data root /"),
    ],
)
def test_impossible_settings_raise_an_error(changes, message):
    with pytest.raises(InputError, match=message):
        build(**changes)


def test_paths_are_absolute_only_below_the_root_of_all():
    assert build("/", train="/home/me/train.csv").data.train == "home/me/train.csv"
    with pytest.raises(InputError, match="An absolute path requires"):
        build("/home", train="/home/me/train.csv")


def test_a_row_without_an_id_is_named_by_its_number_without_the_header(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('first,second\n"two\nlines",b\n\nc,d\n')
    columns = {"premise": "first", "hypothesis": "second"}
    examples = list(read_own_unlabelled(path, tuple(columns), columns))
    assert [example.name for example in examples] == ["1", "2"]
    path.write_text('first,second\n"two\nlines",b\n\nc\n')
    with pytest.raises(InputError, match="a.csv, row 2: expected 2 fields, as in"):
        list(read_own_unlabelled(path, tuple(columns), columns))


def test_columns_without_a_name_are_ignored(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("key,first,second,same,,,\n8,a,b,no,,,\n")
    (example,) = read(path)
    assert example.texts == ("a", "b") and example.label == "no"


@pytest.mark.parametrize("label", ["-1", '"-"', '"hidden"', '""', "null", "NaN"])
def test_marks_of_unlabelled_rows_are_no_labels(tmp_path, label):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text": "a", "topic": {label}, "part": "p"}}\n')
    (example,) = corpus_of(SINGLE, ("0", "1")).read_examples(path)
    assert example.label is None
    if label == "-1":
        (example,) = corpus_of(SINGLE, ("-1", "1")).read_examples(path)
        assert example.label == "-1"


def test_whole_numbers_of_a_column_with_gaps_are_labels(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "topic": 1.0, "part": "p"}\n')
    (example,) = corpus_of(SINGLE, ("0", "1")).read_examples(path)
    assert example.label == "1"


def test_a_negative_whole_number_is_an_unknown_label(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "topic": -2.0, "part": "p"}\n')
    with pytest.raises(InputError, match="row 1: unknown label '-2'. Known labels"):
        list(corpus_of(SINGLE, ("0", "1")).read_examples(path))


@pytest.mark.parametrize("label", ["[1]", '{"a": 1}', "0.5"])
def test_a_label_of_another_type_is_an_error(tmp_path, label):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text": "a", "topic": {label}, "part": "p"}}\n')
    with pytest.raises(InputError, match="row 1: the label must be text or a who"):
        list(corpus_of(SINGLE, ("0", "1")).read_examples(path))


def write_parquet(path, columns):
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path)
    return path


def test_pairs_are_read_from_parquet(tmp_path):
    import pyarrow

    columns = {
        "key": [7, 8],
        "first": pyarrow.array(["a", "d"], pyarrow.large_string()),  # of pandas
        "second": pyarrow.array(["c", "e"]).dictionary_encode(),
        "same": ["yes", None],
    }
    first, second = read(write_parquet(tmp_path / "a.parquet", columns))
    assert first.texts == ("a", "c") and first.label == "yes" and first.id == "7"
    assert second.texts == ("d", "e") and second.label is None


def test_a_damaged_parquet_file_is_an_error(tmp_path):
    import pyarrow

    path = tmp_path / "a.parquet"
    good = {"key": [1], "first": ["a"], "second": ["b"], "same": ["no"]}
    for columns, message in (
        ({**good, "first": [b"a"]}, "row 1: 'first' must be text. Received: b'a'"),
        ({**good, "same": [["no"]]}, "row 1: the label must be text or"),
        ({"key": [1]}, "no column 'first' .* Columns: 'key'"),
    ):
        with pytest.raises(InputError, match=message):
            read(write_parquet(path, columns))
    latin = pyarrow.array([b"caf\xe9"]).view(pyarrow.string())
    with pytest.raises(
        InputError, match="a.parquet: the file is damaged or not a Parq"
    ):
        read(write_parquet(path, {**good, "first": latin}))
    names = ["key", "first", "second", "same", "first"]
    arrays = [pyarrow.array(["a"]) for _ in names]
    table = pyarrow.Table.from_arrays(arrays, names)
    pyarrow.parquet.write_table(table, path)
    with pytest.raises(InputError, match="a.parquet: duplicate column 'first'"):
        read(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(
        InputError, match="a.parquet: the file is damaged or not a Parq"
    ):
        read(path)


SCORED = {"premise": "first", "hypothesis": "second", "label": "similarity"}


def test_scores_are_numbers_or_their_text_within_the_scale(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"first": "a", "second": "b", "similarity": 3.5}\n'
        '{"first": "c", "second": "d", "similarity": "4"}\n'
        '{"first": "e", "second": "f", "similarity": null}\n'
        '{"first": "g", "second": "h", "similarity": -1.0}\n'
    )
    scale = {"lowest": 1, "highest": 5}
    scored = build(model="dsa", columns=SCORED, labels=None, scores=scale)
    corpus = scored.data.resolved_corpus
    labels = [example.label for example in corpus.read_examples(path)]
    assert labels == [3.5, 4.0, None, None] and corpus.task.outputs == 5
    path.write_text('{"first": "a", "second": "b", "similarity": 5.5}\n')
    with pytest.raises(InputError, match="row 1: the score must be a number from 1"):
        list(corpus.read_examples(path))


def test_a_scale_contains_no_mark_of_unlabelled_rows():
    with pytest.raises(ValueError, match="must not be negative, because -1 marks unl"):
        build_own_corpus(SCORED, scale=(-1, 1))


@pytest.mark.parametrize("settings", [{"labels": ("0", "1")}, {"columns": SINGLE}])
def test_scores_exclude_labels_and_single_sentences(settings):
    with pytest.raises(ValueError, match="`scale` requires the columns 'premise' and"):
        build_own_corpus(**{"columns": SCORED, "scale": (0, 5), **settings})


def test_only_the_rows_with_the_given_value_are_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("first,second,label,language\na,b,no,en\nc,d,?,fr\ne,f,yes,en\n")
    corpus = build(where={"language": "en"}).data.resolved_corpus
    assert [(e.texts[0], e.row) for e in corpus.read_examples(path)] == [
        ("a", 1),
        ("e", 3),
    ]
    other = build(where={"lang": "en"}).data.resolved_corpus
    with pytest.raises(InputError, match="row 1: no column 'lang'"):
        list(other.read_examples(path))


def test_the_config_sets_the_values_of_unlabelled_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("first,second,label\na,b,no\nc,d,n/a\n")
    corpus = build(unlabelled=["n/a"]).data.resolved_corpus
    assert [e.label for e in corpus.read_examples(path)] == ["no", None]
    with pytest.raises(InputError, match="row 2: unknown label 'n/a'"):
        list(build().data.resolved_corpus.read_examples(path))


def test_a_column_gives_the_split_of_each_selected_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("part,lang\ntrain,en\ntest,fr\nValidation,en\ntest,en\ntrain,en\n")
    splits = read_splits(path, "part", {"lang": "en"})
    assert {name: rows.tolist() for name, rows in splits.items()} == {
        "train": [0, 3],
        "dev": [1],
        "test": [2],
    }
    path.write_text("part\ntrain\nheldout\n")
    with pytest.raises(InputError, match="row 2: unknown split 'heldout' in 'part'"):
        read_splits(path, "part")
    path.write_text("part\ntrain\n")
    with pytest.raises(InputError, match="no row has the split 'dev' in 'part'"):
        read_splits(path, "part")


def test_whole_numbers_with_a_fraction_in_csv_are_labels(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,topic,part\na,1.0,p\nb,,p\nc,-1.0,p\nd,0,p\n")
    examples = corpus_of(SINGLE, ("0", "1")).read_examples(path)
    assert [example.label for example in examples] == ["1", None, None, "0"]
    path.write_text("first,second,similarity\na,b,-1.0\nc,d,3.0\n")
    examples = build_own_corpus(SCORED, scale=(0, 5)).read_examples(path)
    assert [example.label for example in examples] == [None, 3.0]
