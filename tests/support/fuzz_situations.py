"""Commands with valid input files, for the fuzzer."""

import contextlib
import dataclasses
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow
import yaml
from pyarrow import parquet

import dsa
from dsa.commands.main import main
from dsa.data.corpora.catalogue import CORPORA
from dsa.data.corpora.files import find_file
from dsa.errors import InputError
from tests.support.corpora import rows, write_jsonl
from tests.support.questions import write_wikiqa
from tests.support.runs import SETTINGS, VECTORS, write_experiment
from tests.support.tables import make_table

TRAINING = {"epochs": 1}
EMBEDDING = {
    "path": "vectors.txt",
    "units": 4,
    "trainable": False,
    "projection": 8,
    "frequent_words": 2,
}
PAIR_MODEL = {"name": "bcnn", "filters": 3, "width": 2}
ENCODE_BULK = "encode run --file sentences.txt --shard-rows 2"
MODEL_FILES = ("config.yaml", "vocabulary.txt", "best.weights.h5")
RUN_FILES = (
    "config.yaml",
    "vocabulary.txt",
    "environment.json",
    "history.csv",
    "metrics.json",
    "best.weights.h5",
)


@dataclasses.dataclass(frozen=True)
class Situation:
    """A command and its input files.

    Attributes:
        arguments: arguments of `dsa`, with paths relative to the folder.
        files: files to damage, relative to the folder.
        writes: files and folders that the command may create or change.
        settings: assignments; one is damaged and passed to `--set`.
        vouched: runs whose `sha256.json` is updated to match the damage.
        function: a function to call instead of a command; it returns the exit code.
    """

    arguments: tuple[str, ...]
    files: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    vouched: tuple[str, ...] = ()
    function: Callable[[], int] | None = None


class Frame:
    """Table with the interface of a pandas `DataFrame`, where pandas is missing."""

    def __init__(self, columns):
        self.content, self.columns = columns, [*columns]

    def to_dict(self, orient):
        assert orient == "records"
        rows = zip(*self.content.values(), strict=True)
        return [dict(zip(self.columns, row, strict=True)) for row in rows]


def read_frame(path):
    """Returns JSON lines as a pandas `DataFrame` or a `Frame`."""
    rows = [json.loads(line) for line in Path(path).read_bytes().splitlines()]
    columns = {name: [row.get(name) for row in rows] for name in rows[0]}
    if importlib.util.find_spec("pandas"):
        import pandas

        return pandas.DataFrame(columns)
    return Frame(columns)


def predict_frame():
    """Predicts the rows of a data frame. Returns: the exit code."""
    try:
        frame = read_frame("pairs.jsonl")
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        print("error: no frame", file=sys.stderr)
        return 2
    return _report_error(lambda: dsa.load("linear_run").predict(frame))


def read_arrow():
    """Reads a data set in a folder. Returns: the exit code."""
    address = f"hf://{Path.cwd()}/saved"
    return _report_error(
        lambda: list(CORPORA["snli"].read_examples(find_file("", address)))
    )


def _report_error(function):
    """Calls a function. Returns: the exit code that a command would have."""
    try:
        function()
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def prepare(folder):
    """Writes the input files of all situations to a folder.

    These are corpora, configs, vectors, texts, four finished runs, one with its ONNX
    export, and finished and planned bulk inference.
    """
    (folder / "vectors.txt").write_text(VECTORS)
    config = write_experiment(folder, embedding=EMBEDDING, training=TRAINING)
    dsa.train(config, folder / "run", data_root=folder)
    config.rename(folder / "single.yaml")
    pair = write_experiment(
        folder,
        embedding={"units": 4},
        features={"names": ["lengths", "word_count"]},
        model=PAIR_MODEL,
        training=TRAINING,
    )
    pair.rename(folder / "pair.yaml")
    dsa.train(folder / "pair.yaml", folder / "pair_run", data_root=folder)
    for split, labels in (("train", "0010"), ("dev", "010"), ("test", "01")):
        questions = {f"{split}{number}": labels for number in range(4)}
        write_wikiqa(folder / f"{split}.tsv", questions)
    ranking = write_experiment(
        folder,
        data={
            "corpus": "wikiqa",
            **{split: f"{split}.tsv" for split in ("train", "dev", "test")},
        },
        model={"name": "cbow"},
        training=TRAINING,
    )
    ranking.rename(folder / "ranking.yaml")
    dsa.train(folder / "ranking.yaml", folder / "ranking_run", data_root=folder)
    linear = {name: SETTINGS[name] for name in ("seed", "data", "tokenizer")}
    linear["model"] = {"name": "features", "lexical": True, "minimum_count": 1}
    (folder / "linear.yaml").write_text(yaml.safe_dump(linear))
    dsa.train(folder / "linear.yaml", folder / "linear_run", data_root=folder)
    pairs = rows(6)
    (folder / "pairs.tsv").write_text(
        "".join(f"{row['sentence1']}\t{row['sentence2']}\n" for row in pairs)
    )
    write_jsonl(folder / "pairs.jsonl", pairs)
    columns = {name: [row[name] for row in pairs] for name in pairs[0]}
    parquet.write_table(pyarrow.table(columns), folder / "pairs.parquet")
    _write_own(folder, linear)
    (folder / "sentences.txt").write_text(
        "".join(f"{row['sentence1']}\n" for row in pairs)
    )
    question = {"question": "who sleeps ?", "answers": ["a man", "a dog"], "id": "q"}
    (folder / "questions.jsonl").write_text(json.dumps(question) + "\n")
    answers = [{"question": "who sleeps ?", "answer": a} for a in question["answers"]]
    (folder / "questions.parquet").write_bytes(make_table(answers, "parquet"))
    write_jsonl(folder / "unlabelled.jsonl", rows(4))
    if HAS_DATASETS:
        import datasets

        datasets.Dataset.from_dict(columns).save_to_disk(str(folder / "saved"))
    _run_dsa("export run --in-run", folder)
    _run_dsa(
        f"{ENCODE_BULK} --data-root . --out planned --executor print --jobs 1", folder
    )
    _run_dsa(f"{ENCODE_BULK} --data-root . --out finished --workers 1", folder)
    (folder / "submission.csv").write_text(
        "pairID,gold_label\n" + "".join(f"p{n},neutral\n" for n in range(4))
    )


def _write_own(folder, linear):
    """Writes labelled pairs as CSV and Parquet, and the config of their training."""
    names = {"premise": "sentence1", "hypothesis": "sentence2", "label": "gold_label"}
    labels = sorted({row["gold_label"] for row in rows(6)})
    for count, name in ((6, "own.parquet"), (4, "own.csv")):
        table = [
            {column: row[column] for column in names.values()} for row in rows(count)
        ]
        (folder / name).write_bytes(make_table(table, name.partition(".")[2]))
    data = {"corpus": "own", "train": "own.parquet", "dev": "own.csv"}
    data |= {"columns": names, "labels": labels}
    (folder / "own.yaml").write_text(yaml.safe_dump(linear | {"data": data}))


def _run_dsa(words, folder):
    with contextlib.chdir(folder):
        assert main(words.split()) == 0


def _below(run, names=RUN_FILES):
    return tuple(f"{run}/{name}" for name in names)


ASSIGNMENTS = (
    "training.epochs=1",
    "training.batch_size=4",
    "model.units=12",
    "model.dropout=0.1",
    "model={name: cbow}",
    "embedding.path=vectors.txt",
    "training.optimizer={name: adam, beta_1: 0.9}",
    "data.dev=dev.jsonl",
    "seed=3",
)
CORPUS = ("train.jsonl", "dev.jsonl")
HAS_DATASETS = importlib.util.find_spec("datasets") is not None
NEW = ("new",)
SITUATIONS = {
    "train": Situation(
        ("train", "single.yaml", "--run", "new"),
        ("single.yaml", "single.yaml", *CORPUS, "vectors.txt"),
        NEW,
    ),
    "train, settings": Situation(
        ("train", "single.yaml", "--run", "new"), writes=NEW, settings=ASSIGNMENTS
    ),
    "train a pair model": Situation(
        ("train", "pair.yaml", "--run", "new"), ("pair.yaml", *CORPUS), NEW
    ),
    "train on questions": Situation(
        ("train", "ranking.yaml", "--run", "new"),
        ("ranking.yaml", "train.tsv", "dev.tsv"),
        NEW,
    ),
    "train on own Parquet and CSV": Situation(
        ("train", "own.yaml", "--run", "new"),
        ("own.yaml", "own.parquet", "own.csv"),
        NEW,
    ),
    "resume": Situation(
        ("train", "single.yaml", "--run", "run", "--resume"),
        (*_below("run"), "run/state/state.npz", "single.yaml"),
        ("run",),
    ),
    "evaluate": Situation(
        ("evaluate", "run", "--split", "test"),
        (*_below("run"), "test.jsonl"),
        ("run/metrics.json",),
    ),
    "evaluate a changed run": Situation(
        ("evaluate", "run", "--split", "test"),
        (*_below("run"), "run/sha256.json", "run/sha256.json"),
        ("run/metrics.json",),
    ),
    "evaluate a file": Situation(
        ("evaluate", "run", "--file", "dev.jsonl"),
        ("dev.jsonl", "vectors.txt"),
        ("run/metrics.json",),
    ),
    "evaluate CSV": Situation(
        ("evaluate", "linear_run", "--file", "own.csv"),
        ("own.csv",),
        ("linear_run/metrics.json",),
    ),
    "evaluate Parquet": Situation(
        ("evaluate", "linear_run", "--file", "own.parquet"),
        ("own.parquet",),
        ("linear_run/metrics.json",),
    ),
    "evaluate a pair model": Situation(
        ("evaluate", "pair_run", "--split", "test"),
        _below("pair_run", (*RUN_FILES, "pair_features.npz", "feature_scale.npz")),
        ("pair_run/metrics.json",),
    ),
    "evaluate questions": Situation(
        ("evaluate", "ranking_run", "--split", "test"),
        ("test.tsv", "ranking_run/metrics.json"),
        ("ranking_run/metrics.json",),
    ),
    "predict": Situation(
        ("predict", "run", "--file", "pairs.tsv", "--out", "out.jsonl"),
        ("pairs.tsv", *_below("run", RUN_FILES[:3])),
        ("out.jsonl",),
    ),
    "predict JSON lines": Situation(
        ("predict", "pair_run", "--file", "pairs.jsonl", "--out", "out.jsonl"),
        ("pairs.jsonl",),
        ("out.jsonl",),
    ),
    "predict Parquet": Situation(
        ("predict", "linear_run", "--file", "pairs.parquet", "--out", "out.jsonl"),
        ("pairs.parquet",),
        ("out.jsonl",),
    ),
    "predict a frame": Situation(
        ("predict", "linear_run"), ("pairs.jsonl",), function=predict_frame
    ),
    "rank": Situation(
        ("predict", "ranking_run", "--file", "questions.jsonl", "--out", "out.jsonl"),
        ("questions.jsonl",),
        ("out.jsonl",),
    ),
    "rank from Parquet": Situation(
        ("predict", "ranking_run", "--file", "questions.parquet")
        + ("--out", "out.jsonl"),
        ("questions.parquet",),
        ("out.jsonl",),
    ),
    "encode": Situation(
        ("encode", "run", "--file", "sentences.txt", "--out", "out.npy"),
        ("sentences.txt",),
        ("out.npy",),
    ),
    "evaluate with matching digests": Situation(
        ("evaluate", "run", "--split", "test"),
        (*_below("run", MODEL_FILES), "run/best.weights.h5"),
        ("run/metrics.json",),
        vouched=("run",),
    ),
    "evaluate a pair model with matching digests": Situation(
        ("evaluate", "pair_run", "--split", "test"),
        _below("pair_run", (*MODEL_FILES, "pair_features.npz", "feature_scale.npz")),
        ("pair_run/metrics.json",),
        vouched=("pair_run",),
    ),
    "evaluate features with matching digests": Situation(
        ("evaluate", "linear_run", "--split", "test"),
        _below("linear_run", ("config.yaml", "features.npz", "features.npz")),
        ("linear_run/metrics.json",),
        vouched=("linear_run",),
    ),
    "resume with matching digests": Situation(
        ("train", "single.yaml", "--run", "run", "--resume"),
        (*_below("run", MODEL_FILES), *["run/state/state.npz"] * 3),
        ("run",),
        vouched=("run",),
    ),
    "predict with ONNX": Situation(
        ("predict", "run", "--file", "pairs.tsv", "--out", "out.jsonl")
        + ("--runtime", "onnx"),
        ("run/onnx/model.onnx", "run/onnx/settings.json", "run/vocabulary.txt"),
        ("out.jsonl",),
        vouched=("run",),
    ),
    "encode with ONNX": Situation(
        ("encode", "run", "--file", "sentences.txt", "--out", "out.npy"),
        ("run/onnx/encoder.onnx", "run/onnx/settings.json"),
        ("out.npy",),
        vouched=("run",),
    ),
    "resume bulk inference": Situation(
        (*ENCODE_BULK.split(), "--workers", "1", "--out", "planned"),
        ("planned/manifest.json", "sentences.txt"),
        ("planned",),
    ),
    "finished bulk inference": Situation(
        (*ENCODE_BULK.split(), "--workers", "1", "--out", "finished"),
        ("finished/manifest.json", "finished/part-00000.npy", "sentences.txt"),
        ("finished",),
    ),
    "compare": Situation(
        ("compare", "run", "--with", "pair_run", "--split", "test"),
        ("test.jsonl", "run/config.yaml", "pair_run/vocabulary.txt"),
        ("run/metrics.json", "pair_run/metrics.json"),
    ),
    "check a submission": Situation(
        ("submit", "--check", "submission.csv", "--against", "unlabelled.jsonl"),
        ("submission.csv", "unlabelled.jsonl"),
    ),
    "list runs": Situation(
        ("runs", "."), _below("run", ("config.yaml", "metrics.json", "history.csv"))
    ),
}
if HAS_DATASETS:
    SITUATIONS["read Arrow"] = Situation(
        ("read",),
        ("saved/data-00000-of-00001.arrow", "saved/dataset_info.json"),
        function=read_arrow,
    )
