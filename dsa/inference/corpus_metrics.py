"""The metrics of a model on a prepared corpus."""

from dsa.errors import InputError


def evaluate_corpus(inference, rows, prepared, task):
    """`metrics` of a model on the labelled rows of a prepared corpus.

    Args:
        inference: what `dsa.inference.corpus_inference.build_inference` gives.
        rows: its labelled rows, as `read_labelled_rows` gives them.
        prepared: the `PreparedCorpus`.
        task: the model's task.
    """
    return measure_labelled_rows(inference.logits(rows), prepared, task)


def read_labelled_rows(reader, vocabulary, prepared):
    """The labelled rows of a prepared corpus, as `ModelRows`.

    Raises: `InputError` if no row has a label.
    """
    rows = prepared.labelled
    if not len(rows):
        raise InputError("no row has a label, so there is nothing to measure")
    return reader.read(prepared, vocabulary, rows)


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
