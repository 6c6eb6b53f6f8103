"""Accuracy of the models on small corpora of pairs, by the number of training rows.

    python -m tools.small_data_study run --data-root data --out runs/small_data
      [--corpora sick msrp] [--rows 500 2000 all] [--models linear esim_50d]
    python -m tools.small_data_study pack --data-root data --out runs/small_data
    python -m tools.small_data_study table [--check]

`run` trains each model on the same random rows of a corpus, three seeds, and predicts
the test rows once. Finished trainings are skipped. `pack` writes all predictions, and
the labels of the test rows, to answers.parquet in `results/small_data`, whose
criteria.md describes the study. `table` computes scores.csv and fine_tuning.csv from
them; `--check` fails if the committed files differ.
"""

import argparse
import csv
import io
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
RESULTS = Path(__file__).resolve().parents[1] / "results/small_data"
ANSWERS = "answers.parquet"
GOLD = "gold"  # the labels, among the models of the answers
MAJORITY = "majority"  # predicts the most frequent label of test
FINE_TUNING = ("dsa_50d", "fine_tuned")  # without and with the release's weights
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
        dev_score = score(corpus, dev, labels[1])
        if best is None or dev_score > best[0]:
            best = dev_score, dev, model
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


def pack(options):
    """Writes the predictions of all finished runs, and the labels of the test rows as
    the answers of a model named "gold"."""
    import pyarrow as pa
    from pyarrow import parquet

    records = [
        json.loads(path.read_text()) for path in options.out.rglob("answers.json")
    ]
    corpora = {record["corpus"] for record in records}
    for corpus in [name for name in CORPORA if name in corpora]:
        *_, test = read_splits(options.data_root, corpus)
        answers = [CORPORA[corpus][3].index(row[2]) for row in test]
        gold = {"rows": 0, "size": "", "seed": 0, "dev": None, "seconds": None}
        records.append({"corpus": corpus, "model": GOLD, **gold, "test": answers})
    records.sort(key=lambda record: (_order(record), record["seed"]))
    columns = {
        key: [record[key] for record in records] for key in records[0] if key != "test"
    }
    answers = [record["test"] for record in records]
    columns["test"] = pa.array(answers, pa.list_(pa.int8()))
    RESULTS.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table(columns), RESULTS / ANSWERS, compression="zstd")


def read_answers(path):
    """Returns the records of `pack` and `{corpus: labels of the test rows}`."""
    from pyarrow import parquet

    records = parquet.read_table(path).to_pylist()
    gold = {
        record["corpus"]: np.array(record["test"])
        for record in records
        if record["model"] == GOLD
    }
    return [record for record in records if record["model"] != GOLD], gold


def find_shared_seeds(records):
    """Returns `{size: seeds}` with the seeds of which every model and corpus has a run.

    The baselines have one run of all rows, which counts for every seed.
    """
    seeds = {}  # size -> (model, corpus) -> seeds
    for record in records:
        runs = seeds.setdefault(record["size"], {})
        key = record["model"], record["corpus"]
        runs.setdefault(key, set()).add(record["seed"])
    return {
        size: set.intersection(
            *(
                done
                for (model, _), done in runs.items()
                if size != "all" or model not in BASELINES
            )
        )
        for size, runs in seeds.items()
    }


def compute_tables(records, gold):
    """Returns `{file: rows}`: the scores by size and model, a column per corpus, and
    the effect of fine-tuning by size and corpus, over the seeds of
    `find_shared_seeds`."""
    values = score_rows(records, gold)
    seconds = {}  # (size, model) -> seconds of each training
    for record in records:
        key = record["size"], record["model"]
        seconds.setdefault(key, []).append(record["seconds"])
    return {
        "scores.csv": compute_scores(values, seconds),
        "fine_tuning.csv": compare_fine_tuning(values),
    }


def score_rows(records, gold):
    """Returns `{(size, model, corpus): scores}`, the weighted correctness of each test
    row, `(seeds, rows)`; the model `MAJORITY` has one seed."""
    shared = find_shared_seeds(records)
    values = {}
    for record in records:
        if record["seed"] in shared[record["size"]]:
            labels = gold[record["corpus"]]
            right = np.array(record["test"]) == labels
            key = record["size"], record["model"], record["corpus"]
            scores = right * weigh_rows(record["corpus"], labels)
            values.setdefault(key, []).append(scores)
    for size in shared:
        for corpus, labels in gold.items():
            right = labels == np.bincount(labels).argmax()
            values[size, MAJORITY, corpus] = [right * weigh_rows(corpus, labels)]
    return {key: np.array(scores) for key, scores in values.items()}


def compute_scores(values, seconds):
    """Returns a row per size and model that was evaluated on all corpora."""
    from dsa.tasks.seed_comparison import compare_over_seeds

    rows = []
    for size in ROWS:
        for model in (*MODELS, MAJORITY):
            if any((size, model, corpus) not in values for corpus in CORPORA):
                continue
            row = {"size": size, "model": model}
            for corpus in CORPORA:
                scores = values[size, model, corpus]
                result = compare_over_seeds(np.zeros_like(scores), scores)
                row[corpus] = result.difference
                row[f"{corpus}_low"], row[f"{corpus}_high"] = result.interval
                row[f"{corpus}_seeds"] = len(scores)
            row["mean"] = float(np.mean([row[corpus] for corpus in CORPORA]))
            row["seconds"] = float(np.median(seconds.get((size, model), [0.0])))
            rows.append(row)
    return rows


def compare_fine_tuning(values):
    """Returns a row per size and corpus: fine-tuned minus initialized weights."""
    from dsa.tasks.seed_comparison import compare_over_seeds

    rows = []
    for size in ROWS:
        for corpus in CORPORA:
            initialized, tuned = (
                values.get((size, model, corpus)) for model in FINE_TUNING
            )
            if initialized is None or tuned is None:
                continue
            result = compare_over_seeds(initialized, tuned)
            low, high = result.interval
            row = {"size": size, "corpus": corpus, "difference": result.difference}
            row |= {"low": low, "high": high, "seeds": len(tuned)}
            row["significant"] = "yes" if result.is_significant else "no"
            rows.append(row)
    return rows


def write_csv(rows):
    """Returns the text of a CSV file; fractions have four digits, seconds none."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        formatted = {
            key: f"{value:.4f}" if isinstance(value, float) else value
            for key, value in row.items()
        }
        if "seconds" in row:
            formatted["seconds"] = f"{row['seconds']:.0f}"
        writer.writerow(formatted)
    return file.getvalue()


def write_tables(folder, check):
    """Writes the tables of `compute_tables` beside the answers, or compares them with
    the files; returns the exit code."""
    code = 0
    for name, rows in compute_tables(*read_answers(folder / ANSWERS)).items():
        text = write_csv(rows)
        if not check:
            (folder / name).write_text(text, encoding="utf-8")
        elif (folder / name).read_text(encoding="utf-8") != text:
            print(f"{folder / name} differs from the answers")
            code = 1
    return code


def _order(record):
    return (
        list(CORPORA).index(record["corpus"]),
        ["", *ROWS].index(record["size"]),
        [GOLD, *MODELS].index(record["model"]),
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("run", "pack", "table"))
    parser.add_argument("--data-root", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("runs/small_data"))
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=ROWS)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    parser.add_argument("--group", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.action == "table":
        return write_tables(RESULTS, options.check)
    if options.action == "pack":
        return pack(options)
    if options.group:
        corpus, size, seed = options.group
        return run_group(options, corpus, size, int(seed))
    return run_all(options)


if __name__ == "__main__":
    sys.exit(main())
