"""How good a model's predictions on a split are."""

from pathlib import Path

import numpy as np

from dsa import environment
from dsa.config import SPLITS
from dsa.data.files import find_file, fingerprint_at_hand
from dsa.data.prepared import prepare
from dsa.errors import InputError

UNKNOWN = "unknown"  # the group of rows without one


def metrics(logits, labels, names, groups=None):
    """Accuracy and its kin of predicted logits.

    Args:
        logits: `(N, labels)`.
        labels: `(N,)` gold label ids.
        names: the labels' names, in the order of their ids.
        groups: the group of each row (genre), or `None` for none.

    Returns: a dictionary: `count`; `loss`, mean cross-entropy in nats; `accuracy`, a
        fraction, and its `standard_error` sqrt(p (1 - p) / N); `macro_f1`;
        `by_label`, accuracy and count of each gold label; `confusion`, rows gold,
        columns predicted; `by_group` where there are groups.
    """
    from scipy.special import log_softmax
    from sklearn.metrics import confusion_matrix, f1_score

    predicted = logits.argmax(axis=1)
    right = predicted == labels
    accuracy = float(right.mean())
    ids = range(len(names))

    def part(rows):
        share = float(right[rows].mean()) if rows.any() else None
        return {"count": int(rows.sum()), "accuracy": share}

    result = {
        "count": len(labels),
        "loss": float(
            -log_softmax(logits.astype(np.float64), axis=1)[
                np.arange(len(labels)), labels
            ].mean()
        ),
        "accuracy": accuracy,
        "standard_error": (accuracy * (1 - accuracy) / len(labels)) ** 0.5,
        "macro_f1": float(
            f1_score(labels, predicted, labels=ids, average="macro", zero_division=0)
        ),
        "by_label": {name: part(labels == id) for id, name in enumerate(names)},
        "labels": list(names),
        "confusion": confusion_matrix(labels, predicted, labels=ids).tolist(),
    }
    if groups is not None:
        groups = np.array([group or UNKNOWN for group in groups])
        result["by_group"] = {str(g): part(groups == g) for g in np.unique(groups)}
    return result


def evaluate_corpus(inference, sentences, prepared, names):
    """`metrics` of a model on the labelled rows of a prepared corpus.

    Args:
        inference: a `dsa.inference.PairInference`.
        sentences: the corpus's sentences as ids of the model's vocabulary.
        prepared: the `PreparedCorpus`.
        names: the task's labels.

    Raises: `InputError` if no row has a label.
    """
    return _metrics_of(_logits(inference, sentences, prepared), prepared, names)


def _logits(inference, sentences, prepared):
    rows = prepared.labelled
    if not len(rows):
        raise InputError("no row has a label, so there is nothing to measure")
    return inference.logits(
        sentences, prepared.premise[rows], prepared.hypothesis[rows]
    )


def _metrics_of(logits, prepared, names):
    rows = prepared.labelled
    groups = [prepared.groups[row] for row in rows]
    return metrics(
        logits,
        prepared.labels[rows],
        names,
        groups if any(group is not None for group in groups) else None,
    )


def evaluate(trained, root, split="dev", file=None):
    """Evaluate a run's selected weights on a split and append the result to its
    `metrics.json`.

    Args:
        trained: a `dsa.prediction.TrainedModel`.
        root: the data root.
        split: "dev", "test", "train" or one of the `data.others` of the run's config.
        file: a file instead, in the run's corpus format; where it is missing, it is
            looked for below the data root. If it is the file of a split, the entry says
            so.

    Returns: the entry, a dictionary as `metrics` gives it and what was evaluated.
    """
    split, name, prepared = find_split(trained, root, split, file)
    entry, _ = evaluate_split(trained, split, name, prepared)
    return entry


def evaluate_split(trained, split, name, prepared):
    """As `evaluate`, of a corpus that is prepared already: every look at labels through
    a run is recorded, whatever it was for.

    Returns: the entry, and the logits `(N, labels)` of the labelled rows.
    """
    sentences, coverage = trained.sentences(prepared)
    logits = _logits(trained.inference, sentences, prepared)
    entry = {
        "split": split,
        "file": name,
        "sha256": prepared.fingerprint,
        "date": environment.now(),
        **environment.commit(),
        "rows": len(prepared),
        "unlabelled": len(prepared) - len(prepared.labelled),
        **coverage,
        **_metrics_of(logits, prepared, trained.task.labels),
    }
    trained.run.add_metrics(entry)
    return entry, logits


def find_split(trained, root, split="dev", file=None):
    """The corpus that a run is looked at on; arguments as `evaluate`.

    Returns: the split, "file" for a file that is none of the run's config; the name
        that results give it, without folders of this machine; and the
        `PreparedCorpus`.

    Raises: `InputError` for a split that the run's config does not name.
    """
    data = trained.experiment.data
    names = {each: data.file(each) for each in (*SPLITS, *data.others)}
    names = {each: name for each, name in names.items() if name}
    if file is None and split not in names:
        raise InputError(
            f"the run's config names no file for the split '{split}'. It has: "
            f"{', '.join(names)}"
        )
    if file is not None and Path(file).is_file():
        path = Path(file)
    else:
        path = find_file(root, file or names[split])
    prepared = prepare(path, data.corpus, trained.tokenizer, trained.task.labels)
    if file is None:
        return split, names[split], prepared
    for each, known in names.items():
        if fingerprint_at_hand(root, known) == prepared.fingerprint:
            return each, path.name, prepared
    return "file", path.name, prepared


def table(entry):
    """An evaluation as text, in per cent."""
    lines = [
        f"{entry['split']}: {entry['file']}, {entry['count']} pairs"
        f" ({entry['unlabelled']} of {entry['rows']} rows without label left out)",
        f"  accuracy  {100 * entry['accuracy']:.2f} %"
        f" +- {100 * entry['standard_error']:.2f} (standard error)",
        f"  macro F1  {100 * entry['macro_f1']:.2f} %",
        f"  loss      {entry['loss']:.4f}",
    ]
    names = entry["labels"]
    width = max(map(len, [*names, "gold"])) + 2
    header = "".join(f"{name:>{width}}" for name in names)
    lines += [f"  {'gold':{width}}{header}{'count':>8}{'accuracy':>10}   (predicted)"]
    for name, row in zip(names, entry["confusion"], strict=True):
        part = entry["by_label"][name]
        lines.append(_row(name, "".join(f"{n:{width}d}" for n in row), part, width))
    groups = entry.get("by_group", {})
    if list(groups) == [UNKNOWN]:
        lines.append("  genre unknown: the file names none")
        groups = {}
    for group, part in groups.items():
        lines.append(_row(group, " " * width * len(names), part, width))
    return "\n".join(lines)


def _row(name, cells, part, width):
    share = part["accuracy"]
    accuracy = "-" if share is None else f"{100 * share:.2f} %"
    return f"  {name:{width}}{cells}{part['count']:8d}{accuracy:>10}"
