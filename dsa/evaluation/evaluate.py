"""Evaluations of a run on its splits, and what is recorded of them."""

from dsa import environment
from dsa.data.corpora.catalogue import corpus_named
from dsa.evaluation.splits import find_split
from dsa.inference.corpus_metrics import (
    measure_labelled_rows,
    read_labelled_rows,
)


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

    Returns: the entry, a dictionary: the task's metrics, and what was evaluated.
    """
    split, name, prepared = find_split(trained, root, split, file)
    entry, _ = evaluate_split(trained, split, name, prepared)
    return entry


def evaluate_split(trained, split, name, prepared):
    """As `evaluate`, of a corpus that is prepared already. Every use of labels is
    recorded in the run, whatever it was for.

    Args:
        trained: a `TrainedModel`.
        split, name, prepared: as `find_split` returns them.

    Returns: the entry, and the logits `(N, labels)` of the labelled rows.

    Raises: `InputError` where a training is writing into the run.
    """
    trained.run.refuse_training()
    model = trained.with_words_of(prepared)
    rows = read_labelled_rows(model.reader, model.vocabulary, prepared)
    coverage = model.vocabulary.coverage(prepared)
    logits = model.inference.logits(rows)
    grouped = corpus_named(trained.experiment.data.corpus).grouped
    entry = {
        "split": split,
        "file": name,
        "sha256": prepared.fingerprint,
        "date": environment.now(),
        **environment.commit(),
        **trained.run.describe_trust(),
        "rows": len(prepared),
        "unlabelled": len(prepared) - len(prepared.labelled),
        **coverage,
        **measure_labelled_rows(logits, prepared, trained.task, grouped),
    }
    trained.run.add_metrics(entry)
    return entry, logits
