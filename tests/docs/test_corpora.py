"""The table of docs/corpora.md, followed from published files to predictions."""

import csv
import gzip
import json
import os
import pathlib
import re
import shlex
import subprocess

import pytest
import yaml

import dsa
from dsa.commands.main import main

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/corpora.md").read_text(encoding="utf-8")
PAIRS = (
    ("A man sleeps .", "A man rests ."),
    ("A dog runs .", "A cat sits ."),
    ("A boy plays ball .", "A boy is outside ."),
    ("A girl sings .", "Nobody sings ."),
)
NLI_HEADER = ["gold_label", "sentence1", "sentence2", "pairID", "genre"]


def read_table():
    """Returns `{files: (section data, options of dsa predict)}` of the page."""
    rows = re.findall(r"^\| ([^|]+) \| `(\{.+?\})` \|(.*)\|$", PAGE, flags=re.M)
    return {
        re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", files): (
            yaml.safe_load(data),
            shlex.split("".join(re.findall("`(.+?)`", options))),
        )
        for files, data, options in rows
    }


TABLE = read_table()


def label_rows(labels):
    """Returns rows of two texts and a label, several of each label."""
    return [(*pair, label) for label in labels for pair in PAIRS]


def write_json(path, names, rows):
    lines = (json.dumps(dict(zip(names, row, strict=True))) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_tsv(path, header, rows):
    lines = ["\t".join(map(str, row)) for row in ([header] if header else []) + rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_csv(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([header, *rows])


def write_parquet(path, names, rows):
    import pyarrow
    from pyarrow import parquet

    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    parquet.write_table(pyarrow.table({k: list(v) for k, v in columns.items()}), path)


def save_snli_folder():
    datasets = pytest.importorskip("datasets")
    names = ("premise", "hypothesis", "label")
    columns = zip(names, zip(*label_rows([0, 1, 2, -1]), strict=True), strict=True)
    label = datasets.ClassLabel(names=["entailment", "neutral", "contradiction"])
    text = datasets.Value("string")
    types = datasets.Features({"premise": text, "hypothesis": text, "label": label})
    data = datasets.Dataset.from_dict({k: list(v) for k, v in columns}, types)
    datasets.DatasetDict(train=data, validation=data.select(range(9))).save_to_disk(
        "snli"
    )
    write_tsv(pathlib.Path("test.tsv"), ["premise", "hypothesis"], [*PAIRS])


def save_snli_json():
    names = ("premise", "hypothesis", "label")
    for file in ("train.jsonl", "dev.jsonl", "test.jsonl"):
        write_json(pathlib.Path(file), names, label_rows([0, 1, -1, 2]))


def save_snli_parquet():
    names = ("premise", "hypothesis", "label")
    for file in ("train.parquet", "dev.parquet", "test.parquet"):
        rows = label_rows([0, 1, -1, 2])
        rows = rows[:-1] if file.startswith("dev") else rows
        write_parquet(pathlib.Path(file), names, rows)


def save_allnli():
    labels = ["entailment", "neutral", "contradiction"]
    rows = [
        (split, "SNLI", "x", *row)
        for split in ("train", "dev", "test")
        for row in label_rows(labels)
    ]
    header = ["split", "dataset", "filename", "sentence1", "sentence2", "label"]
    write_tsv(pathlib.Path("AllNLI.tsv"), header, rows)
    content = pathlib.Path("AllNLI.tsv").read_bytes()
    pathlib.Path("AllNLI.tsv.gz").write_bytes(gzip.compress(content))
    write_tsv(pathlib.Path("test.tsv"), ["sentence1", "sentence2"], [*PAIRS])


def save_kaggle_quora():
    names = ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"]
    rows = [(n, 1, 2, *row) for n, row in enumerate(label_rows([0, 1]))]
    rows[0] = (0, 1, 2, 'What, "a"\nb?', "", 0)
    for file in ("train.csv", "dev.csv"):
        write_csv(pathlib.Path(file), names, rows)
    tests = [(n, *pair) for n, pair in enumerate(PAIRS)]
    write_csv(pathlib.Path("test.csv"), ["test_id", "question1", "question2"], tests)


def save_anli():
    names = ("context", "hypothesis", "label", "uid")
    rows = [(*row, f"u{n}") for n, row in enumerate(label_rows(["e", "n", "c"]))]
    for file in ("train.jsonl", "dev.jsonl", "test.jsonl"):
        write_json(pathlib.Path(file), names, rows)


def save_mnli():
    labels = ["entailment", "neutral", "contradiction"]
    for file in ("train.tsv", "dev.tsv"):
        rows = [(c, a, b, "31193n", "fiction") for a, b, c in label_rows(labels)]
        write_tsv(pathlib.Path(file), NLI_HEADER, rows)
    write_tsv(pathlib.Path("test.tsv"), ["index", "sentence1", "sentence2"], GLUE_TEST)


GLUE_TEST = [(n, *pair) for n, pair in enumerate(PAIRS)]


def save_qqp():
    names = ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"]
    rows = [(n, 1, 2, *row) for n, row in enumerate(label_rows([0, 1]))]
    pathlib.Path("QQP").mkdir()
    write_tsv(pathlib.Path("QQP/train.tsv"), names, [*rows, (9, 1, 2, "half a row")])
    (command,) = re.findall("`(awk .* QQP.*)`", PAGE)
    subprocess.run(command, shell=True, check=True)
    write_tsv(pathlib.Path("dev.tsv"), names, rows)
    write_tsv(pathlib.Path("test.tsv"), ["id", "question1", "question2"], GLUE_TEST)


def save_rte():
    rows = [(0, *row) for row in label_rows(["entailment", "not_entailment"])]
    for file in ("train.tsv", "dev.tsv"):
        names = ["index", "sentence1", "sentence2", "label"]
        write_tsv(pathlib.Path(file), names, rows)
    write_tsv(pathlib.Path("test.tsv"), ["index", "sentence1", "sentence2"], GLUE_TEST)


def save_stsb():
    rows = [("main-news", n, *row) for n, row in enumerate(label_rows([0, 2.5, 5]))]
    for file in ("train.tsv", "dev.tsv"):
        names = ["genre", "index", "sentence1", "sentence2", "score"]
        write_tsv(pathlib.Path(file), names, rows)
    write_tsv(pathlib.Path("test.tsv"), ["index", "sentence1", "sentence2"], GLUE_TEST)


def save_mrpc():
    names = ["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"]
    for file in ("train.tsv", "dev.tsv"):
        rows = [(c, 1, 2, a, b) for a, b, c in label_rows([0, 1])]
        write_tsv(pathlib.Path(file), names, rows)
    rows = [(n, 1, 2, *pair) for n, pair in enumerate(PAIRS)]
    write_tsv(pathlib.Path("test.tsv"), ["index", *names[1:]], rows)


def save_sst2():
    rows = [(first, label) for first, _, label in label_rows([0, 1])]
    for file in ("train.tsv", "dev.tsv"):
        write_tsv(pathlib.Path(file), ["sentence", "label"], rows)
    tests = [(n, first) for n, (first, _) in enumerate(PAIRS)]
    write_tsv(pathlib.Path("test.tsv"), ["index", "sentence"], tests)


def save_scitail_tables():
    rows = label_rows(["entails", "neutral"])
    write_tsv(pathlib.Path("train.tsv"), None, rows)
    write_tsv(pathlib.Path("dev.tsv"), None, [(*row, "a<>is<>b") for row in rows])
    write_tsv(pathlib.Path("scitail_1.0_test.tsv"), None, rows)
    (command,) = re.findall("`(cut [^`]*)`", PAGE)
    subprocess.run(command, shell=True, check=True)
    pathlib.Path("scitail_test_pairs.txt").rename("test.tsv")


def save_scitail_json():
    names = ("sentence1", "sentence2", "gold_label")
    rows = label_rows(["entailment", "neutral"])
    write_json(pathlib.Path("train.txt"), names, rows)
    rows = label_rows(["entails", "neutral"])
    for file in ("dev.jsonl", "test.jsonl"):
        write_json(pathlib.Path(file), names, rows)


def save_mednli():
    names = ("sentence1", "sentence2", "gold_label")
    rows = label_rows(["entailment", "neutral", "contradiction"])
    for file in ("train.jsonl", "dev.jsonl", "test.jsonl"):
        write_json(pathlib.Path(file), names, rows)


def save_xnli():
    labels = ["entailment", "neutral", "contradiction"]
    header = ["language", *NLI_HEADER]
    rows = [
        (language, c, a, b, "1", "facetoface")
        for language in ("fr", "de")
        for a, b, c in label_rows(labels)
    ]
    write_tsv(pathlib.Path("xnli.dev.tsv"), header, rows)
    (command,) = re.findall("`(awk .* xnli.dev.tsv > .*)`", PAGE)
    subprocess.run(command, shell=True, check=True)
    content = pathlib.Path("xnli_fr.tsv").read_text()
    assert "de\t" not in content
    for file in ("train.tsv", "dev.tsv", "test.tsv"):
        pathlib.Path(file).write_text(content)


def save_translated_multinli():
    rows = label_rows(["entailment", "neutral", "contradictory"])
    for file in ("train.tsv", "dev.tsv", "test.tsv"):
        write_tsv(pathlib.Path(file), ["premise", "hypo", "label"], rows)


SAVE = {  # by the first column of the table
    "SNLI, folder of `save_to_disk`": save_snli_folder,
    "SNLI, JSON lines of `to_json`": save_snli_json,
    "SNLI, Parquet of the hub or of `to_parquet`": save_snli_parquet,
    "AllNLI, `.tsv.gz` or `.csv.gz`": save_allnli,
    "Quora, `train.csv` and `test.csv` of Kaggle": save_kaggle_quora,
    "ANLI, `.jsonl` of the authors": save_anli,
    "GLUE, MNLI": save_mnli,
    "GLUE, QQP, without malformed lines": save_qqp,
    "GLUE, RTE": save_rte,
    "GLUE, STS-B": save_stsb,
    "GLUE, MRPC": save_mrpc,
    "GLUE, SST-2": save_sst2,
    "SciTail, `tsv_format` and `dgem_format`": save_scitail_tables,
    "SciTail, `snli_format` and `predictor_format`": save_scitail_json,
    "MedNLI, `mli_train_v1.jsonl`": save_mednli,
    "XNLI, `xnli.dev.tsv`, one language": save_xnli,
    "XNLI, `multinli.train.fr.tsv`": save_translated_multinli,
}
NETWORKS = ("GLUE, STS-B", "GLUE, SST-2")  # no pairs with labels


def test_every_row_of_the_table_is_followed():
    assert set(TABLE) == set(SAVE)


@pytest.mark.parametrize("files", SAVE)
def test_published_files_lead_to_predictions(files, tmp_path, monkeypatch, capsys):
    if files in NETWORKS:
        pytest.importorskip("keras")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    SAVE[files]()
    for path in tmp_path.glob("dev.[!p]*"):  # splits with the same rows are an error
        path.write_text("".join(path.read_text().splitlines(True)[:-1]))
    data, options = TABLE[files]
    for split in ("train", "dev"):
        if "split_column" in data:
            continue
        if split in data:  # a folder of a data set
            data = data | {split: data[split].replace("FOLDER", f"{tmp_path}/snli")}
        else:
            (file,) = [name for name in os.listdir() if name.startswith(f"{split}.")]
            data = data | {split: file}
    model = {"name": "features", "lexical": True, "minimum_count": 1}
    if files in NETWORKS:
        model = {"name": "cbow"}
    settings = {"seed": 1, "data": data, "model": model}
    if files in NETWORKS:
        settings["embedding"] = {"units": 4, "trainable": True}
        settings["training"] = {"epochs": 1}
    run = dsa.train(settings, tmp_path / "run", data_root=tmp_path)
    (test,) = [name for name in os.listdir() if name.startswith("test.")]
    arguments = ["predict", str(run), "--file", test, "--out", "predictions.jsonl"]
    assert main([*arguments, *options]) == 0, capsys.readouterr().err
    lines = pathlib.Path("predictions.jsonl").read_text().splitlines()
    assert len(lines) >= len(PAIRS)
    assert all({"label", "score"} & set(json.loads(line)) for line in lines)
