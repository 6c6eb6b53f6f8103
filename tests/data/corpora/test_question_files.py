import json

import pytest

from dsa.data.corpora.input_files import read_questions
from dsa.errors import InputError
from tests.support.questions import HEADER, make_row


def read(tmp_path, text):
    path = tmp_path / "questions"
    path.write_text(text, encoding="utf-8")
    return [(e.group, e.name, *e.texts) for e in read_questions(path)]


def test_a_json_line_is_a_question_with_its_answers(tmp_path):
    lines = [
        {"question": "who ?", "answers": ["he .", "she ."], "id": "w"},
        {"question": "who ?", "answers": ["nobody ."]},
    ]
    assert read(tmp_path, "".join(f"{json.dumps(line)}\n" for line in lines)) == [
        ("w", "w-1", "who ?", "he ."),
        ("w", "w-2", "who ?", "she ."),
        ("2", "2-1", "who ?", "nobody ."),
    ]


def test_an_empty_id_of_a_question_is_ignored(tmp_path):
    line = {"question": "who ?", "answer": "he .", "qid": "", "question_id": "w"}
    assert read(tmp_path, json.dumps(line)) == [("w", "1", "who ?", "he .")]


def test_the_columns_of_wikiqa_are_read_whatever_their_labels_say(tmp_path):
    rows = make_row("Q1", 0, "?") + make_row("Q1", 1, "") + make_row("Q2", 0, "0")
    assert read(tmp_path, HEADER + rows) == [
        ("Q1", "Q1-0", "what is Q1 ?", "candidate 0 of Q1"),
        ("Q1", "Q1-1", "what is Q1 ?", "candidate 1 of Q1"),
        ("Q2", "Q2-0", "what is Q2 ?", "candidate 0 of Q2"),
    ]


def test_two_columns_are_question_and_answer(tmp_path):
    assert read(tmp_path, "who ?\the .\nwho ?\tshe .\nwhat ?\tit .\n") == [
        ("1", "1", "who ?", "he ."),
        ("1", "2", "who ?", "she ."),
        ("2", "3", "what ?", "it ."),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no questions"),
        ("who ?\n", "line 1: expected question, tab, answer. Received: 1 field"),
        ("a\tb\nc\td\na\te\n", "row 3: the rows of question 'a' are not adjacent"),
        ('{"answers": ["a"]}\n', "row 1: 'question' is missing"),
        ('{"question": "a"}\n', "row 1: 'answers' must be a non-empty list"),
        ('{"question": "a", "answers": []}\n', "'answers' must be a non-empty list"),
        ('{"question": "a", "answers": "b"}\n', "'answers' must be a non-empty list"),
        (
            '{"question": "a", "answers": ["b", 2]}\n',
            "row 1: answer 2 must be text. Received: 2",
        ),
        (
            '{"question": "a", "answers": ["b"], "id": 1}\n' * 2,
            "row 2: duplicate question id '1'",
        ),
        (
            '{"question": "a", "answer": "b"}\n{"question": "a"}\n',
            "row 2: 'answer' is missing",
        ),
        (
            "question\tanswer\tqid\na\tb\t2\nc\td\t\n",
            "row 2: either all rows or no rows must",
        ),
        (
            "qid\tquestion\tanswer\n1\ta\tb\n1\tc\td\n",
            "row 2: two questions have the id '1'",
        ),
        (
            "qid\tquestion\tanswer\n1\ta\tb\n2\tc\td\n1\te\tf\n",
            "row 3: two questions have the id '1'",
        ),
        ("QuestionID\tQuestion\tSentence\n", ": the header line must contain the"),
    ],
)
def test_a_malformed_file_raises_an_error_with_file_and_line(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_questions_with_equal_texts_and_different_ids_are_separate(tmp_path):
    rows = "1\twho ?\the .\n2\twhat ?\tit .\n3\twho ?\tshe .\n"
    found = read(tmp_path, "qid\tquestion\tanswer\n" + rows)
    assert [group for group, *_ in found] == ["1", "2", "3"]
    line = {"question_id": "Q7", "question": "who ?", "answers": ["he ."]}
    assert read(tmp_path, json.dumps(line)) == [("Q7", "Q7-1", "who ?", "he .")]
