"""The licences of what a run was trained on, as the data's authors state them."""

from pathlib import Path
from typing import TYPE_CHECKING

from dsa.data.corpora.catalogue import VECTORS, find_corpus
from dsa.data.corpora.files import BUNDLED

if TYPE_CHECKING:
    from dsa.experiment.config import Experiment
    from dsa.experiment.data_config import DataConfig

UNKNOWN = "not known to dsa; ask its publisher"


def list_terms(experiment: "Experiment") -> dict[str, str]:
    """Returns `{file: its licence}` of the data and the word vectors."""
    data, vectors = experiment.data, experiment.embedding.path
    files = [data.train, *([data.mix.path] if data.mix else [])]
    terms = {file: find_licence(file) for file in files}
    return terms | ({vectors: find_licence(vectors)} if vectors else {})


def find_licence(path: str) -> str:
    """Returns the licence of a file, by the folder below the data root that the corpus
    is in, or by the name of a file of vectors."""
    if Path(path).parts[0] == BUNDLED:
        return "Apache-2.0 (the bundled corpus)"
    files = (file for file in VECTORS if Path(path).name.startswith(file.name))
    source = next(files, None) or find_corpus(path)
    return source.licence if source else UNKNOWN


def count_official_rows(data: "DataConfig") -> int | None:
    """Returns the rows of the official training file of a run's corpus; `None` where
    that is not known, or the run was trained on another corpus."""
    corpus = data.training_corpus
    official = corpus.splits.get("train")
    if not official or Path(official).parts[0] != Path(data.train).parts[0]:
        return None
    return corpus.training_pairs or corpus.official_rows.get(Path(official).name)
