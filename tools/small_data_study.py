"""Accuracy of the models on small corpora of pairs, by the number of training rows.

    python -m tools.small_data_study run --data-root data --out runs/small_data
      [--corpora sick msrp] [--rows 500 2000 all] [--models linear esim_50d]
    python -m tools.small_data_study table --out runs/small_data

`run` trains each model on the same random rows of a corpus, three seeds, and predicts
the test rows once. Finished trainings are skipped. `table` writes the scores, the
effect of fine-tuning and all predictions to `results/small_data`, whose `criteria.md`
describes the study.
"""

import argparse
import csv
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import yaml

SEEDS = (13, 14, 15)
ROWS = ("500", "2000", "all")
DEV_ROWS = 500
STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0)  # C of logistic regression, chosen on dev
RESULTS = Path("results/small_data")
SNLI_LABELS = ("entailment", "neutral", "contradiction")
YES_NO = ("0", "1")
CORPORA = {  # training file, dev file, test file, labels, columns: two texts, label
    "sick": (
        "sick/SICK_train.txt",
        "sick/SICK_trial.txt",
        "sick/SICK_test_annotated.txt",
        SNLI_LABELS,
        (1, 2, 4),
    ),
    "msrp": (
        "msrp/msr_paraphrase_train.txt",
        None,
        "msrp/msr_paraphrase_test.txt",
        YES_NO,
        (3, 4, 0),
    ),
    "quora": ("quora/dev.tsv", None, "quora/test.tsv", YES_NO, (1, 2, 0)),
    "wikiqa": (
        "wikiqa/WikiQA-train.tsv",
        "wikiqa/WikiQA-dev.tsv",
        "wikiqa/WikiQA-test.tsv",
        YES_NO,
        (1, 5, 6),
    ),
}
SKEWED = "wikiqa"  # classes are weighted; balanced accuracy

VECTORS = {
    50: "glove/glove.6B.50d.nli.txt",
    100: "glove/glove.6B.100d.nli.txt",
    300: "explosion/explosion.300d.nli.txt",
}
CLASSIFIER = {"units": 100, "dropout": 0.1}
NETWORKS = {
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


def read_pairs(path, columns, labels):
    """Returns the rows of a tab-separated file as `(first, second, label)`; a line with
    another label, such as the header, is skipped."""
    rows = []
    with open(path, encoding="utf-8-sig", errors="replace", newline="\n") as file:
        for line in file:
            cells = line.rstrip("\r\n").split("\t")
            if len(cells) <= max(columns):
                continue
            first, second, label = (cells[column].strip() for column in columns)
            if label.lower() in labels and first and second:
                rows.append((first, second, label.lower()))
    return rows


def read_splits(root, corpus):
    """Returns the rows of train, dev and test. Dev is random rows of the dev file, or
    of the training file of a corpus without dev file; Quora's second file is test."""
    train, dev, test, labels, columns = CORPORA[corpus]
    random = np.random.default_rng(0)
    rows = _shuffle(random, read_pairs(root / train, columns, labels))
    test_rows = read_pairs(root / test, columns, labels)
    if dev:
        dev_rows = _shuffle(random, read_pairs(root / dev, columns, labels))
        return rows, dev_rows[:DEV_ROWS], test_rows
    return rows[DEV_ROWS:], rows[:DEV_ROWS], test_rows


def _shuffle(random, rows):
    return [rows[position] for position in random.permutation(len(rows))]


def draw_rows(rows, size, seed):
    """Returns random rows, all for the size "all"; equal for all models of a seed."""
    if size == "all":
        return rows
    drawn = np.random.default_rng(seed).permutation(len(rows))[: int(size)]
    return [rows[position] for position in drawn]


def weigh_rows(corpus, labels):
    """Returns the weight of each row in the score, with a mean of 1: equal weights, or
    equal weights of the classes of the skewed corpus (balanced accuracy)."""
    if corpus != SKEWED:
        return np.ones(len(labels))
    classes, positions, counts = np.unique(
        labels, return_inverse=True, return_counts=True
    )
    return len(labels) / (len(classes) * counts[positions])


def score(corpus, predicted, labels):
    """Returns the accuracy, or the balanced accuracy for the skewed corpus."""
    right = np.asarray(predicted) == np.asarray(labels)
    return float(np.mean(right * weigh_rows(corpus, labels)))


def predict_by_regression(corpus, features, labels):
    """Fits logistic regression with C chosen on dev.

    Args:
        features: matrices of train, dev and test.
        labels: of train and dev.

    Returns: the predicted labels of dev and test.
    """
    from sklearn.linear_model import LogisticRegression

    best = None
    for strength in STRENGTHS:
        model = LogisticRegression(
            C=strength,
            max_iter=2000,
            class_weight="balanced" if corpus == SKEWED else None,
        )
        model.fit(features[0], labels[0])
        dev = model.predict(features[1])
        found = score(corpus, dev, labels[1])
        if best is None or found > best[0]:
            best = found, dev, model
    return best[1], best[2].predict(features[2])


def compute_tfidf(splits):
    """Returns the features of each split: TF-IDF of words and word pairs of both texts,
    their absolute differences and products."""
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
    """Returns the features of each split: sentence vectors of the release `snli`, their
    absolute differences and products."""
    import dsa

    encoder = dsa.load("snli")
    features = []
    for rows in splits:
        first, second = (encoder.encode([row[side] for row in rows]) for side in (0, 1))
        parts = [first, second, abs(first - second), first * second]
        features.append(np.hstack(parts))
    return features


def train_config(corpus, sections, folder, splits, seed, root):
    """Trains a config on the rows of `splits`; returns the predicted labels of dev and
    test."""
    import dsa

    names = ("train", "dev", "test")
    for name, rows in zip(names, splits, strict=True):
        with open(folder / f"{name}.jsonl", "w", encoding="utf-8") as file:
            for first, second, label in rows:
                row = {"first": first, "second": second, "label": label}
                file.write(json.dumps(row) + "\n")
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
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    run = dsa.train(path, run=folder / "run", data_root="/")  # all paths are absolute
    model = dsa.load(run)
    answers = []
    for rows in splits[1:]:
        predictions = model.predict([(first, second) for first, second, _ in rows])
        answers.append([label for label, _ in predictions])
    return answers


def run_group(options, corpus, size, seed):
    """Trains all models on the rows of one corpus, size and seed."""
    import keras

    rows, dev, test = read_splits(options.data_root, corpus)
    splits = draw_rows(rows, size, seed), dev, test
    labels = [[row[2] for row in part] for part in splits]
    for model in options.models:
        folder = options.out / corpus / size / model / f"seed-{seed}"
        if (folder / "answers.json").exists():
            continue
        if size == "all" and model in BASELINES and seed != SEEDS[0]:
            continue  # equal rows and no random initialization
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
    """Runs each group in a process of its own, which bounds the memory."""
    for size in options.rows:
        for seed in SEEDS:
            for corpus in options.corpora:
                group = [corpus, size, str(seed)]
                command = [sys.executable, "-m", "tools.small_data_study", "run"]
                command += ["--data-root", str(options.data_root)]
                command += ["--out", str(options.out), "--group", *group]
                command += ["--models", *options.models]
                subprocess.run(command, check=False)


def write_table(options):
    """Writes the scores with their intervals, and the differences from `linear`."""
    from dsa.tasks.seed_comparison import compare_over_seeds

    records = [
        json.loads(path.read_text()) for path in options.out.rglob("answers.json")
    ]
    units = {}  # (corpus, size, model) -> seed -> weighted correctness of test rows
    facts = {}
    for corpus in CORPORA:
        *_, test = read_splits(options.data_root, corpus)
        labels = [row[2] for row in test]
        indices = np.array([CORPORA[corpus][3].index(label) for label in labels])
        weights = weigh_rows(corpus, labels)
        for record in records:
            if record["corpus"] != corpus:
                continue
            key = corpus, record["size"], record["model"]
            right = (np.array(record["test"]) == indices) * weights
            units.setdefault(key, {})[record["seed"]] = right
            facts.setdefault(key, []).append(record)
    RESULTS.mkdir(parents=True, exist_ok=True)
    with open(RESULTS / "scores.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            "corpus,rows,size,model,seeds,dev,test,low,high,seconds".split(",")
        )
        for key in sorted(units, key=_order):
            values = np.array([units[key][seed] for seed in sorted(units[key])])
            mean = compare_over_seeds(np.zeros_like(values), values)
            low, high = _widest(mean)
            dev = np.mean([record["dev"] for record in facts[key]])
            seconds = np.median([record["seconds"] for record in facts[key]])
            numbers = [f"{value:.4f}" for value in (dev, mean.other, low, high)]
            corpus, size, model = key
            writer.writerow(
                [corpus, facts[key][0]["rows"], size, model, len(values), *numbers]
                + [f"{seconds:.0f}"]
            )


def _widest(comparison):
    """Returns the wider limits of the bootstrap and the t interval."""
    intervals = [comparison.bootstrap]
    if comparison.by_t is not None:
        intervals.append(comparison.by_t)
    lows, highs = zip(*intervals, strict=True)
    return min(lows), max(highs)


def _order(key):
    corpus, size, model = key
    return list(CORPORA).index(corpus), ROWS.index(size), MODELS.index(model)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("run", "table"))
    parser.add_argument("--data-root", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("runs/small_data"))
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=ROWS)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--group", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.action == "table":
        return write_table(options)
    if options.group:
        corpus, size, seed = options.group
        return run_group(options, corpus, size, int(seed))
    return run_all(options)


if __name__ == "__main__":
    main()
