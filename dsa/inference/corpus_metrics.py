"""The metrics of a model on a prepared corpus."""

from dsa.errors import InputError


def evaluate_corpus(inference, sentences, prepared, task):
    """`metrics` of a model on the labelled rows of a prepared corpus.

    Args:
        inference: what `dsa.inference.corpus_inference.build_inference` gives.
        sentences: the corpus's sentences as ids of the model's vocabulary.
        prepared: the `PreparedCorpus`.
        task: the model's task.

    Raises: `InputError` if no row has a label.
    """
    logits = predict_labelled_rows(inference, sentences, prepared)
    return measure_labelled_rows(logits, prepared, task)


def predict_labelled_rows(inference, sentences, prepared):
    """Logits `(N, outputs)` of the labelled rows; arguments and errors as
    `evaluate_corpus`."""
    rows = prepared.labelled
    if not len(rows):
        raise InputError("no row has a label, so there is nothing to measure")
    return inference.logits(sentences, prepared.texts[rows])


def measure_labelled_rows(logits, prepared, task, grouped=False):
    """The task's metrics of logits of the labelled rows.

    Args:
        logits: `(N, outputs)`.
        prepared: the `PreparedCorpus`.
        task: the model's task.
        grouped: whether the corpus has groups, though this file may name none.
    """
    rows = prepared.labelled
    groups = list_groups(prepared)
    if not grouped and not any(group is not None for group in groups):
        groups = None
    return task.metrics(logits, prepared.labels[rows], groups)


def list_groups(prepared):
    """The group of each labelled row."""
    return [prepared.groups[row] for row in prepared.labelled]
