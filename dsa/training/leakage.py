"""Whether a training would be selected, or measured later, on rows that it learns."""

from dsa.data.corpora.files import fingerprint_at_hand
from dsa.data.prepared.rows import compare_rows, joined
from dsa.errors import InputError

ON_PURPOSE = "To choose the checkpoint on test rows: 'select_on_test: true'"


def measure_leakage(data, root, corpora, refuse=True):
    """The share of dev's labelled rows that train, or what is mixed into it, has too,
    with a warning if it is above 5 %: `{"dev": share}`.

    Args:
        data: the `DataConfig`.
        root: the data root.
        corpora: `{"train", "dev", and "mix" where there is one: PreparedCorpus}`.
        refuse: whether splits with the same content are an error. Of test only the
            fingerprint is looked at, if its file is there.

    Raises: `InputError`.
    """
    learned = corpora["train"]
    if refuse:
        _check_different_files(data, root, corpora)
        if data.dev and compare_rows(learned, corpora["dev"]).identical:
            _refuse("dev", data.dev, "train", data.train)
    if "mix" in corpora:
        learned = joined(learned, corpora["mix"])
    shared = compare_rows(learned, corpora["dev"])
    shared.warn(f"dev ({data.file('dev')})")
    return {"dev": round(shared.share, 6)}


def _check_different_files(data, root, corpora):
    names = {"train": data.train, "dev": data.dev, "mix": data.mix and data.mix.path}
    names = {split: name for split, name in names.items() if name}
    fingerprints = {split: corpora[split].fingerprint for split in names}
    if data.test:
        names["test"] = data.test
        fingerprints["test"] = fingerprint_at_hand(root, data.test)
    pairs = [("dev", "train"), ("dev", "mix"), ("test", "train"), ("test", "mix")]
    for split, other in [*pairs, ("test", "dev")]:
        if {split, other} <= set(names) and fingerprints[split] == fingerprints[other]:
            _refuse(split, names[split], other, names[other])


def _refuse(split, name, other, other_name):
    raise InputError(
        f"'data.{split}' ({name}) has the same rows as 'data.{other}' ({other_name}), "
        f"so its numbers would say nothing. {ON_PURPOSE} without 'dev'"
    )
