"""Accuracy by a sentence's length, or the average length of a pair, of one run or more.

    python scripts/analyze_lengths.py RUN
    python scripts/analyze_lengths.py RUN RUN --split dev --out results/lengths/snli
    python scripts/analyze_lengths.py RUN RUN --file multinli_1.0_dev_matched.jsonl

Prints and writes, into the first run's figures/ or DIR, lengths.csv (pairs, accuracy,
95 % Wilson interval by bucket; paired differences to the first run with McNemar's exact
test, also corrected by Holm for the number of buckets), lengths.txt (the same in words,
with what cannot be resolved) and lengths.png (the distribution of lengths, accuracy by
length). It is an evaluation: each run's metrics.json gets an entry.
"""

import argparse
from pathlib import Path

from dsa.command_line import command
from dsa.errors import InputError
from dsa.storage.folders import data_root
from dsa.storage.text_tables import comma_separated


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folders")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--split", default="dev", help="of the first run's config (dev)")
    what.add_argument("--file", help="a labelled file in the runs' corpus format")
    parser.add_argument(
        "--edges",
        nargs="+",
        type=float,
        metavar="TOKENS",
        help="upper bounds of the buckets (5 10 15 20 25)",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: RUN/figures")
    parser.add_argument("--data-root", help="folder of the corpora (DSA_DATA, data/)")
    parser.add_argument("--vectors", help="vector file for words the runs lack")
    options = parser.parse_args(arguments)

    from dsa.analysis import accuracy_by_length as lengths

    edges = options.edges or lengths.EDGES
    rising = sorted(set(edges)) == list(edges)
    if not (rising and 0 < edges[0] and edges[-1] < float("inf")):
        raise InputError(
            f"--edges must be numbers that rise, from above 0. Received: {edges}"
        )
    if len(options.runs) > 4:
        raise InputError(f"at most 4 runs are drawn. Received: {len(options.runs)}")

    from dsa.analysis import plots
    from dsa.analysis.run_names import differences, refuse_other_tasks, run_names
    from dsa.evaluation.evaluate import evaluate_split
    from dsa.evaluation.splits import find_split
    from dsa.inference.loading import load
    from dsa.storage.atomic_files import write_atomically

    root = data_root(options.data_root)
    trained = [load(run, options.vectors, root) for run in options.runs]
    refuse_other_tasks(trained)
    if trained[0].task.selects != "accuracy":
        raise InputError(
            f"{trained[0].run.path}: accuracy by length is for runs with labels. This "
            f"one answers with {trained[0].task.answers}"
        )
    right, first = {}, None
    for run, each in zip(run_names(trained), trained, strict=True):
        split, name, corpus = find_split(each, root, options.split, options.file)
        first = first or corpus
        if (corpus.fingerprint, corpus.ids) != (first.fingerprint, first.ids):
            raise InputError(
                f"{each.run.path}: its split '{options.split}' has other rows than the "
                "first run's. --file names one file for all"
            )
        _, logits = evaluate_split(each, split, name, corpus)
        right[run] = logits.argmax(axis=1) == corpus.labels[corpus.labelled]
    averages = lengths.average_lengths(first)
    rows = lengths.by_length(averages, right, edges)

    what = trained[0].task.rows
    folder = options.out or trained[0].run.path / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    figure = plots.accuracy_by_length(
        averages, rows, f"{name}, {len(averages):,} {what}", what
    )
    write_atomically(folder / "lengths.csv", comma_separated(rows))
    text = lengths.described(rows, name, differences(trained), what)
    write_atomically(folder / "lengths.txt", text)
    write_atomically(folder / "lengths.png", lambda path: plots.save(figure, path))
    print(text, end="")


if __name__ == "__main__":
    raise SystemExit(main())
