"""Evaluations of a run on its splits, and what is recorded of them."""

from dsa import environment
from dsa.data.corpora.catalogue import corpus_named
from dsa.evaluation.splits import find_split
from dsa.inference.corpus_metrics import _logits, _metrics_of


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
    model = trained.with_words_of(prepared)
    sentences = model.vocabulary.sentences(prepared)
    coverage = model.vocabulary.coverage(prepared)
    logits = _logits(model.inference, sentences, prepared)
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
            corpus_named(trained.experiment.data.corpus).grouped,
        ),
    }
    trained.run.add_metrics(entry)
    return entry, logits
