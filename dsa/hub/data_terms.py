"""Names, licences and official sizes of corpora."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsa.data.corpora.catalogue import find_corpus, find_download
from dsa.data.corpora.corpus import OWN_CORPUS
from dsa.data.corpora.files import BUNDLED
from dsa.data.corpora.subsets import SUBSETS, find_subset

if TYPE_CHECKING:
    from dsa.experiment.data_config import DataConfig

UNKNOWN_TERMS = "unknown; ask the publisher"


def list_licences(data: "DataConfig", vectors: str | None) -> dict[str, str]:
    """Returns the licences of the training files and the word vectors.

    Args:
        data: section `data` of the experiment.
        vectors: path of the word vectors; `None` for random vectors.

    Returns: `{path: licence}`.
    """
    files = [data.train]
    if data.mix:
        files.append(data.mix.path)
    if vectors:
        files.append(vectors)
    return {file: find_licence(file) for file in files}


def find_licence(path: str) -> str:
    """Returns the licence of a file in the data root.

    Args:
        path: path relative to the data root. The download is identified by the file
            name of word vectors, or by the folder of a corpus.

    Returns: the licence, or `UNKNOWN_TERMS` if the file belongs to no known download.
    """
    if Path(path).parts[0] == BUNDLED:
        return "Apache-2.0 (the bundled corpus)"
    corpus = find_corpus(path)
    if corpus is not None:
        return corpus.licence
    subset = find_subset(path)
    download = find_download(SUBSETS[subset].source if subset else path)
    return UNKNOWN_TERMS if download is None else download.licence


def count_official_rows(data: "DataConfig") -> int | None:
    """Returns the number of rows of the official training file of a corpus; `None` if
    the number is unknown or the training file is not in the folder of the corpus."""
    corpus = data.training_corpus
    official_file = corpus.splits.get("train")
    if not official_file:
        return None
    if Path(official_file).parts[0] != Path(data.train).parts[0]:
        return None
    if corpus.training_pairs:
        return corpus.training_pairs
    return corpus.official_rows.get(Path(official_file).name)


def find_evaluated_corpus(entry: dict[str, Any], data: "DataConfig") -> str:
    """Returns the name of the corpus of an evaluated file; `OWN_CORPUS` if the file is
    in neither the config nor the folder of a corpus."""
    if data.file(entry["split"].split(" (")[0]) is not None:  # without the view
        return get_corpus_name(data)
    corpus = find_corpus(str(entry.get("file", "")))
    return OWN_CORPUS if corpus is None else corpus.name


def get_corpus_name(data: "DataConfig") -> str:
    """Returns the name of the training corpus; `BUNDLED` or `OWN_CORPUS` if the
    training file is not in the folder of a corpus."""
    if find_corpus(data.train):
        return data.corpus
    if data.train.split("/")[0] == BUNDLED:
        return BUNDLED
    return OWN_CORPUS
