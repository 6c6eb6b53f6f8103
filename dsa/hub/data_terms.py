"""The licences of what a run has learned from, as the data's authors state them."""

from pathlib import Path

from dsa.data.corpora.catalogue import CORPORA
from dsa.data.download.sources import SOURCES

BUNDLED = "mini"  # the folder of the bundled corpus below the data root
SOURCE_OF_FOLDER = {  # of a corpus below the data root: its name in `SOURCES`
    "snli_1.0": "snli",
    "multinli_1.0": "multinli",
    "sick": "sick",
    "sst": "sst",
    "trec": "trec",
    "sentence_classification": "sentence_classification",
    "stsbenchmark": "stsb",
    "msrp": "msrp",
    "wikiqa": "wikiqa",
    "quora": "quora_official",
    "hans": "hans",
    "anli_v1.0": "anli",
    "SciTailV1.1": "scitail",
}
VECTORS = ("glove.840B", "glove.6B")  # beginnings of file names
UNKNOWN = "not known to dsa; ask whoever published it"


def list_terms(experiment):
    """`{file: its licence}` of the data and the word vectors of an `Experiment`."""
    data, vectors = experiment.data, experiment.embedding.path
    files = [data.train, *([data.mix.path] if data.mix else [])]
    terms = {file: find_licence(file) for file in files}
    return terms | ({vectors: find_licence(vectors)} if vectors else {})


def find_licence(path):
    """The licence of a file, by the folder below the data root that the corpus is in,
    or by the name of a file of vectors."""
    path = Path(path)
    if path.parts[0] == BUNDLED:
        return "Apache-2.0 (the bundled corpus)"
    source = SOURCE_OF_FOLDER.get(path.parts[0])
    for name in VECTORS:
        if path.name.startswith(name):
            source = next(key for key in SOURCES if key.startswith(name))
    return SOURCES[source][0].licence if source else UNKNOWN


def count_official_rows(data):
    """The rows of the official training file of a run's corpus; `None` where that is
    not known, or the run has learned from another corpus.

    Args:
        data: the `DataConfig`.
    """
    corpus = CORPORA.get(data.corpus)
    official = corpus and corpus.splits.get("train")
    if not official or Path(official).parts[0] != Path(data.train).parts[0]:
        return None
    if data.phrases:
        return corpus.official_phrase_rows.get(Path(official).name)
    return corpus.training_pairs or corpus.official_rows.get(Path(official).name)
