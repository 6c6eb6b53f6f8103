"""How much of what a run is evaluated on it has learned."""

from dsa.data.corpora.files import fingerprint_at_hand
from dsa.data.prepared.rows import compare_rows, joined
from dsa.errors import InputError
from dsa.evaluation.splits import find_split


def measure_leakage(trained, root, found):
    """The share of labelled rows that train has too, or dev where it was learned, with
    a warning if it is above 5 %. What is mixed into train is not looked at.

    Args:
        trained: a `TrainedModel`.
        root: the data root.
        found: the `FoundSplit` of what is evaluated.

    Returns: the share, in [0, 1]; `None` for train itself, and where the run's own
        train file is not below the data root.

    Raises: `InputError` for a test that has the same rows as train.
    """
    train = None if found.split == "train" else read_train(trained, root)
    if train is None:
        return None
    if trained.experiment.data.train_on_dev and _has_file(trained, root, "dev"):
        train = joined(train, find_split(trained, root, "dev").prepared)
    shared = compare_rows(train, found.prepared)
    if shared.identical and found.split == "test":
        raise InputError(f"{found.name}: test has the same rows as train")
    shared.warn(f"{found.split} ({found.name})")
    return round(shared.share, 6)


def read_train(trained, root):
    """The `PreparedCorpus` of a run's own training rows; `None` where its file is not
    below the data root."""
    if not _has_file(trained, root, "train"):
        return None
    return find_split(trained, root, "train").prepared


def _has_file(trained, root, split):
    """Whether the file of a split is below the data root, as the run read it."""
    sha256 = trained.run.environment()["sha256"].get(split)
    file = trained.experiment.data.file(split)
    return sha256 is not None and fingerprint_at_hand(root, file) == sha256
