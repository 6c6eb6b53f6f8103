"""What a Python caller can give to `predict` and `encode`."""

import contextlib
import inspect
import pathlib
import types

import numpy as np
import pytest

import dsa
from dsa.errors import InputError
from dsa.inference.encoding import compute_similarity
from dsa.inference.python_inputs import make_table, read_rows, read_texts
from dsa.inference.sentence_vectors import compute_cosines, normalize_rows
from dsa.inference.trained_model import TrainedModel
from dsa.tasks.ranking import Ranking
from dsa.tasks.task import PAIR, SINGLE

ROW = ("A man sleeps.", "A man rests.")


class Table:
    """As a pandas `DataFrame`: iterating gives the names of its columns."""

    def __init__(self, **columns):
        self.columns = list(columns)
        self._rows = zip(*columns.values(), strict=True)

    def __iter__(self):
        return iter(self.columns)

    def to_dict(self, orient):
        assert orient == "records"
        return [dict(zip(self.columns, row, strict=True)) for row in self._rows]


class PolarsTable(Table):
    def to_dict(self):
        raise AssertionError("its keys are the columns")

    def to_dicts(self):
        return super().to_dict("records")


def make_tables():
    tables = [Table, PolarsTable]
    with contextlib.suppress(ImportError):
        import pandas

        tables.append(lambda **columns: pandas.DataFrame(columns))
    return tables


@pytest.mark.parametrize(
    "rows",
    [
        [ROW],
        [list(ROW)],
        (ROW,),
        ROW,  # one pair
        {"premise": ROW[0], "hypothesis": ROW[1]},
        [{"sentence1": ROW[0], "sentence2": ROW[1], "gold_label": "neutral"}],
        (row for row in [ROW]),
        iter([{"hypothesis": ROW[1], "premise": ROW[0]}]),
        np.array([ROW]),
    ],
)
def test_pairs_come_in_many_forms(rows):
    assert read_rows(rows, PAIR) == [ROW]


@pytest.mark.parametrize(
    "rows",
    [
        ["dog", "cat"],
        ("dog", "cat"),
        iter(["dog", "cat"]),
        [["dog"], {"sentence": "cat"}],
    ],
)
def test_sentences_come_in_many_forms(rows):
    assert read_rows(rows, SINGLE) == [("dog",), ("cat",)]


@pytest.mark.parametrize("make", make_tables())
def test_a_table_has_a_row_in_each_of_its_rows(make):
    pairs = [*zip("abc", "xyz", strict=True)]
    given = make(label=[1, 2, 3], hypothesis=[*"xyz"], premise=[*"abc"])
    assert read_rows(given, PAIR) == pairs
    assert read_rows(make(sentence1=[*"abc"], sentence2=[*"xyz"]), PAIR) == pairs
    assert read_rows(make(sentence=["a", "b"]), SINGLE) == [("a",), ("b",)]
    assert read_texts(make(number=[1, 2], sentence=["a", "b"])) == ["a", "b"]
    assert read_texts(make(sentence=[])) == []


@pytest.mark.parametrize("make", make_tables())
def test_a_table_has_the_columns_of_the_run(make):
    run_columns = {"premise": "first", "hypothesis": "second", "label": "same"}
    own = make(same=["0"], second=["x"], first=["a"])
    assert read_rows(own, PAIR, run_columns) == [("a", "x")]
    assert read_rows(make(premise=["a"], hypothesis=["x"]), PAIR, run_columns) == [
        ("a", "x")
    ]
    assert read_texts(make(review=["a"]), {"sentence": "review"}) == ["a"]
    assert read_rows({"first": "a", "second": "x"}, PAIR, run_columns) == [("a", "x")]


@pytest.mark.parametrize("make", make_tables())
def test_the_columns_of_the_caller_precede_all_others(make):
    columns = {"premise": "b", "hypothesis": "a"}
    table = make(a=["x"], b=["y"], premise=["p"], hypothesis=["h"])
    assert read_rows(table, PAIR, None, columns) == [("y", "x")]
    expected = "a table requires b and a. Received: 'premise'"
    with pytest.raises(InputError, match=expected):
        read_rows(make(premise=["p"], hypothesis=["h"]), PAIR, None, columns)


@pytest.mark.parametrize("columns", [{"premise": "a"}, "ab", {"sentence": "a"}])
def test_columns_name_every_input(columns):
    with pytest.raises(
        InputError, match="'columns' must be a dictionary with the keys"
    ):
        read_rows(Table(a=["x"]), PAIR, None, columns)


def test_a_column_of_a_table_is_texts():
    pandas = pytest.importorskip("pandas")
    assert read_texts(pandas.DataFrame({"a": ["x", "y"]})["a"]) == ["x", "y"]


def test_one_text_is_one_row_and_no_rows_are_none():
    assert read_rows("dog", SINGLE) == [("dog",)]
    assert read_texts("dog") == ["dog"]
    assert read_rows([], PAIR) == read_rows(iter(()), PAIR) == read_texts([]) == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", None)], r"hypothesis of row 1 must be a text. Received: None"),
        ([ROW, ("a", 3)], r"hypothesis of row 2 must be a text. Received: 3 .int"),
        ([None], r"row 1 must be a text, a tuple of texts or a dictionary"),
        ([{"premise": "a"}], r"premise and hypothesis, or sentence1 and sentence2"),
        ([{"premise": "a", "hypothesis": None}], "hypothesis of row 1 must be a text"),
        ({"premise": ["a"], "hypothesis": ["b"]}, "premise of row 1 must be a text"),
        (None, "rows must be an iterable. Received: None"),
        (3, "rows must be an iterable. Received: 3"),
        (b"ab", "rows must be an iterable"),
        ([b"ab"], "row 1 must be a text"),
        ({ROW}, "rows must be ordered. Received: set$"),
        (
            Table(a=["x"], premise=["y"]),
            "^a table requires premise and hypothesis, or sentence1 and "
            "sentence2. Received: 'a', 'premise'$",
        ),
        (
            Table(premise=["a", "b"], hypothesis=["c", float("nan")]),
            r"hypothesis of row 2 must be a text. Received: nan .float",
        ),
    ],
)
def test_anything_else_is_refused(rows, message):
    with pytest.raises(InputError, match=message):
        read_rows(rows, PAIR)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a", None], "text 2 must be a text. Received: None"),
        ([("a", "b")], "text 1 must be a text"),
        ({"sentence": "a"}, "texts must be an iterable"),
        (None, "texts must be an iterable"),
        ({"a"}, "texts must be ordered"),
        (Table(premise=["a"]), "a table requires sentence"),
    ],
)
def test_only_texts_are_encoded(texts, message):
    with pytest.raises(InputError, match=message):
        read_texts(texts)


def test_cosines_are_of_every_vector_with_every_other():
    vectors = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0]], np.float32)
    normal = normalize_rows(vectors)
    np.testing.assert_allclose(normal, [[0.6, 0.8], [0, 0], [0, 1]], rtol=1e-6)
    similarities = compute_cosines(vectors[0], vectors)
    np.testing.assert_allclose(similarities, [1, 0, 0.8], rtol=1e-6)
    assert compute_cosines(vectors, vectors[:2]).shape == (3, 2)


def test_the_public_interface_has_types():
    functions = [dsa.train, dsa.evaluate, dsa.load, *_public_methods(TrainedModel)]
    for function in functions:
        signature = inspect.signature(function)
        for name, parameter in signature.parameters.items():
            typed = parameter.annotation is not parameter.empty
            assert typed or name == "self", f"{function.__name__}: {name}"
        assert signature.return_annotation is not signature.empty, function.__name__
    assert (pathlib.Path(dsa.__file__).parent / "py.typed").is_file()


def _public_methods(kind):
    names = (
        "predict",
        "predict_examples",
        "encode",
        "similarity",
        "explain",
        "explain_sentence",
        "explain_tokens",
        "with_words",
    )
    return [getattr(kind, name) for name in names]


def test_a_model_takes_what_python_has(finished):
    trained = dsa.load(finished / "run")
    (expected,) = trained.predict([ROW])
    for rows in (ROW, dict(zip(PAIR, ROW, strict=True)), iter([ROW])):
        (given,) = trained.predict(rows, batch_size=1)
        assert given.label == expected.label
        assert given.probabilities == pytest.approx(expected.probabilities, abs=1e-5)
    with pytest.raises(InputError, match="hypothesis of row 1 must be a text"):
        trained.predict([("A man.", None)])
    with pytest.raises(InputError, match="reads sentence pairs"):
        trained.predict("A man sleeps.")
    with pytest.raises(InputError, match="'batch_size' must be a positive integer"):
        trained.predict([ROW], batch_size=0)
    with pytest.raises(InputError, match="premise of row 1 must be a text"):
        trained.explain(None, "A man.")
    with pytest.raises(InputError, match="text 1 must be a text"):
        trained.explain_sentence(None)


def test_texts_are_encoded_one_or_many_and_compared(finished):
    trained = dsa.load(finished / "run")
    texts = ["A dog runs.", "A man rests.", "A dog runs."]
    vectors = trained.encode(text for text in texts)
    assert trained.encode("A dog runs.").shape == vectors[0].shape
    assert trained.encode([]).shape == (0, vectors.shape[1])
    small = trained.encode(texts, batch_size=1)
    np.testing.assert_allclose(small, vectors, atol=1e-5)
    lengths = np.linalg.norm(trained.encode(texts, normalize=True), axis=1)
    np.testing.assert_allclose(lengths, 1, rtol=1e-5)
    assert trained.similarity(texts[0], texts[2]) == pytest.approx(1, rel=1e-5)
    table = trained.similarity(texts, vectors[:2])
    assert table.shape == (3, 2) and abs(table[1, 0]) < 1
    assert str(finished / "run") in repr(trained) and "'dsa'" in repr(trained)
    assert "nli" in repr(trained) and ", dev accuracy " in repr(trained)
    assert repr(trained.run) == f"RunFolder('{finished / 'run'}')"


class Frame(Table):
    """As a pandas `DataFrame`, with an index."""

    def __init__(self, columns, index):
        super().__init__(**columns)
        self.content, self.index = columns, index


def test_a_pair_is_given_as_a_tuple_or_as_two_arguments(finished):
    trained = dsa.load(finished / "run")
    (one,), (other,) = trained.predict(*ROW), trained.predict(ROW)
    assert one.label == other.label
    shares = trained.predict_proba(*ROW), trained.predict_proba(ROW)
    np.testing.assert_allclose(*shares, atol=1e-5)
    one, other = trained.explain(*ROW), trained.explain(ROW)
    np.testing.assert_allclose(one.logits, other.logits, atol=1e-5)
    assert trained.similarity(ROW) == pytest.approx(trained.similarity(*ROW), abs=1e-5)
    with pytest.raises(InputError, match=r"must be a text. Received: 32 \(int\)"):
        trained.predict(ROW[0], 32)
    with pytest.raises(InputError, match="requires one row. Received: 2 rows"):
        trained.explain([ROW, ROW])
    with pytest.raises(InputError, match="'normalize' must be True or False. .*: 3"):
        trained.encode(ROW[0], normalize=3)


def test_a_frame_is_predicted_as_a_frame_with_its_index(finished):
    trained = dsa.load(finished / "run")
    frame = Frame({"premise": [ROW[0]] * 2, "hypothesis": [ROW[1]] * 2}, index=[7, 3])
    answers, (expected,) = trained.predict(frame), trained.predict(ROW)
    assert type(answers) is Frame and answers.index == [7, 3]
    assert list(answers.content) == ["label", *trained.task.labels]
    assert answers.content["label"] == [expected.label] * 2
    shares = answers.content["neutral"]
    assert shares == pytest.approx([expected.probabilities["neutral"]] * 2, rel=1e-5)
    empty = trained.predict(Frame({"premise": [], "hypothesis": []}, index=[]))
    assert empty.content["label"] == []


def test_a_frame_of_candidate_answers_is_predicted_as_a_frame_of_scores():
    task = Ranking("answers")
    frame = Frame({"premise": ["who ?"], "hypothesis": ["he ."]}, index=[7])
    answers = make_table(frame, [task.answer(np.array([0.5, 2.0]))], task)
    assert list(answers.content) == ["score", "wrong", "right"]
    assert answers.content["score"] == [1.5] and answers.index == [7]


def test_only_the_public_members_are_listed(finished):
    assert dir(dsa) == sorted(dsa.__all__) and dsa.Experiment
    names = dir(dsa.load(finished / "run"))
    assert {"predict", "encode", "explain"} <= {*names}
    assert not {"inference", "reader", "lookup", "check_inputs"} & {*names}


def test_an_unknown_word_is_logged_once_in_a_process(run_copy, caplog):
    trained = dsa.load(run_copy)  # a folder whose words no other test has logged
    for _ in range(2):
        trained.predict("A man xyzzy.", "A plugh.")
    trained.predict("A man xyzzy.", "A quux.")
    lines = [line for line in caplog.messages if "unknown word" in line]
    assert [line.partition(": ")[2] for line in lines] == ["xyzzy, plugh", "quux"]


@pytest.mark.parametrize("dtype", [str, object])
def test_an_array_of_texts_is_encoded(dtype):
    texts = np.array(["A dog runs.", "A man rests."], dtype)
    trained = types.SimpleNamespace(encode=lambda texts: np.eye(len(texts)))
    np.testing.assert_allclose(compute_similarity(trained, texts, texts), np.eye(2))
    np.testing.assert_allclose(compute_similarity(trained, np.eye(2), texts), np.eye(2))
