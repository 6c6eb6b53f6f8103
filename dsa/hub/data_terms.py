"""Licences and official sizes of the data that a run was trained on."""

from pathlib import Path
from typing import TYPE_CHECKING

from dsa.data.corpora.catalogue import VECTORS, find_corpus
from dsa.data.corpora.files import BUNDLED

if TYPE_CHECKING:
    from dsa.experiment.data_config import DataConfig

UNKNOWN = "not known to dsa; ask its publisher"


def list_terms(data: "DataConfig", vectors: str | None) -> dict[str, str]:
    """Returns `{file: licence}` of the training data and the word vectors.

    Args:
        data: section `data` of the experiment.
        vectors: path of the word vectors, or `None`.
    """
    files = [data.train]
    if data.mix:
        files.append(data.mix.path)
    if vectors:
        files.append(vectors)
    return {file: find_licence(file) for file in files}


def find_licence(path: str) -> str:
    """Returns the licence of a file below the data root, by its corpus folder or by the
    name of a vector file."""
    if Path(path).parts[0] == BUNDLED:
        return "Apache-2.0 (the bundled corpus)"
    vectors = [file for file in VECTORS if Path(path).name.startswith(file.name)]
    source = vectors[0] if vectors else find_corpus(path)
    return source.licence if source else UNKNOWN


def count_official_rows(data: "DataConfig") -> int | None:
    """Returns the rows of the official training file; `None` if unknown, or for a
    training file of another corpus."""
    corpus = data.training_corpus
    official = corpus.splits.get("train")
    if not official or Path(official).parts[0] != Path(data.train).parts[0]:
        return None
    return corpus.training_pairs or corpus.official_rows.get(Path(official).name)
