import pytest

from dsa.data.corpora.catalogue import get_corpus
from dsa.data.corpora.wikiqa import find_answered_rows
from dsa.errors import InputError
from tests.support.questions import HEADER, make_row, write_wikiqa
from tests.support.tables import make_table

WIKIQA = get_corpus("wikiqa")


def read(path, text):
    path.write_text(text, encoding="utf-8")
    return list(WIKIQA.read_examples(path))


def test_a_row_is_a_question_with_a_candidate(tmp_path):
    path = tmp_path / "a.tsv"
    examples = read(path, HEADER + make_row("Q1", 0, "0") + make_row("Q1", 1, "1"))
    first, second = examples
    assert first.texts == ("what is Q1 ?", "candidate 0 of Q1")
    assert (first.id, first.group, first.label) == ("Q1-0", "Q1", "wrong")
    assert (second.id, second.group, second.label) == ("Q1-1", "Q1", "right")
    assert [example.row for example in examples] == [1, 2]


def test_quotes_are_kept(tmp_path):
    row = make_row("Q1", 0, "1").replace("candidate 0 of Q1", '"all of it "" is text"')
    (example,) = read(tmp_path / "a.tsv", HEADER + row)
    assert example.texts[1] == '"all of it "" is text"'


def test_every_row_is_kept_also_of_unanswered_questions(tmp_path):
    path = write_wikiqa(tmp_path / "a.tsv", {"Q1": "000", "Q2": "010", "Q3": "11"})
    examples = list(WIKIQA.read_examples(path))
    assert [example.group for example in examples] == [
        *["Q1"] * 3,
        *["Q2"] * 3,
        *["Q3"] * 2,
    ]
    assert sum(example.label == "right" for example in examples) == 3


def test_rows_of_questions_with_a_right_answer_are_found():
    groups, right = ["c", "a", "b", "a", "c"], [True, False, False, True, True]
    answered = find_answered_rows(groups, right)
    assert answered.tolist() == [True, True, False, True, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEADER + make_row("Q1", 0, "1").replace("\n", "\tx\n"),
            "row 1: expected 7 fields, as in the header. Received: 8",
        ),
        (
            HEADER + "Q1\tquestion\tanswer\t1\n",
            "row 1: expected 7 fields, .* Received: 4",
        ),
        (HEADER + "\n", "row 1: expected 7 fields, .* Received: 1"),
        (HEADER + make_row("Q1", 0, "2"), "row 1: 'Label' must be 0 or 1. .*'2'"),
        (HEADER + make_row("Q1", 0, ""), "row 1: 'Label' must be 0 or 1. .*''"),
        (make_row("Q1", 0, "1"), ": the header line must contain the columns Ques"),
        (
            HEADER + "".join(make_row(q, 0, "1") for q in ("Q1", "Q2", "Q1")),
            "row 3: the rows of question 'Q1' are not adjacent",
        ),
        (HEADER + make_row("Q1", 0, "0"), "a.tsv: no question has a right answer"),
        (HEADER, "a.tsv: the file contains no rows"),
    ],
)
def test_a_malformed_file_raises_an_error_with_file_and_line(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path / "a.tsv", text)


def test_two_questions_with_the_same_id_raise_an_error(tmp_path):
    other = make_row("Q1", 1, "0").replace("what is Q1 ?", "who is Q1 ?")
    with pytest.raises(InputError, match="row 2: two questions have the id 'Q1'"):
        read(tmp_path / "a.tsv", HEADER + make_row("Q1", 0, "1") + other)


def test_a_sentence_may_answer_several_questions_but_each_once(tmp_path):
    rows = [make_row("Q1", 0, "1"), make_row("Q2", 0, "1").replace("Q2-0", "Q1-0")]
    assert len(read(tmp_path / "a.tsv", HEADER + "".join(rows))) == 2
    with pytest.raises(InputError, match="the sentence 'Q1-0' twice"):
        read(tmp_path / "b.tsv", HEADER + rows[0] + rows[0])


def test_the_rows_of_a_question_without_ids_are_a_group(tmp_path):
    path = tmp_path / "a.txt"
    examples = read(path, "how ?\ta .\t0\nhow ?\tb .\t1\nwho ?\tb .\t0\n")
    assert [(e.group, e.name, e.label) for e in examples] == [
        ("1", "1", "wrong"),
        ("1", "2", "right"),
        ("2", "3", "wrong"),
    ]
    with pytest.raises(InputError, match="line 2: the line must contain a quest"):
        read(path, "how ?\ta .\t1\nhow ?\tb .\n")
    with pytest.raises(InputError, match="line 3: the rows of question 'how' are not"):
        read(path, "how\ta\t1\nwho\tb\t0\nhow\tb\t0\n")


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_the_data_set_of_hugging_face_is_read(tmp_path, suffix):
    names = ("question_id", "question", "answer", "label")
    table = [("Q1", "how ?", "a .", "0"), ("Q1", "how ?", "b .", "1")]
    content = make_table([dict(zip(names, r, strict=True)) for r in table], suffix)
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(content)
    examples = WIKIQA.read_examples(path)
    assert [(*e.texts, e.group, e.name, e.label) for e in examples] == [
        ("how ?", "a .", "Q1", "1", "wrong"),
        ("how ?", "b .", "Q1", "2", "right"),
    ]
