"""Commands on valid files, one of which a fuzzer then damages."""

import dataclasses
import json

import dsa
from tests.support.corpora import rows, write_jsonl
from tests.support.questions import write_wikiqa
from tests.support.runs import VECTORS, write_experiment

TRAINING = {"epochs": 1}
EMBEDDING = {
    "path": "vectors.txt",
    "units": 4,
    "trainable": False,
    "projection": 8,
    "frequent_words": 2,
}
PAIR_MODEL = {"name": "bcnn", "filters": 3, "width": 2}
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
    """A command, and what it reads.

    Attributes:
        arguments: of `dsa`, with paths relative to the folder.
        files: those that may be damaged, relative to the folder.
        writes: files and folders that the command may make or change.
        settings: assignments, one of which is damaged and given with `--set`.
    """

    arguments: tuple[str, ...]
    files: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


def prepare(folder):
    """Write corpora, configs, vectors, texts and three finished runs into a folder."""
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
    pairs = rows(6)
    (folder / "pairs.tsv").write_text(
        "".join(f"{row['sentence1']}\t{row['sentence2']}\n" for row in pairs)
    )
    write_jsonl(folder / "pairs.jsonl", pairs)
    (folder / "sentences.txt").write_text(
        "".join(f"{row['sentence1']}\n" for row in pairs)
    )
    question = {"question": "who sleeps ?", "answers": ["a man", "a dog"], "id": "q"}
    (folder / "questions.jsonl").write_text(json.dumps(question) + "\n")
    write_jsonl(folder / "unlabelled.jsonl", rows(4))
    (folder / "submission.csv").write_text(
        "pairID,gold_label\n" + "".join(f"p{n},neutral\n" for n in range(4))
    )


def _below(run, names=RUN_FILES):
    return tuple(f"{run}/{name}" for name in names)


SETTINGS = (
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
NEW = ("new",)
SITUATIONS = {
    "train": Situation(
        ("train", "single.yaml", "--run", "new"),
        ("single.yaml", "single.yaml", *CORPUS, "vectors.txt"),
        NEW,
    ),
    "train, settings": Situation(
        ("train", "single.yaml", "--run", "new"), writes=NEW, settings=SETTINGS
    ),
    "train a pair model": Situation(
        ("train", "pair.yaml", "--run", "new"), ("pair.yaml", *CORPUS), NEW
    ),
    "train on questions": Situation(
        ("train", "ranking.yaml", "--run", "new"),
        ("ranking.yaml", "train.tsv", "dev.tsv"),
        NEW,
    ),
    "resume": Situation(
        ("train", "single.yaml", "--run", "run", "--resume"),
        (*_below("run"), "run/state/state.npz", "single.yaml"),
        ("run",),
    ),
    "evaluate": Situation(
        ("evaluate", "run", "--split", "test", "--trust"),
        (*_below("run"), "test.jsonl"),
        ("run/metrics.json",),
    ),
    "evaluate what was changed": Situation(
        ("evaluate", "run", "--split", "test"),
        (*_below("run"), "run/sha256.json", "run/sha256.json"),
        ("run/metrics.json",),
    ),
    "evaluate a file": Situation(
        ("evaluate", "run", "--file", "dev.jsonl"),
        ("dev.jsonl", "vectors.txt"),
        ("run/metrics.json",),
    ),
    "evaluate a pair model": Situation(
        ("evaluate", "pair_run", "--split", "test", "--trust"),
        _below("pair_run", (*RUN_FILES, "pair_features.npz", "feature_scale.npz")),
        ("pair_run/metrics.json",),
    ),
    "evaluate questions": Situation(
        ("evaluate", "ranking_run", "--split", "test"),
        ("test.tsv", "ranking_run/metrics.json"),
        ("ranking_run/metrics.json",),
    ),
    "predict": Situation(
        ("predict", "run", "--trust", "--file", "pairs.tsv", "--out", "out.jsonl"),
        ("pairs.tsv", *_below("run", RUN_FILES[:3])),
        ("out.jsonl",),
    ),
    "predict JSON lines": Situation(
        ("predict", "pair_run", "--file", "pairs.jsonl", "--out", "out.jsonl"),
        ("pairs.jsonl",),
        ("out.jsonl",),
    ),
    "rank": Situation(
        ("predict", "ranking_run", "--file", "questions.jsonl", "--out", "out.jsonl"),
        ("questions.jsonl",),
        ("out.jsonl",),
    ),
    "encode": Situation(
        ("encode", "run", "--file", "sentences.txt", "--out", "out.npy"),
        ("sentences.txt",),
        ("out.npy",),
    ),
    "compare": Situation(
        ("compare", "run", "--with", "pair_run", "--split", "test", "--trust"),
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
