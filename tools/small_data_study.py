"""Train the models of a study of accuracy by number of training rows.

    python -m tools.small_data_study --data-root data --out runs/small_data
      [--corpora sick msrp] [--rows 500 2000 all] [--models linear esim_50d]

Trains each model with three seeds on the same random rows of a corpus, and predicts the
test rows once. Finished runs are skipped. The study is described in
results/small_data/criteria.md, and its tables are written by `tools.small_data_tables`.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import yaml

from tools.small_data_rows import CORPORA, SKEWED, draw_rows, read_splits, score

SEEDS = (13, 14, 15)
ROWS = ("500", "2000", "all")
STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0)  # C of logistic regression, chosen on dev
VECTORS = {
    50: "glove/glove.6B.50d.nli.txt",
    100: "glove/glove.6B.100d.nli.txt",
    300: "explosion/explosion.300d.nli.txt",
}
CLASSIFIER = {"units": 100, "dropout": 0.1}
NETWORKS = {  # sections `model` and `embedding` of the config
    "dsa": ({"name": "dsa", "units": 150}, {"projection": 150}),
    "esim": ({"name": "esim", "units": 100, "dropout": 0.1}, {}),
    "bilstm_max": (
        {"name": "bilstm_max", "units": 100, "classifier": CLASSIFIER},
        {},
    ),
}
TRAINING = {"batch_size": 32, "epochs": 10, "early_stopping": 3}
BASELINES = ("tfidf", "encode")


def list_configs():
    """Returns `{model: sections}` of the models that `dsa train` trains."""
    configs = {
        "linear": {"model": {"name": "features", "lexical": True}},
        "fine_tuned": {
            "embedding": _describe_vectors(50) | {"projection": 150},
            "model": NETWORKS["dsa"][0],
            "training": {"start_from": "snli", **TRAINING},
        },
    }
    for units in VECTORS:
        for name, (model, embedding) in NETWORKS.items():
            configs[f"{name}_{units}d"] = {
                "embedding": _describe_vectors(units) | embedding,
                "model": model,
                "training": TRAINING,
            }
    return configs


def _describe_vectors(units):
    return {"path": VECTORS[units], "units": units, "trainable": False}


MODELS = (*BASELINES, *list_configs())


def predict_by_regression(corpus, features, labels):
    """Fits logistic regression, with C selected on dev.

    Args:
        corpus: name of the corpus.
        features: feature matrices of train, dev and test.
        labels: labels of train and dev.

    Returns: the predicted labels of dev and of test.
    """
    from sklearn.linear_model import LogisticRegression

    train_features, dev_features, test_features = features
    best = None
    for strength in STRENGTHS:
        model = LogisticRegression(
            C=strength,
            max_iter=2000,
            class_weight="balanced" if corpus == SKEWED else None,
        )
        model.fit(train_features, labels[0])
        predictions = model.predict(dev_features)
        dev_score = score(corpus, predictions, labels[1])
        if best is None or dev_score > best[0]:
            best = dev_score, predictions, model
    _, dev_predictions, best_model = best
    return dev_predictions, best_model.predict(test_features)


def compute_tfidf(splits):
    """Returns TF-IDF features of each split.

    Features are the TF-IDF vectors of both texts over words and word pairs, their
    absolute difference and their product.
    """
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    vectorizer.fit([text for row in splits[0] for text in row[:2]])
    features = []
    for rows in splits:
        first, second = (
            vectorizer.transform([row[side] for row in rows]) for side in (0, 1)
        )
        parts = [first, second, abs(first - second), first.multiply(second)]
        features.append(sparse.hstack(parts).tocsr())
    return features


def compute_encoded(splits):
    """Returns sentence-vector features of each split.

    Features are the vectors of both texts by the release `snli`, their absolute
    difference and their product.
    """
    import dsa

    encoder = dsa.load("snli")
    features = []
    for rows in splits:
        first, second = (encoder.encode([row[side] for row in rows]) for side in (0, 1))
        parts = [first, second, abs(first - second), first * second]
        features.append(np.hstack(parts))
    return features


def train_config(corpus, sections, folder, splits, seed, root):
    """Trains a config in a run folder.

    Args:
        corpus: name of the corpus.
        sections: sections of the config.
        folder: folder of the run, the config and the files of rows.
        splits: rows of train, dev and test.
        seed: random seed of the training.
        root: data root of the vector files.

    Returns: the predicted labels of dev and of test.
    """
    import dsa

    _write_splits(folder, splits)
    path = folder / "config.yaml"
    config = _build_config(corpus, sections, folder, seed, root)
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    run = dsa.train(path, run=folder / "run", data_root="/")  # all paths are absolute
    model = dsa.load(run)
    answers = []
    for rows in splits[1:]:
        predictions = model.predict([(first, second) for first, second, _ in rows])
        answers.append([label for label, _ in predictions])
    return answers


def _write_splits(folder, splits):
    for name, rows in zip(("train", "dev", "test"), splits, strict=True):
        with open(folder / f"{name}.jsonl", "w", encoding="utf-8") as file:
            for first, second, label in rows:
                row = {"first": first, "second": second, "label": label}
                file.write(json.dumps(row) + "\n")


def _build_config(corpus, sections, folder, seed, root):
    """Returns the config of a run with absolute paths, see `train_config`."""
    data = {
        "corpus": "own",
        "columns": {"premise": "first", "hypothesis": "second", "label": "label"},
        "labels": list(CORPORA[corpus][3]),
        "train": str((folder / "train.jsonl").resolve()),
        "dev": str((folder / "dev.jsonl").resolve()),
    }
    training = dict(sections.get("training", {}))
    if corpus == SKEWED:
        training["class_weights"] = "balanced"
        if sections["model"]["name"] != "features":
            training["metric"] = "macro_f1"
    config = {"seed": seed, "data": data, **sections}
    if "embedding" in sections:
        vectors = (root / sections["embedding"]["path"]).resolve()
        config["embedding"] = sections["embedding"] | {"path": str(vectors)}
    if training:
        config["training"] = training
    return config


def run_group(options, corpus, size, seed):
    """Trains the selected models on the rows of a corpus, a size and a seed."""
    import keras

    rows, dev, test = read_splits(options.data_root, corpus)
    splits = draw_rows(rows, size, seed), dev, test
    labels = [[row[2] for row in part] for part in splits]
    for model in options.models:
        folder = options.out / corpus / size / model / f"seed-{seed}"
        if (folder / "answers.json").exists():
            continue
        if size == "all" and model in BASELINES and seed != SEEDS[0]:
            continue  # deterministic: same rows, no random initialization
        folder.mkdir(parents=True, exist_ok=True)
        began = time.perf_counter()
        if model == "tfidf":
            answers = predict_by_regression(corpus, compute_tfidf(splits), labels)
        elif model == "encode":
            answers = predict_by_regression(corpus, compute_encoded(splits), labels)
        else:
            keras.utils.clear_session()
            config = list_configs()[model]
            answers = train_config(
                corpus, config, folder, splits, seed, options.data_root
            )
        record = {
            "corpus": corpus,
            "rows": len(splits[0]),
            "size": size,
            "model": model,
            "seed": seed,
            "dev": score(corpus, answers[0], labels[1]),
            "seconds": round(time.perf_counter() - began, 1),
            "test": [CORPORA[corpus][3].index(label) for label in answers[1]],
        }
        (folder / "answers.json").write_text(json.dumps(record))
        print(corpus, size, model, seed, round(record["dev"], 4), flush=True)


def run_all(options):
    """Runs each group in a separate process, to limit the memory.

    Returns: the exit code, 1 if a group has failed.
    """
    failed = []
    for size in options.rows:
        for seed in SEEDS:
            for corpus in options.corpora:
                group = [corpus, size, str(seed)]
                command = [sys.executable, "-m", "tools.small_data_study"]
                command += ["--data-root", str(options.data_root)]
                command += ["--out", str(options.out), "--group", *group]
                command += ["--models", *options.models]
                if subprocess.run(command, check=False).returncode:
                    failed.append(" ".join(group))
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-root", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("runs/small_data"))
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=ROWS)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--group", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.group:
        corpus, size, seed = options.group
        return run_group(options, corpus, size, int(seed))
    return run_all(options)


if __name__ == "__main__":
    sys.exit(main())
