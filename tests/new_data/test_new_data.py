"""`dsa new-data` chooses columns, splits rows and writes configs."""

import csv
import gzip
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dsa.commands.main import main
from dsa.experiment.yaml_file import load_experiment
from dsa.new_data import held_out
from dsa.new_data.held_out import hold_out
from dsa.new_data.labelled_rows import parse_split, select_labelled_rows
from dsa.new_data.roles import choose_columns
from dsa.new_data.table import read_table

WORDS = "red green blue black white grey brown pink gold dark light warm cold".split()


def sentence(number):
    """Returns a sentence of its own for each number below 13³."""
    first, second, third = number % 13, number // 13 % 13, number // 169 % 13
    return f"{WORDS[first]} birds see a {WORDS[second]} fish near {WORDS[third]} trees"


def pairs(count=60, per_premise=1):
    """Returns rows with unusual column names; each premise occurs `per_premise` times,
    each hypothesis once."""
    return [
        {
            "nr": f"row-{n}",
            "left": sentence(n // per_premise),
            "right": sentence(n + 1000),
            "verdict": "same" if n % 3 else "other",
        }
        for n in range(count)
    ]


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def read_split(folder, split):
    lines = (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def new_data(*arguments):
    return main(["new-data", *map(str, arguments)])


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_pairs_are_divided_and_get_a_config_for_each_model(here, capsys):
    rows = pairs()
    rows[5]["verdict"] = ""
    write_csv(here / "tickets.csv", rows)
    assert new_data("tickets.csv") == 0
    out = capsys.readouterr().out
    assert "premise    'left'" in out and "id         'nr'" in out
    assert "rows: 59 with a label; skipped: 1 without a label" in out
    assert "dsa train tickets/linear.yaml --data-root tickets\n" in out
    splits = {s: read_split(here / "tickets", s) for s in ("train", "dev", "test")}
    assert [len(part) for part in splits.values()] == [35, 12, 12]
    for part in (splits["dev"], splits["test"]):
        assert Counter(row["verdict"] for row in part) == {"same": 8, "other": 4}
    linear = load_experiment("tickets/linear.yaml")
    assert linear.model.name == "features" and linear.data.labels == ["other", "same"]
    bilstm = load_experiment("tickets/bilstm.yaml")
    tuned = load_experiment("tickets/fine_tuned.yaml")
    assert tuned.training.start_from == "snli" and tuned.model.units == 150
    with gzip.open(here / "tickets" / f"{bilstm.embedding.path}.gz", "rt") as file:
        assert len(file.readline().split()) == 1 + bilstm.embedding.units


def test_the_rows_of_a_premise_stay_in_one_split(here, capsys):
    write_csv(here / "a.csv", pairs(120, per_premise=3))
    assert new_data("a.csv", "--dev-share", "0.1") == 0
    assert "100.0% of the rows have a first text" in capsys.readouterr().out
    premises = [
        {row["left"] for row in read_split(here / "a", split)}
        for split in ("train", "dev", "test")
    ]
    assert sum(map(len, premises)) == len(set.union(*premises)) == 40
    assert len(read_split(here / "a", "dev")) == pytest.approx(12, abs=3)
    assert load_experiment("a/linear.yaml").data.split_by_text


def test_rows_are_grouped_by_first_text_if_second_texts_repeat_everywhere():
    texts = [(f"premise {n // 3}", f"hypothesis {n % 3}") for n in range(60)]
    splits, description = hold_out(
        [None] * 60, texts, np.arange(60) % 2, {"test": 0.2, "dev": 0.2}
    )
    assert description == "no first text of a pair occurs in two splits"
    assert Counter(splits.tolist()) == {"train": 36, "dev": 12, "test": 12}
    first = {split: set() for split in ("train", "dev", "test")}
    for split, (text, _) in zip(splits.tolist(), texts, strict=True):
        first[split].add(text)
    assert sum(map(len, first.values())) == 20


def test_a_split_of_the_files_can_share_texts_with_train():
    texts = [(f"text {n // 2}",) for n in range(60)]
    given = ["test" if n % 2 and n < 20 else None for n in range(60)]
    splits, description = hold_out(
        given, texts, np.arange(60) // 2 % 2, {"test": 0.2, "dev": 0.2}
    )
    texts_of = {name: set() for name in ("train", "dev", "test")}
    for text, split in zip(texts, splits, strict=True):
        texts_of[split].add(text)
    assert texts_of["test"] & (texts_of["train"] | texts_of["dev"])
    assert not texts_of["train"] & texts_of["dev"]
    assert Counter(splits.tolist()) == {"train": 40, "dev": 10, "test": 10}
    assert description == (
        "test as in the files; train and dev: no text occurs in two splits"
    )


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2, 0.4, 0.6, 0.8])
def test_rows_with_common_texts_are_drawn_in_the_given_share(share):
    texts = [(f"premise {n // 3}", f"hypothesis {n}") for n in range(600)]
    splits, _ = hold_out(
        [None] * 600, texts, np.arange(600) % 2, {"test": share, "dev": 0.1}
    )
    counts = Counter(splits.tolist())
    assert counts["test"] == pytest.approx(600 * share, abs=12)
    assert counts["dev"] == pytest.approx(60, abs=12)


def test_many_groups_are_drawn_in_the_given_share_of_the_rows(monkeypatch):
    monkeypatch.setattr(held_out, "MAX_GROUPS", 10)
    sizes = [150, *[2] * 425]  # rows per premise; 0.2 of 1,000 rows are 200
    premises = np.repeat(np.arange(len(sizes)), sizes)
    texts = [(f"premise {p}", f"hypothesis {n}") for n, p in enumerate(premises)]
    splits, _ = hold_out(
        [None] * 1000, texts, np.arange(1000) % 2, {"test": 0.2, "dev": 0.2}
    )
    counts = Counter(splits.tolist())
    assert counts["test"] == pytest.approx(200, abs=2)
    assert counts["dev"] == pytest.approx(200, abs=2)
    for premise in range(len(sizes)):
        assert len({*splits[premises == premise]}) == 1


@pytest.mark.parametrize("lowest", [0, 0.6])
def test_scores_of_a_narrow_scale_are_stratified(here, lowest):
    rows = [
        {**row, "verdict": lowest + (n % 7) / 7 * (1 - lowest)}
        for n, row in enumerate(pairs())
    ]
    write_csv(here / "scores.csv", rows)
    assert new_data("scores.csv") == 0
    for split in ("train", "dev", "test"):
        lines = (here / f"scores/{split}.jsonl").read_text().splitlines()
        scores = [json.loads(line)["verdict"] for line in lines]
        middle = lowest + (1 - lowest) * 3 / 7
        assert np.mean(scores) == pytest.approx(middle, abs=0.12 * (1 - lowest))


def test_rare_labels_stay_in_train():
    kinds = np.array([0, 1] * 20 + [2, 3])
    texts = [(f"text {n}",) for n in range(42)]
    splits, _ = hold_out([None] * 42, texts, kinds, {"test": 0.2, "dev": 0.2})
    assert splits[-2:].tolist() == ["train", "train"]


def test_scores_get_a_scale_and_models_of_pairs(here, capsys):
    rows = [{**row, "verdict": (n % 9) / 2 + 0.5} for n, row in enumerate(pairs())]
    rows.append({**pairs(61)[-1], "verdict": "hidden"})
    write_csv(here / "scores.csv", rows)
    assert new_data("scores.csv") == 0
    assert "scores: from 0.5 to 4.5, mean 2.42; scale 0 to 5" in capsys.readouterr().out
    data = load_experiment("scores/bilstm.yaml").data
    assert (data.scores.lowest, data.scores.highest) == (0, 5)
    first = next(data.resolved_corpus.read_examples(here / "scores/train.jsonl"))
    assert isinstance(first.label, float)


def test_numbers_are_labels_unless_scores_are_requested(here):
    rows = [{**row, "verdict": n % 5} for n, row in enumerate(pairs())]
    write_csv(here / "stars.csv", rows)
    assert new_data("stars.csv") == 0
    assert load_experiment("stars/linear.yaml").data.labels == list("01234")
    assert new_data("stars.csv", "--scores", "0", "4", "--out", "scored") == 0
    assert load_experiment("scored/swem.yaml").data.scores.highest == 4


def test_single_sentences_of_several_files_keep_their_splits(here):
    rows = [{"text": sentence(n), "kind": "ab"[n % 2]} for n in range(40)]
    for name, part in (("x_train.tsv", rows[:30]), ("x_test.tsv", rows[30:])):
        lines = ["text\tkind", *("\t".join(row.values()) for row in part)]
        (here / name).write_text("\n".join(lines) + "\n")
    assert new_data("x_train.tsv", "x_test.tsv", "--out", "x") == 0
    assert len(read_split(here / "x", "test")) == 10
    assert len(read_split(here / "x", "dev")) == 6  # 0.2 of the 30 rows of train
    assert load_experiment("x/swem.yaml").task.inputs == ("sentence",)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("test (1).csv", "test"),
        ("quora_test2.csv", "test"),
        ("dev1.csv", "dev"),
        ("val-final.csv", "dev"),
        ("latest.csv", None),
        ("pairs.csv", None),
    ],
)
def test_the_split_is_a_word_of_the_file_name(name, split):
    assert parse_split(Path(name)) == split


def test_a_file_of_unknown_split_beside_a_split_is_an_error(here, capsys):
    write_csv(here / "train.csv", pairs())
    write_csv(here / "heldout.csv", pairs())
    assert new_data("train.csv", "heldout.csv") == 2
    error = capsys.readouterr().err
    assert "heldout.csv: the split of this file is unknown" in error
    assert error.count("\n") == 1


def test_a_column_of_ids_is_no_text_beside_short_texts(here):
    rows = [
        {
            "uid": f"u{n:03}",
            "name_a": f"Firma {n}",
            "name_b": f"Firm {n}",
            "same": n % 2,
        }
        for n in range(40)
    ]
    write_csv(here / "names.csv", rows)
    roles = choose_columns(read_table([here / "names.csv"]), {})
    assert (roles["premise"].column, roles["hypothesis"].column) == ("name_a", "name_b")


def test_superscripts_are_no_numbers(here):
    rows = [{**row, "verdict": "1²"[n % 2]} for n, row in enumerate(pairs())]
    write_csv(here / "labels.csv", rows)
    assert new_data("labels.csv") == 0


def test_a_split_column_of_a_parquet_file_is_kept(here):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parts = ["train"] * 40 + ["validation"] * 10 + ["test"] * 10
    rows = [{**row, "part": part} for row, part in zip(pairs(), parts, strict=True)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), here / "all.parquet")
    assert new_data("all.parquet") == 0
    assert [row["nr"] for row in read_split(here / "all", "dev")] == [
        f"row-{n}" for n in range(40, 50)
    ]


def test_json_lines_can_lack_the_group(here):
    rows = [{**row, "genre": "ab"[n % 2]} for n, row in enumerate(pairs())]
    for row in rows[2::3]:
        del row["genre"]
    lines = [json.dumps(row) + "\n" for row in rows]
    (here / "a.jsonl").write_text("".join(lines))
    assert new_data("a.jsonl", "--columns", "label=verdict") == 0
    corpus = load_experiment("a/linear.yaml").data.resolved_corpus
    groups = [
        example.group
        for split in ("train", "dev", "test")
        for example in corpus.read_examples(here / "a" / f"{split}.jsonl")
    ]
    assert Counter(groups) == {"a": 20, "b": 20, None: 20}


def test_whole_numbers_are_labels_of_single_sentences(here):
    rows = [{"text": sentence(n), "intent": n % 25} for n in range(250)]
    table = read_table([write_csv(here / "a.csv", rows)])
    choices = choose_columns(table, {})
    assert choices["label"] == ("intent", "25 distinct values")
    selected = select_labelled_rows(table, choices)
    assert selected.scale is None
    assert selected.labels == tuple(str(number) for number in range(25))


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (("query", "document"), {"premise": "query", "hypothesis": "document"}),
        (("search", "title"), {"sentence": "title"}),
    ],
)
def test_a_column_of_a_named_pair_can_contain_phrases(here, names, roles):
    first, second = names
    rows = [
        {"nr": f"row-{n}", first: f"shoe {n}", second: sentence(n), "good": n % 2}
        for n in range(60)
    ]
    choices = choose_columns(read_table([write_csv(here / "a.csv", rows)]), {})
    assert {role: choices[role].column for role in roles} == roles
    if "sentence" in roles:
        reason = "9 words on average; columns of shorter texts: 'search'"
        assert choices["sentence"].reason == reason


def test_options_override_the_guessed_columns(here):
    rows = [{**row, "language": "en"} for row in pairs()]
    rows[0]["language"] = "de"
    table = read_table([write_csv(here / "a.csv", rows)])
    assert choose_columns(table, {})["label"].reason == (
        "2 distinct values; last of several candidates, other candidates: 'verdict'"
    )
    choices = choose_columns(table, {"label": "verdict", "id": ""})
    assert {role: choice.column for role, choice in choices.items()} == {
        "premise": "left",
        "hypothesis": "right",
        "label": "verdict",
    }


def test_duplicates_and_contradictions_are_counted(here, capsys):
    rows = pairs()
    for n, label in ((7, "same"), (8, "other")):
        rows[n] = {**rows[n], "left": "One text here", "right": "Another text"}
        rows[n]["verdict"] = label
    write_csv(here / "a.csv", rows)
    assert new_data("a.csv") == 0
    assert (
        "duplicates: 1 (rows with the texts of an earlier row); 2 rows with equal "
        "texts have different labels, such as 'One text here' / 'Another text': "
        "other, same"
    ) in capsys.readouterr().out


def test_a_frequent_minus_one_is_a_label_of_two(here):
    rows = [{**row, "verdict": 1 if n % 2 else -1} for n, row in enumerate(pairs())]
    write_csv(here / "a.csv", rows)
    assert new_data("a.csv") == 0
    assert load_experiment("a/linear.yaml").data.labels == ["-1", "1"]


@pytest.mark.parametrize(
    ("verdicts", "options", "labels"),
    [
        ([-1, 0, 1], [], ["-1", "0", "1"]),  # sentiment
        ([-1, 0, 1], ["--labels", "0", "1"], ["0", "1"]),
        ([-2, -1, 0, 1], [], ["-2", "-1", "0", "1"]),
        ([*[0, 1] * 15, -1], [], ["0", "1"]),
        ([-1, 0, 1, 2], [], ["0", "1", "2"]),  # NLI of the Hugging Face hub
    ],
)
def test_a_frequent_minus_one_beside_0_and_1_is_a_label(
    here, verdicts, options, labels
):
    count = len(verdicts)
    rows = [{**row, "verdict": verdicts[n % count]} for n, row in enumerate(pairs())]
    write_csv(here / "a.csv", rows)
    assert new_data("a.csv", *options) == 0
    assert load_experiment("a/linear.yaml").data.labels == labels


def test_a_minus_one_is_no_label_in_a_file_without_other_labels(here):
    rows = [{**row, "verdict": n % 2} for n, row in enumerate(pairs())]
    write_csv(here / "train.csv", rows)
    write_csv(here / "test.csv", change(pairs(90)[60:], verdict=lambda n: -1))
    assert new_data("train.csv", "test.csv") == 0
    config = next(here.rglob("linear.yaml"))
    assert load_experiment(config).data.labels == ["0", "1"]


def change(rows, **columns):
    """Returns the rows with columns replaced by functions of the row number."""
    return [
        {**row, **{name: value(n) for name, value in columns.items()}}
        for n, row in enumerate(rows)
    ]


BAD = {
    "one column": ([{"left;right": f"{n};{n}"} for n in range(20)], "a single column"),
    "no label": ([{"a": sentence(n), "b": sentence(n + 99)} for n in range(20)],
                 "no label column"),
    "one label": (change(pairs(), verdict=lambda n: "same"),
                  "no label column.*'verdict' .1 distinct"),
    "one row": (pairs(1), "expected at least 10 rows. Received: 1"),
    "few rows": (change(pairs(12), verdict=lambda n: "ab"[n % 2] if n < 8 else ""),
                 "at least 10 rows with a label and texts. Received: 8"),
    "many labels": (change(pairs(2000), verdict=lambda n: f"label-{n // 2}"),
                    "no label column.*'verdict' .1,000 distinct values"),
    "negative": (change(pairs(), verdict=lambda n: n / 7 - 2), "scores from -2 to"),
    "no header": ([dict(zip(["1", sentence(1), sentence(2), "same"], row.values(),
                            strict=True)) for row in pairs()],
                  "the first line must contain the names of the columns"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_unusable_rows_raise_an_error_and_leave_no_files(here, capsys, name):
    rows, message = BAD[name]
    write_csv(here / "bad.csv", rows)
    check_error(here, capsys, message, "bad.csv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--columns", "label=left", "premise=verdict"],
            "column 'verdict' cannot be the premise",
        ),
        (["--columns", "premise=verdict", "label=nr"], "'verdict' cannot be the"),
        (["--columns", "label=verdit"], "no column 'verdit'. Columns: 'nr'"),
        (["--columns", "lable=verdict"], "expects ROLE=COLUMN. Known roles: premise,"),
        (["--columns", "id=nr", "id=left"], "two columns to the role 'id'"),
        (["--columns", "sentence=left", "premise=right"], "or 'sentence'"),
        (["--columns", "label="], "label= requires a column"),
        (["--columns", "premise=left", "hypothesis=left"], "two roles .* 'left'"),
        (["--labels", "same"], "unknown label 'other'. --labels: same"),
        (["--scores", "0", "5"], "expected scores from 0 to 5. Received: 'other'"),
        (
            ["--scores", "0", "5", "--labels", "same", "other"],
            "--labels and --scores cannot be combined",
        ),
        (["--test-share", "0.6", "--dev-share", "0.5"], "must leave rows for train"),
    ],
)
def test_impossible_options_raise_an_error(here, capsys, arguments, message):
    write_csv(here / "bad.csv", pairs())
    check_error(here, capsys, message, "bad.csv", *arguments)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"left,left,verdict\na,b,c\n", "duplicate column 'left'"),
        (b"left,right,verdict\na,b,c\n\xe9,b,c\n", "line 3: not UTF-8"),
        (b"left,right,verdict\na,b\n", "row 1: expected 3 fields, as in the"),
        (b"", "no rows"),
        (
            b"left,right,verdict\n"
            + b"".join(
                b"%s,long text here %d,%d\n" % (b"word " * 11_000, n, n % 2)
                for n in range(12)
            ),
            "bad.csv: premise must have at most 50,000 characters. Received: 55,000",
        ),
    ],
)
def test_a_malformed_file_is_an_error_in_one_line(here, capsys, content, message):
    (here / "bad.csv").write_bytes(content)
    check_error(here, capsys, message, "bad.csv")


def check_error(folder, capsys, message, *arguments):
    before = sorted(folder.iterdir())
    assert new_data(*arguments, "--out", "out") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and re.search(message, line), line
    assert sorted(folder.iterdir()) == before


def test_an_existing_folder_is_not_overwritten(here, capsys):
    write_csv(here / "a.csv", pairs())
    (here / "a").mkdir()
    assert new_data("a.csv") == 2
    assert "a: exists already. Choose another --out" in capsys.readouterr().err


def test_a_folder_does_not_hide_the_release_of_its_config(here, capsys):
    write_csv(here / "snli.csv", pairs())
    assert new_data("snli.csv") == 2
    assert "snli: a folder takes precedence over the rel" in capsys.readouterr().err
    assert not (here / "snli").exists()


@pytest.mark.parametrize("command", ["train", "sweep"])
def test_training_on_a_data_file_names_the_command(here, capsys, command):
    write_csv(here / "a b.csv", pairs())
    assert main([command, "a b.csv"]) == 2
    assert capsys.readouterr().err == (
        "error: a b.csv: a data file, expected a config (.yaml). To write configs for "
        "it: dsa new-data 'a b.csv'\n"
    )


def test_a_text_that_is_premise_and_hypothesis_stays_in_one_split():
    texts = [
        (f"b {n // 2}", f"c {n // 2}") if n % 2 else (f"a {n // 2}", f"b {n // 2}")
        for n in range(60)
    ]
    splits, description = hold_out(
        [None] * 60, texts, np.arange(60) % 2, {"test": 0.2, "dev": 0.2}
    )
    assert description == "no text occurs in two splits"
    assert splits[::2].tolist() == splits[1::2].tolist()


@pytest.mark.parametrize("mark", ["NA", "NaN", "null"])
def test_missing_values_of_a_column_of_scores_are_unlabelled(here, capsys, mark):
    rows = change(pairs(), verdict=lambda n: (n % 9) / 2 + 0.5 if n else mark)
    write_csv(here / "scores.csv", rows)
    assert new_data("scores.csv") == 0
    assert "skipped: 1 without a label" in capsys.readouterr().out
    assert load_experiment("scores/bilstm.yaml").data.scores.highest == 5


def test_labels_of_a_column_with_a_gap_are_whole_numbers(here):
    """Pandas writes 1 as 1.0 if a value of the column is missing."""
    rows = change(pairs(), verdict=lambda n: f"{n % 2}.0" if n else "")
    write_csv(here / "a.csv", rows)
    assert new_data("a.csv") == 0
    assert load_experiment("a/bilstm.yaml").data.labels == ["0", "1"]


def test_a_list_of_tokens_is_no_text(here):
    rows = [
        {"text": sentence(n), "tokens": sentence(n).split(), "kind": "ab"[n % 2]}
        for n in range(40)
    ]
    (here / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    choices = choose_columns(read_table([here / "a.jsonl"]), {})
    assert {role: choice.column for role, choice in choices.items()} == {
        "sentence": "text",
        "label": "kind",
    }


def test_scores_of_which_most_are_the_lowest_are_divided(here):
    rows = change(pairs(), verdict=lambda n: 0 if n % 6 else (n // 6 + 1) / 10)
    write_csv(here / "a.csv", rows)
    assert new_data("a.csv") == 0
    for split in ("train", "dev", "test"):
        scores = {float(row["verdict"]) for row in read_split(here / "a", split)}
        assert min(scores) == 0 < max(scores)
