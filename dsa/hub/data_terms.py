"""Licences and official sizes of the training data of a run."""

from pathlib import Path
from typing import TYPE_CHECKING

from dsa.data.corpora.catalogue import VECTORS, find_corpus
from dsa.data.corpora.files import BUNDLED

if TYPE_CHECKING:
    from dsa.experiment.data_config import DataConfig

UNKNOWN = "unknown; ask the publisher"


def list_terms(data: "DataConfig", vectors: str | None) -> dict[str, str]:
    """Returns `{file: licence}` of the training data and the word vectors.

    Args:
        data: section `data` of the experiment.
        vectors: path of the word vectors; `None` for random vectors.
    """
    files = [data.train]
    if data.mix:
        files.append(data.mix.path)
    if vectors:
        files.append(vectors)
    return {file: find_licence(file) for file in files}


def find_licence(path: str) -> str:
    """Returns the licence of a file below the data root.

    The source is identified by the name of a vector file or by the folder of a corpus.
    """
    if Path(path).parts[0] == BUNDLED:
        return "Apache-2.0 (the bundled corpus)"
    for download in VECTORS:
        if Path(path).name.startswith(download.name):
            return download.licence
    corpus = find_corpus(path)
    return corpus.licence if corpus else UNKNOWN


def count_official_rows(data: "DataConfig") -> int | None:
    """Returns the number of rows of the official training file; `None` if the number is
    unknown or the training file is not in the folder of the corpus."""
    corpus = data.training_corpus
    official = corpus.splits.get("train")
    if not official or Path(official).parts[0] != Path(data.train).parts[0]:
        return None
    return corpus.training_pairs or corpus.official_rows.get(Path(official).name)
