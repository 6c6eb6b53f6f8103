"""Transfer results as records and Markdown."""

from dsa.data.corpora.catalogue import corpus_named
from dsa.evaluation.transfer.encoders import FrozenEncoder
from dsa.evaluation.transfer.suite import SUITE

MEASURES = ("accuracy", "f1", "pearson", "spearman", "mse")


def records(results, encoders):
    """Results as a list of flat dictionaries, one for each encoder.

    Args:
        results: `{name: [result of evaluate_transfer, ...]}`.
        encoders: `{name: encoder}`.

    Returns: dictionaries with the same keys: `encoder`; `trained on`, with the share of
        the official corpus where it is part of one; `features`; and for each task its
        measures, accuracy and F1 in per cent, and `n`, the rows measured.
    """
    return [
        {
            "encoder": name,
            "trained on": _trained_on(encoders[name]),
            "features": _features(encoders[name]),
            **{
                key: value
                for result in results[name]
                for key, value in _flat(result).items()
            },
        }
        for name in results
    ]


def _trained_on(encoder):
    if not isinstance(encoder, FrozenEncoder):
        return "-"
    trained = encoder.trained
    data, counts = trained.experiment.data, trained.run.environment()["pairs"]
    pairs = counts["train"]
    whole = corpus_named(data.corpus).training_pairs or pairs
    partial = f", {100 * pairs / whole:.0f} %, partial" if pairs < whole else ""
    mixed = f" + {counts['mix']:,} of {data.mix.corpus}" if data.mix else ""
    return f"{pairs:,} rows of {data.corpus}{partial}{mixed}"


def _features(encoder):
    if isinstance(encoder, FrozenEncoder):
        return encoder.trained.inference.units
    return encoder.units


def _flat(result):
    flat = {}
    for measure in MEASURES:
        if measure in result:
            percent = 100 if measure in ("accuracy", "f1") else 1
            flat[f"{result['task']} {measure}"] = percent * result[measure]
    return {**flat, f"{result['task']} n": result["count"]}


def markdown(rows):
    """`records` as a Markdown table, and behind it what its numbers are."""
    tasks = [name for name in SUITE if f"{name} n" in rows[0]]
    header = ["encoder", "trained on", "features", *tasks]
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for row in rows:
        cells = [row["encoder"], row["trained on"], f"{row['features']:,}"]
        cells += [_cell(row, task) for task in tasks]
        lines.append(f"| {' | '.join(cells)} |")
    counts = ", ".join(f"{task} {rows[0][f'{task} n']:,}" for task in tasks)
    notes = [
        "Encoders frozen; accuracy in per cent (MSRP: with its F1), SICK-R as "
        "Pearson / Spearman / MSE, STS-B as Pearson / Spearman of untrained cosines.",
        f"Rows measured: {counts}. CR, MPQA and SUBJ by 10-fold cross-validation, the "
        "others on their test sets; C of logistic regression chosen on dev, or by "
        "inner folds.",
    ]
    if any("partial" in row["trained on"] for row in rows):
        notes.append("**Encoders trained on partial data are marked.**")
    return "\n".join([*lines, "", *(f"- {note}" for note in notes), ""])


def _cell(row, task):
    if f"{task} accuracy" in row:
        text = f"{row[f'{task} accuracy']:.1f}"
        return text + (f" / {row[f'{task} f1']:.1f}" if f"{task} f1" in row else "")
    found = (f"{task} {measure}" for measure in ("pearson", "spearman", "mse"))
    return " / ".join(f"{row[key]:.3f}" for key in found if key in row)
