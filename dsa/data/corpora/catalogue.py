"""Catalogue of corpora and downloads by name.

The entries of the corpora are defined in `nli_corpora.py` and `other_corpora.py`.
"""

import difflib
from pathlib import PurePosixPath

from dsa.data.corpora.corpus import Corpus, Download
from dsa.data.corpora.nli_corpora import NLI, NLI_CORPORA, TWO_WAY_NLI
from dsa.data.corpora.other_corpora import OTHER_CORPORA, PARAPHRASE, POLARITY, RANKING
from dsa.errors import InputError

__all__ = [
    "CORPORA",
    "DOWNLOADS",
    "NLI",
    "PARAPHRASE",
    "POLARITY",
    "RANKING",
    "TWO_WAY_NLI",
    "VECTOR_DOWNLOADS",
    "Corpus",
    "get_corpus",
    "find_corpus",
    "find_download",
    "register",
]

VECTOR_DOWNLOADS = tuple(
    Download.from_file(
        name=name,
        licence="PDDL",
        url=f"https://nlp.stanford.edu/data/{name}.zip",
        size=size,
        sha256=sha256,
        sha256_source="JuliaText/Embeddings.jl, src/glove.jl",
        folder=folder,
        unpack=bool(folder),  # glove.840B.300d is read from the zip file
        mirrors=(
            f"https://downloads.cs.stanford.edu/nlp/data/{name}.zip",
            f"https://huggingface.co/stanfordnlp/glove/resolve/main/{name}.zip",
        ),
    )
    for name, folder, size, sha256 in (
        (
            "glove.840B.300d",
            "",
            2_176_768_927,
            "c06db255e65095393609f19a4cfca20bf3a71e20cc53e892aafa490347e3849f",
        ),
        (
            "glove.6B",
            "glove",
            862_182_613,
            "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
        ),
    )
) + (
    Download.from_file(
        name="GoogleNews-vectors-negative300",
        licence="Apache 2.0, as stated by its distributors",
        url="https://s3.amazonaws.com/dl4j-distribution/"
        "GoogleNews-vectors-negative300.bin.gz",
        size=1_647_046_227,
        sha256="21c05ae916a67a4da59b1d006903355cced7de7da1e42bff9f0504198c748da8",
        sha256_source="JuliaText/Embeddings.jl, src/word2vec.jl",
        folder="word2vec",
        unpack=False,  # read from the gzip file
        mirrors=(
            "https://huggingface.co/LoganKilpatrick/GoogleNews-vectors-negative300/"
            "resolve/main/GoogleNews-vectors-negative300.bin.gz",
        ),
    ),
)
EXPLOSION = Download(
    name="explosion.300d",
    licence="CC0",
    by_hand="""\
The 300-d vectors of spaCy's en_core_web_md 3.7.1. The exact file cannot be rebuilt,
because its list of 77,739 words is not public. To build a similar file:
  1. install spaCy 3.7 and its model en_core_web_md 3.7.1
  2. for each lower-case word of your corpora, select the row of the word in the vector
     table of the model, else the row of the capitalised word, else the row to which
     the table maps the word (the nearest of 20,000 vectors)
  3. divide the vectors by 15, keep three significant digits, and write each word and
     its numbers, separated by spaces, to explosion/explosion.300d.nli.txt below the
     data root
To use GloVe's 300-d vectors instead: dsa download glove.6B, preset subset141k_glove""",
)
WORDNET = Download.from_file(
    name="wordnet",
    licence="WordNet 3.0 license",
    url="https://raw.githubusercontent.com/nltk/nltk_data/"
    "550b6625bcef1f2abff2ff770a5a0d272c9c6b2a/packages/corpora/wordnet.zip",
    size=10_775_600,
    sha256="cbda5ea6eef7f36a97a43d4a75f85e07fccbb4f23657d27b4ccbc93e2646ab59",
    sha256_source="public projects that pin this file of nltk/nltk_data",
    mirrors=(
        "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/"
        "packages/corpora/wordnet.zip",
    ),
)
CORPORA: dict[str, Corpus] = {}
DOWNLOADS: dict[str, Download] = {}


def register(corpus: Corpus) -> None:
    """Adds a corpus to the catalogue, so that configs can use its name.

    Raises: `ValueError` if the name is already registered.
    """
    if corpus.name in CORPORA:
        raise ValueError(f"a corpus named '{corpus.name}' is already registered")
    CORPORA[corpus.name] = corpus
    for download in corpus.downloads:  # corpora may share a download
        DOWNLOADS.setdefault(download.name, download)


def get_corpus(name: str) -> Corpus:
    """Returns a corpus by name.

    Raises: `InputError` if the name is unknown. The message contains a similar name.
    """
    if name in CORPORA:
        return CORPORA[name]
    similar = difflib.get_close_matches(name, CORPORA, n=1)
    hint = f"Did you mean '{similar[0]}'? " if similar else ""
    raise InputError(f"unknown corpus '{name}'. {hint}Known: {', '.join(CORPORA)}")


def find_corpus(path: str) -> Corpus | None:
    """Returns the first corpus whose folder contains a path, or `None`.

    Args:
        path: path relative to the data root.
    """
    folder = path.split("/")[0]
    for corpus in CORPORA.values():
        if corpus.folder == folder:
            return corpus
    return None


def find_download(path: str) -> Download | None:
    """Returns the download that contains a file of a corpus or of word vectors, or
    `None`.

    Args:
        path: path of the file, relative to the data root.
    """
    corpus = find_corpus(path)
    if corpus and corpus.downloads:
        return corpus.downloads[0]
    name = PurePosixPath(path).name
    for download in (*VECTOR_DOWNLOADS, EXPLOSION):
        if name.startswith(f"{download.name}."):
            return download
    return None


for _corpus in (*NLI_CORPORA, *OTHER_CORPORA):
    register(_corpus)
for _download in (*VECTOR_DOWNLOADS, EXPLOSION, WORDNET):
    DOWNLOADS[_download.name] = _download
