"""Predict sixty everyday English pairs and print the accuracy and the errors.

    python -m tools.everyday_pairs snli
    python -m tools.everyday_pairs runs/snli/dsa/seed-13 --out errors.md

The pairs are in tools/release_notes/everyday_pairs.jsonl, ten per group. They were
written for this test and labelled by their authors, so they show typical errors of a
model; sixty pairs are too few to compare two models. For models with SNLI's labels.
"""

import argparse
import json
from pathlib import Path

import dsa
from dsa.errors import InputError
from dsa.system.atomic_files import write_atomically
from dsa.system.command_line import command
from dsa.system.text_tables import format_markdown_table

PAIRS = Path(__file__).parent / "release_notes/everyday_pairs.jsonl"


def read_everyday_pairs(path=PAIRS):
    """Returns the pairs as dictionaries: `group`, `premise`, `hypothesis`, `label`."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def predict_everyday_pairs(run):
    """Returns the pairs with the `prediction` of a run.

    Args:
        run: a run that `dsa.load` accepts.

    Raises: `InputError` for a model without SNLI's labels.
    """
    model, pairs = dsa.load(run), read_everyday_pairs()
    labels = sorted({pair["label"] for pair in pairs})
    if sorted(getattr(model.task, "labels", ())) != labels:
        raise InputError(f"{run}: expected a model with the labels {', '.join(labels)}")
    rows = [(pair["premise"], pair["hypothesis"]) for pair in pairs]
    return [
        {**pair, "prediction": prediction.label}
        for pair, prediction in zip(pairs, model.predict(rows), strict=True)
    ]


def format_group_table(pairs):
    """Returns the number of correct predictions by group and gold label as Markdown."""
    labels = list(dict.fromkeys(pair["label"] for pair in pairs))
    groups = list(dict.fromkeys(pair["group"] for pair in pairs))
    rows = []
    for name in [*groups, "all"]:
        group = [pair for pair in pairs if name == "all" or pair["group"] == name]
        row = [name, _count_correct(group)]
        for label in labels:
            row.append(_count_correct([p for p in group if p["label"] == label]))
        rows.append(row)
    return format_markdown_table(["group", "correct", *labels], rows)


def _count_correct(pairs):
    """Returns the number of correct predictions as text, such as "3 of 10"."""
    correct = sum(pair["label"] == pair["prediction"] for pair in pairs)
    return f"{correct} of {len(pairs)}"


def format_error_table(pairs):
    """Returns the wrong predictions as Markdown."""
    columns = ["group", "premise", "hypothesis", "label", "prediction"]
    wrong = [pair for pair in pairs if pair["label"] != pair["prediction"]]
    return format_markdown_table(
        columns, [[pair[c] for c in columns] for pair in wrong]
    )


def format_report(run):
    """Returns both tables for a run as Markdown."""
    pairs = predict_everyday_pairs(run)
    return f"{format_group_table(pairs)}\n\n{format_error_table(pairs)}"


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", help="run folder or name of a release")
    parser.add_argument("--out", type=Path, help="output file, Markdown")
    options = parser.parse_args(arguments)
    report = format_report(options.run)
    print(report)
    if options.out:
        write_atomically(options.out, f"{report}\n")


if __name__ == "__main__":
    raise SystemExit(main())
