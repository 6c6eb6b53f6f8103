import csv

import pytest

from dsa.errors import InputError
from dsa.evaluation.submission import (
    OFFICIAL_ROWS,
    check_submission,
    read_test,
    write_submission,
)
from tests.support.corpora import rows, write_jsonl


def hidden(count=7):
    return rows(count, gold_label="hidden", genre="travel")


def run_script(scripts, *arguments):
    return scripts.make_submission.main([str(argument) for argument in arguments])


@pytest.mark.slow
def test_a_submission_holds_every_pair_once_in_file_order_with_the_predicted_label(
    scripts, run_copy, tmp_path, capsys
):
    import dsa

    pairs = hidden()[::-1]
    files = {
        test: write_jsonl(tmp_path / f"{test}.jsonl", pairs[start:])
        for test, start in (("matched", 0), ("mismatched", 2))
    }
    options = [x for test, file in files.items() for x in (f"--{test}", file)]
    out = tmp_path / "out"
    assert run_script(scripts, run_copy, *options, "--any-rows", "--out", out) == 0
    with open(out / "submission_matched.csv", newline="") as file:
        header, *lines = csv.reader(file)
    assert header == ["pairID", "gold_label"]
    predicted = dsa.load(run_copy).predict(
        [(row["sentence1"], row["sentence2"]) for row in pairs]
    )
    ids = ["p6", "p5", "p4", "p3", "p2", "p1", "p0"]
    labels = [prediction.label for prediction in predicted]
    assert lines == [[*row] for row in zip(ids, labels, strict=True)]
    assert "submission_mismatched.csv: 5 rows: " in capsys.readouterr().out
    for test, file in files.items():
        path = out / f"submission_{test}.csv"
        assert run_script(scripts, "--check", path, "--against", file) == 0
    assert "valid submission for" in capsys.readouterr().out


def test_the_official_number_of_rows_is_required(scripts, run_copy, tmp_path, capsys):
    file = write_jsonl(tmp_path / "m.jsonl", hidden(5))
    assert run_script(scripts, run_copy, "--matched", file) == 2
    assert (
        "the matched test file has 9,796 rows. Received: 5 rows"
        in capsys.readouterr().err
    )
    assert not list(run_copy.glob("submission*"))


@pytest.mark.parametrize("copy", [False, True])
def test_one_file_is_not_both_test_sets(scripts, run_copy, tmp_path, copy, capsys):
    first = write_jsonl(tmp_path / "a.jsonl", hidden(5))
    other = write_jsonl(tmp_path / "b.jsonl", hidden(5)) if copy else first
    tests = ("--matched", first, "--mismatched", other)
    assert run_script(scripts, run_copy, *tests, "--any-rows") == 2
    assert (
        "contain the same pairs, but matched and mismatched" in capsys.readouterr().err
    )
    assert not list(run_copy.glob("submission*"))


def test_a_file_of_the_official_size_passes(tmp_path):
    file = write_jsonl(tmp_path / "m.jsonl.gz", hidden(OFFICIAL_ROWS["mismatched"]))
    assert len(read_test(file, "mismatched")) == 9_847


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pairID": "p0"}, "row 2: duplicate pairID p0, see row 1"),
        ({"pairID": None}, "row 2: 'pairID' is missing"),
        (
            {"pairID": "a\nb"},
            r"row 2: pairID 'a\\nb' contains unprintable characters",
        ),
        ({"pairID": ""}, "row 2: 'pairID' is missing"),
        (
            {"gold_label": "neutral"},
            "row 2: test files have no gold labels. Received: neutral",
        ),
    ],
)
def test_a_test_file_that_would_make_a_wrong_submission_is_refused(
    tmp_path, change, message
):
    pairs = hidden(3)
    pairs[1] |= change
    file = write_jsonl(tmp_path / "m.jsonl", pairs)
    with pytest.raises(InputError, match=f"m.jsonl, {message}"):
        read_test(file)


def test_gold_labels_are_accepted_with_labelled(tmp_path):
    assert len(read_test(write_jsonl(tmp_path / "m.jsonl", rows(3)), None, True)) == 3


def test_a_run_of_other_labels_makes_no_submission(scripts, run_copy, capsys):
    config = run_copy / "config.yaml"
    config.write_text(config.read_text().replace("corpus: snli", "corpus: quora"))
    assert run_script(scripts, run_copy, "--matched", "nowhere.jsonl") == 2
    assert (
        "a submission requires the labels entailment, neutral"
        in capsys.readouterr().err
    )


GOOD = "pairID,gold_label\np1,neutral\np0,entailment\np2,neutral\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ": the header must be 'pairID,gold_label'. Received: ''"),
        (GOOD.replace("gold_", ""), ": the header must be"),
        (GOOD.replace("neutral\np0", "hidden\np0"), "row 1: unknown label 'hidden'"),
        (GOOD + "p1,neutral\n", "row 4: duplicate pairID p1"),
        (GOOD + "p3,neutral\n", "row 4: pairID p3 is not in the test file"),
        (GOOD + "p3\n", "row 4: a row must have 2 fields. Received: 1"),
        (GOOD + '"p3\n', "unexpected end of data"),
        (GOOD.replace("p0,entailment\n", ""), "1 of 3 pairIDs are missing: p0"),
    ],
)
def test_a_wrong_submission_is_found_with_its_line(tmp_path, content, message):
    path = tmp_path / "s.csv"
    path.write_text(content)
    examples = read_test(write_jsonl(tmp_path / "m.jsonl", hidden(3)))
    with pytest.raises(InputError, match=message):
        check_submission(path, examples)


def test_a_submission_in_another_order_passes(tmp_path):
    (tmp_path / "s.csv").write_text(GOOD)
    examples = read_test(write_jsonl(tmp_path / "m.jsonl", hidden(3)))
    assert check_submission(tmp_path / "s.csv", examples)[0] == ("p1", "neutral")


def test_pair_ids_with_commas_and_quotes_come_back(tmp_path):
    pairs = hidden(2)
    pairs[0]["pairID"], pairs[1]["pairID"] = 'a,"b"', "7"
    examples = read_test(write_jsonl(tmp_path / "m.jsonl", pairs))
    expected = [('a,"b"', "neutral"), ("7", "entailment")]
    write_submission(tmp_path / "s.csv", expected)
    assert check_submission(tmp_path / "s.csv", examples) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["RUN"],
        ["--check", "a.csv"],
        ["--against", "a.jsonl"],
        ["--check", "a.csv", "--against", "a.jsonl", "--labelled"],
    ],
)
def test_an_incomplete_command_names_the_missing_option(scripts, arguments, capsys):
    assert run_script(scripts, *arguments) == 2
    assert "error: " in capsys.readouterr().err
