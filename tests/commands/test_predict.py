"""`dsa predict`: pairs of the command line, of files and of standard input."""

import json
import os
import subprocess
import sys

import pytest

PAIR = ("A man sleeps.", "A man is awake.")


def test_the_script_predicts_a_pair_of_the_command_line(scripts, finished, capsys):
    assert scripts.predict.main([str(finished / "run"), *PAIR]) == 0
    label, *shares = capsys.readouterr().out.split()
    assert label in shares and len(shares) == 6


def test_one_text_is_no_pair(scripts, finished, capsys):
    assert scripts.predict.main([str(finished / "run"), "only one"]) == 2
    assert "reads sentence pairs" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["a", "b", "--file", "-"]])
def test_the_script_needs_a_pair_or_a_file(scripts, finished, capsys, arguments):
    assert scripts.predict.main([str(finished / "run"), *arguments]) == 2
    assert (
        "expected either TEXT, such as a premise and a hypothesis, or --file"
        in capsys.readouterr().err
    )


def test_texts_of_the_command_line_have_no_output_file(scripts, tmp_path, capsys):
    arguments = [str(tmp_path / "run"), *PAIR, "--out", str(tmp_path / "x")]
    assert scripts.predict.main(arguments) == 2
    assert "--out requires --file" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_script_refuses_an_empty_sentence(scripts, finished, capsys):
    assert scripts.predict.main([str(finished / "run"), "A man.", " "]) == 2
    assert capsys.readouterr().err == "error: the hypothesis of row 1 is empty\n"


def test_a_file_gives_a_line_per_pair_in_its_order(scripts, finished, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    arguments = [str(finished / "run"), "--file", str(finished / "test.jsonl")]
    assert scripts.predict.main([*arguments, "--out", str(out)]) == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["pairID"] for line in lines] == [f"p{n}" for n in range(7)]
    capsys.readouterr()
    assert scripts.predict.main(arguments) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [json.loads(line) for line in printed] == lines


@pytest.mark.slow
def test_pairs_come_from_standard_input(finished):
    done = subprocess.run(
        [sys.executable, "scripts/predict.py", str(finished / "run"), "--file", "-"],
        input="A man sleeps.\tA man is awake.\n\tempty\n",
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["pairID"] for line in done.stdout.splitlines()] == [
        "1",
        "2",
    ]
    assert "Traceback" not in done.stderr


def test_a_csv_file_is_read_by_the_names_of_its_columns(
    scripts, finished, tmp_path, capsys
):
    path = tmp_path / "pairs.csv"
    path.write_text('n,a,b\n7,"A man, old, sleeps.",A man sleeps.\n')
    arguments = [str(finished / "run"), "--file", str(path)]
    assert scripts.predict.main(arguments) == 2
    message = capsys.readouterr().err
    assert (
        "no column 'sentence1' (column names are set in the section 'data'" in message
    )
    columns = ["--columns", "premise=a", "hypothesis=b", "id=n"]
    assert scripts.predict.main([*arguments, *columns]) == 0
    assert json.loads(capsys.readouterr().out)["pairID"] == "7"


def test_unknown_words_are_listed(scripts, finished, capsys):
    run = str(finished / "run")
    assert scripts.predict.main([run, "A zebra sleeps.", "A quagga sleeps."]) == 0
    printed = capsys.readouterr()
    assert (
        "not in the vocabulary, read as the unknown word: zebra, quagga\n"
        in printed.err
    )
    assert "unknown" not in printed.out
    assert scripts.predict.main([run, *PAIR]) == 0
    assert "unknown" not in capsys.readouterr().err
