"""Rows of the corpora of `tools.small_data_study`, and the score of predictions."""

import numpy as np

DEV_ROWS = 500
SNLI_LABELS = ("entailment", "neutral", "contradiction")
YES_NO = ("0", "1")
# Training, dev and test file; labels; columns of first text, second text and label.
CORPORA = {
    "sick": (
        "sick/SICK_train.txt",
        "sick/SICK_trial.txt",
        "sick/SICK_test_annotated.txt",
        SNLI_LABELS,
        (1, 2, 4),
    ),
    "msrp": (
        "msrp/msr_paraphrase_train.txt",
        None,
        "msrp/msr_paraphrase_test.txt",
        YES_NO,
        (3, 4, 0),
    ),
    "quora": ("quora/dev.tsv", None, "quora/test.tsv", YES_NO, (1, 2, 0)),
    "wikiqa": (
        "wikiqa/WikiQA-train.tsv",
        "wikiqa/WikiQA-dev.tsv",
        "wikiqa/WikiQA-test.tsv",
        YES_NO,
        (1, 5, 6),
    ),
}
SKEWED = "wikiqa"  # corpus with class weights, scored by balanced accuracy


def read_pairs(path, columns, labels):
    """Reads the rows of a tab-separated file.

    Lines without one of the labels, such as the header, are skipped.

    Args:
        path: the file.
        columns: positions of the first text, the second text and the label.
        labels: lowercase labels.

    Returns: a list of `(first, second, label)`.
    """
    rows = []
    with open(path, encoding="utf-8-sig", errors="replace", newline="\n") as file:
        for line in file:
            cells = line.rstrip("\r\n").split("\t")
            if len(cells) <= max(columns):
                continue
            first, second, label = (cells[column].strip() for column in columns)
            if label.lower() in labels and first and second:
                rows.append((first, second, label.lower()))
    return rows


def read_splits(root, corpus):
    """Returns the rows of train, dev and test of a corpus.

    The dev rows are drawn from the dev file or, for a corpus without dev file, from the
    training file.
    """
    train, dev, test, labels, columns = CORPORA[corpus]
    random = np.random.default_rng(0)
    rows = _shuffle(random, read_pairs(root / train, columns, labels))
    test_rows = read_pairs(root / test, columns, labels)
    if dev:
        dev_rows = _shuffle(random, read_pairs(root / dev, columns, labels))
        return rows, dev_rows[:DEV_ROWS], test_rows
    return rows[DEV_ROWS:], rows[:DEV_ROWS], test_rows


def _shuffle(random, rows):
    return [rows[position] for position in random.permutation(len(rows))]


def draw_rows(rows, size, seed):
    """Draws `size` random rows, or returns all rows for the size "all".

    The rows depend only on the seed, so all models are trained on the same rows.
    """
    if size == "all":
        return rows
    drawn = np.random.default_rng(seed).permutation(len(rows))[: int(size)]
    return [rows[position] for position in drawn]


def weigh_rows(corpus, labels):
    """Returns the weight of each row in the score, `(N,)` with mean 1.

    All rows have equal weights, except for the skewed corpus, in which all classes have
    equal total weights (balanced accuracy).
    """
    if corpus != SKEWED:
        return np.ones(len(labels))
    classes, positions, counts = np.unique(
        labels, return_inverse=True, return_counts=True
    )
    return len(labels) / (len(classes) * counts[positions])


def score(corpus, predicted, labels):
    """Returns the accuracy, or the balanced accuracy for the skewed corpus."""
    right = np.asarray(predicted) == np.asarray(labels)
    return float(np.mean(right * weigh_rows(corpus, labels)))
