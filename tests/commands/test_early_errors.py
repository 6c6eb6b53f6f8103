"""Mistakes in arguments, configs and files are reported before Keras is imported."""

import json
import subprocess
import sys

import pytest
import yaml

from tests.support.corpora import write_jsonl
from tests.support.runs import SETTINGS

# prints exit code, the last line of the error, and whether a backend was imported
PROGRAM = """
import contextlib, io, json, sys
from dsa.commands.main import main
error = io.StringIO()
with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
    try:
        code = main(json.loads(sys.argv[1]))
    except SystemExit as exit:
        code = exit.code
heavy = [name for name in ("keras", "tensorflow", "jax") if name in sys.modules]
print(json.dumps([code, error.getvalue().strip().split("\\n")[-1], heavy]))
"""
MINI = "configs/mini/dsa.yaml"
WRONG = {
    "unknown run": (["predict", "nothing", "A.", "B."], "no such run folder"),
    "one text": (["predict", "mini", "A."], "reads sentence pairs"),
    "file of predict": (["predict", "mini", "--file", "no.jsonl"], "no.jsonl"),
    "file of encode": (
        ["encode", "mini", "--file", "no.txt", "--out", "a.npy"],
        "no.txt",
    ),
    "split": (["evaluate", "mini", "--split", "tset"], "no file for the split 'tset'"),
    "file": (["evaluate", "mini", "--file", "no.jsonl"], "file not found"),
    "config": (["train", "configs/snli/dsb.yaml"], "No such file"),
    "key": (["train", MINI, "--set", "training.epoch=3"], "unknown key"),
    "corpus": (
        ["train", MINI, "--set", "data.train=no.jsonl", "--run", "run"],
        "file not found: ",
    ),
    "size of vectors": (
        ["train", MINI, "--set", "embedding.path=vectors.txt", "--run", "run"],
        "contains vectors of size 2, but 'embedding.units' is 40",
    ),
    "label of a row to train": (
        ["train", MINI, "--set", "data.train=label.jsonl", "--run", "run"],
        "label.jsonl, row 2: unknown label 'nuetral'",
    ),
    "one label to train": (
        ["train", MINI, "--set", "data.train=one.jsonl", "--run", "run"],
        "one.jsonl: every row has the label neutral",
    ),
    "format to train": (
        ["train", MINI, "--set", "data.train=text.csv", "--run", "run"],
        "text.csv, line 1: not JSON",
    ),
    "format of dev": (
        ["train", MINI, "--set", "data.dev=text.csv", "--run", "run"],
        "text.csv, line 1: not JSON",
    ),
    "column to train": (
        ["train", "own.yaml", "--run", "run"],
        "text.csv, row 1: no column 'first'",
    ),
    "label to evaluate": (
        ["evaluate", "mini", "--file", "label.jsonl"],
        "label.jsonl, row 2: unknown label 'nuetral'",
    ),
    "column to evaluate": (
        ["evaluate", "mini", "--file", "text.csv"],
        "text.csv, row 1: no column 'premise'",
    ),
    "no label to evaluate": (
        ["evaluate", "mini", "--file", "hidden.jsonl"],
        "no row has a label",
    ),
    "column to predict": (
        ["predict", "mini", "--file", "text.csv"],
        "text.csv, row 1: no column 'sentence1'",
    ),
    "format": (
        ["export", "mini", "--format", "onxx", "--out", "a"],
        "invalid choice: 'onxx'",
    ),
    "a subset to download": (["download", "snli_40k"], "dsa subset snli_40k"),
    "columns without a file": (
        ["predict", "mini", "A.", "B.", "--columns", "premise=a", "hypothesis=b"],
        "--columns requires --file",
    ),
    "columns of standard input": (
        ["predict", "mini", "--file", "-", "--columns", "premise=a", "hypothesis=b"],
        "--columns with standard input requires --shard-rows",
    ),
    "labels of predict": (
        ["predict", "mini", "A.", "B.", "--with", "FOLDER/other"],
        "other have different tasks: the labels entailment, neutral, ",
    ),
    "labels of a file": (
        ["predict", "mini", "--file", "no.jsonl", "--with", "FOLDER/other"],
        "have different tasks",
    ),
    "labels of evaluate": (
        ["evaluate", "mini", "--with", "FOLDER/other"],
        "different tasks",
    ),
    "run twice": (["evaluate", "mini", "--with", "mini"], "must be distinct"),
    "suite": (
        ["evaluate", "mini", "--suite", "robustness", "--with", "FOLDER/other"],
        "--with cannot be combined with --suite or --keep-answers",
    ),
    "labels of submit": (
        ["submit", "mini", "--with", "FOLDER/other", "--matched", "a", "--out", "b"],
        "different tasks",
    ),
    "folder of submit": (
        ["submit", "mini", "--with", "FOLDER/other", "--matched", "no.jsonl"],
        "--with requires an output folder, --out",
    ),
    "shards": (
        ["predict", "mini", "--file", "a", "--shard-rows", "2", "--out", "b"]
        + ["--with", "FOLDER/other"],
        "--with and --shard-rows cannot be combined",
    ),
    "suite before a download": (
        ["evaluate", "hf://nobody/none", "--suite", "robustness", "--keep-answers"],
        "cannot be combined with --suite or --no-record",
    ),
    "format before a download": (
        ["export", "hf://nobody/none"],
        "--format is required: onnx, savedmodel, numpy",
    ),
    "export folder before a download": (
        ["export", "hf://nobody/none", "--in-run", "--format", "numpy"],
        "--in-run cannot be combined with --out or with a --format other than onnx",
    ),
    "test file before a download": (
        ["submit", "hf://nobody/none"],
        "expected a run with --matched or --mismatched, or --check",
    ),
    "figure before a download": (
        ["plot", "hf://nobody/none", "--out", "curves.jpg"],
        "--out must end with .png, .pdf or .svg",
    ),
    "vectors before a download": (
        ["encode", "hf://nobody/none", "--file", "a.txt", "--out", "a.npz"],
        "--out must end in .npy",
    ),
    "task before a download": (
        ["transfer", "hf://nobody/none", "--tasks", "SICK"],
        "unknown task 'SICK'",
    ),
    "names before a download": (
        ["lengths", "hf://nobody/none", "--names", "a", "b"],
        "'names': expected 1 distinct names",
    ),
    "command": (["trian"], "dsa COMMAND --help"),
}

NLI_FILES = {  # labels by file
    "label.jsonl": ("neutral", "nuetral"),
    "one.jsonl": ("neutral", "neutral"),
    "hidden.jsonl": ("-", "hidden"),
}
FILES = (*NLI_FILES, "text.csv", "own.yaml")  # given by their path


@pytest.mark.parametrize("wrong", WRONG)
def test_a_mistake_is_reported_before_a_backend_is_imported(wrong, tmp_path):
    arguments, message = WRONG[wrong]
    (tmp_path / "vectors.txt").write_text("a 0.1 0.2\nb 0.3 0.4\n")
    (tmp_path / "text.csv").write_text("text,label\na,neutral\n")
    for name, labels in NLI_FILES.items():
        rows = [{"sentence1": "A.", "sentence2": "B.", "gold_label": x} for x in labels]
        write_jsonl(tmp_path / name, rows)
    data = {"corpus": "own", "train": "text.csv", "dev_share": 0.5}
    data["columns"] = {"premise": "first", "hypothesis": "second", "label": "label"}
    own = {**SETTINGS, "data": {**data, "labels": ["a", "b"]}}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(own))
    (tmp_path / "other").mkdir()
    quora = {**SETTINGS, "data": {**SETTINGS["data"], "corpus": "quora"}}
    (tmp_path / "other/config.yaml").write_text(yaml.safe_dump(quora))
    without_data = arguments[0] in ("trian", "export", "plot")
    data_root = [] if without_data else ["--data-root", tmp_path]
    arguments = [name.replace("FOLDER", str(tmp_path)) for name in arguments]
    arguments = [str(tmp_path / n) if n in FILES else n for n in arguments]
    command = [*arguments, *map(str, data_root)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(command)],
        capture_output=True,
        text=True,
        check=True,
    )
    code, error, heavy = json.loads(done.stdout.splitlines()[-1])
    assert code == 2 and message in error and heavy == []
