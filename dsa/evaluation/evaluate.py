"""Evaluations of a run on its splits, and what is recorded of them."""

from pathlib import Path

from dsa import environment
from dsa.data.corpora.files import find_file, fingerprint_at_hand
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.rows import only_rows
from dsa.errors import InputError
from dsa.experiment.config import SPLITS
from dsa.tasks.metrics import UNKNOWN, metrics

GROUPED = ("multinli", "stsb")  # corpora with genres


def evaluate_corpus(inference, sentences, prepared, task):
    """`metrics` of a model on the labelled rows of a prepared corpus.

    Args:
        inference: what `dsa.inference.corpus_inference.inference_of` gives.
        sentences: the corpus's sentences as ids of the model's vocabulary.
        prepared: the `PreparedCorpus`.
        task: the model's task.

    Raises: `InputError` if no row has a label.
    """
    return _metrics_of(_logits(inference, sentences, prepared), prepared, task)


def _logits(inference, sentences, prepared):
    rows = prepared.labelled
    if not len(rows):
        raise InputError("no row has a label, so there is nothing to measure")
    return inference.logits(sentences, prepared.texts[rows])


def _metrics_of(logits, prepared, task, grouped=False):
    """`grouped`: whether the corpus has groups, though this file may name none."""
    rows = prepared.labelled
    groups = [prepared.groups[row] for row in rows]
    if not grouped and not any(group is not None for group in groups):
        groups = None
    return metrics(task, logits, prepared.labels[rows], groups)


def evaluate(trained, root, split="dev", file=None):
    """Evaluate a run's selected weights on a split and append the result to its
    `metrics.json`.

    Args:
        trained: a `TrainedModel`.
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
        **_metrics_of(
            logits,
            prepared,
            trained.task,
            trained.experiment.data.corpus in GROUPED,
        ),
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
    prepared = prepare(path, data.corpus, trained.tokenizer, trained.task)
    shares = file is None and split in data.shared
    parts = trained.run.splits(len(prepared) if shares else None)
    if file is None:
        if split in parts:
            prepared = only_rows(prepared, parts[split])
        return split, names[split], prepared
    for each in sorted(names, key=lambda each: each != "test"):  # test before dev
        if fingerprint_at_hand(root, names[each]) == prepared.fingerprint:
            if each in parts:
                raise InputError(
                    f"{path}: the run's splits {', '.join(parts)} are rows of this "
                    "file; name a split instead"
                )
            return each, path.name, prepared
    return "file", path.name, prepared


def table(entry):
    """An evaluation as text, fractions in per cent."""
    heading = (
        f"{entry['split']}: {entry['file']}, {entry['count']} rows"
        f" ({entry['unlabelled']} of {entry['rows']} without label left out)"
    )
    lines = _scores(entry) if "pearson" in entry else _shares(entry)
    return "\n".join([heading, *lines])


def _scores(entry):
    yield from (
        f"  {name:9} {entry[key]:.4f}"
        for name, key in (
            ("Pearson", "pearson"),
            ("Spearman", "spearman"),
            ("MSE", "mse"),
            ("loss", "loss"),
        )
    )
    for group, part in _groups(entry):
        yield f"  {group:20}{part['count']:8d}   Pearson {part['pearson']:.4f}"


def _shares(entry):
    yield (
        f"  accuracy  {100 * entry['accuracy']:.2f} %"
        f" +- {100 * entry['standard_error']:.2f} (standard error)"
    )
    yield f"  macro F1  {100 * entry['macro_f1']:.2f} %"
    yield f"  loss      {entry['loss']:.4f}"
    names = entry["labels"]
    width = max(map(len, [*names, "gold"])) + 2
    header = "".join(f"{name:>{width}}" for name in names)
    yield f"  {'gold':{width}}{header}{'count':>8}{'accuracy':>10}   (predicted)"
    for name, row in zip(names, entry["confusion"], strict=True):
        part = entry["by_label"][name]
        yield _row(name, "".join(f"{n:{width}d}" for n in row), part, width)
    groups = _groups(entry)
    if not groups and entry.get("by_group"):
        yield "  genre unknown: the file names none"
    for group, part in groups:
        yield _row(group, " " * width * len(names), part, width)


def _groups(entry):
    """Names and parts of the groups; none where they are all unknown."""
    groups = entry.get("by_group", {})
    return [] if list(groups) == [UNKNOWN] else list(groups.items())


def _row(name, cells, part, width):
    share = part["accuracy"]
    accuracy = "-" if share is None else f"{100 * share:.2f} %"
    return f"  {name:{width}}{cells}{part['count']:8d}{accuracy:>10}"
