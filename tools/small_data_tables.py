"""Write or check the tables of `tools.small_data_study`.

    python -m tools.small_data_tables --pack runs/small_data --data-root data
    python -m tools.small_data_tables --unpack runs/small_data
    python -m tools.small_data_tables [--check]

`--pack` writes the predictions of all finished runs, and the labels of the test rows,
to answers.parquet in `results/small_data`. `--unpack` writes the predictions in this
file back to a folder of runs, so that `tools.small_data_study` trains only the other
runs. The tables scores.csv and fine_tuning.csv in the same folder are computed from
this file. `--check` fails if the committed tables differ from the computed tables.
"""

import argparse
import csv
import io
import json
import sys
from pathlib import Path

import numpy as np

from tools.small_data_rows import CORPORA, read_splits, weigh_rows
from tools.small_data_study import BASELINES, MODELS, ROWS

RESULTS = Path(__file__).resolve().parents[1] / "results/small_data"
ANSWERS = "answers.parquet"
GOLD = "gold"  # model name of the labels of the test rows in `ANSWERS`
MAJORITY = "majority"  # model name of the most frequent label of test
FINE_TUNING = ("dsa_50d", "fine_tuned")  # random and released initial weights


def pack(runs, root):
    """Writes the predictions of all finished runs to answers.parquet.

    The labels of the test rows are added as the predictions of a model named "gold".
    """
    import pyarrow as pa
    from pyarrow import parquet

    records = [json.loads(path.read_text()) for path in runs.rglob("answers.json")]
    corpora = {record["corpus"] for record in records}
    for corpus in [name for name in CORPORA if name in corpora]:
        *_, test = read_splits(root, corpus)
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


def unpack(runs):
    """Writes answers.json of each run in answers.parquet that is not in the folder."""
    records, _ = read_answers(RESULTS / ANSWERS)
    for record in records:
        name = f"seed-{record['seed']}"
        folder = runs / record["corpus"] / record["size"] / record["model"] / name
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "answers.json").exists():
            (folder / "answers.json").write_text(json.dumps(record))


def read_answers(path):
    """Reads a file of `pack`.

    Returns: the records of the runs, and `{corpus: labels of the test rows}`.
    """
    from pyarrow import parquet

    records = parquet.read_table(path).to_pylist()
    gold = {
        record["corpus"]: np.array(record["test"])
        for record in records
        if record["model"] == GOLD
    }
    return [record for record in records if record["model"] != GOLD], gold


def find_shared_seeds(records):
    """Returns the seeds for which all models and corpora have a run: `{size: seeds}`.

    The baselines are ignored for the size "all", for which they have only one run.
    """
    seeds = {}  # size -> (model, corpus) -> seeds
    for record in records:
        size, model = record["size"], record["model"]
        runs = seeds.setdefault(size, {})
        if size == "all" and model in BASELINES:
            continue
        runs.setdefault((model, record["corpus"]), set()).add(record["seed"])
    return {size: set.intersection(*runs.values()) for size, runs in seeds.items()}


def compute_tables(records, gold):
    """Computes the tables over the seeds of `find_shared_seeds`.

    Returns: `{file: rows}`: scores by size and model with columns for each corpus, and
        the effect of fine-tuning by size and corpus.
    """
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
    """Returns the weighted correctness of each test row.

    Returns: `{(size, model, corpus): scores}` with scores `(seeds, rows)`. The model
        `MAJORITY` has a single seed.
    """
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
    """Returns the effect of fine-tuning, a row per size and corpus.

    The effect is the score from released initial weights minus the score from random
    initial weights.
    """
    from dsa.tasks.seed_comparison import compare_over_seeds

    rows = []
    for size in ROWS:
        for corpus in CORPORA:
            random, tuned = (values.get((size, model, corpus)) for model in FINE_TUNING)
            if random is None or tuned is None:
                continue
            result = compare_over_seeds(random, tuned)
            low, high = result.interval
            row = {"size": size, "corpus": corpus, "difference": result.difference}
            row |= {"low": low, "high": high, "seeds": len(tuned)}
            row["significant"] = "yes" if result.is_significant else "no"
            rows.append(row)
    return rows


def write_csv(rows):
    """Returns rows as CSV text. Fractions have four decimals, seconds none."""
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
    """Writes the tables to the folder of the answers, or checks the existing tables.

    Args:
        folder: folder of the answers.
        check: whether to compare the tables with the files instead of writing.

    Returns: the exit code, 1 if a file differs from its table.
    """
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
    parser.add_argument("--pack", type=Path, metavar="RUNS", help="folder of runs")
    parser.add_argument("--unpack", type=Path, metavar="RUNS", help="folder of runs")
    parser.add_argument("--data-root", type=Path, default=Path("data"))
    parser.add_argument(
        "--check", action="store_true", help="check the tables, write no files"
    )
    options = parser.parse_args()
    if options.unpack:
        unpack(options.unpack)
        return 0
    if options.pack:
        pack(options.pack, options.data_root)
    return write_tables(RESULTS, options.check)


if __name__ == "__main__":
    sys.exit(main())
