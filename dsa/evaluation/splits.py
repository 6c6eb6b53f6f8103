"""The corpus that a run is looked at on."""

from pathlib import Path

from dsa.data.corpora.catalogue import corpus_named
from dsa.data.corpora.files import find_file, fingerprint_at_hand
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.rows import only_rows
from dsa.errors import InputError
from dsa.experiment.data_config import SPLITS


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
    prepared = prepare(path, corpus_named(data.corpus), trained.tokenizer)
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
