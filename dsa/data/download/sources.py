"""Where corpora and word vectors are, and who names their sha256."""

import dataclasses
from pathlib import PurePosixPath


@dataclasses.dataclass(frozen=True)
class Source:
    """A file to download.

    Attributes:
        url: the official address.
        size: bytes; `None` where it is not known.
        at_most: bytes that the file surely has at most, where `size` is not known.
        licence: as the authors state it.
        sha256: of the file; `None` where no public source names it: then the one of
            the first download is recorded, and later downloads must have the same.
        sha256_source: who names it.
        folder: where the file or its members go, below the data root.
        unpack: whether it is an archive to be unpacked; vectors are read zipped.
        mirrors: addresses that are tried next, for a file with the same sha256.
        top_folder: of an archive, which its members are written without.
        encoding: of the file, where it may be no UTF-8: then it is written as UTF-8.
    """

    url: str
    size: int | None
    licence: str
    sha256: str | None = None
    sha256_source: str | None = None
    folder: str = ""
    unpack: bool = True
    mirrors: tuple[str, ...] = ()
    top_folder: str = ""
    encoding: str | None = None
    at_most: int | None = None

    @property
    def filename(self):
        return PurePosixPath(self.url).name


def describe_size(sources):
    """The size of some sources in words, such as "94.6 MB" or "< 3.0 MB"."""
    bound = "< " if any(source.size is None for source in sources) else ""
    size = sum(source.size or source.at_most for source in sources)
    return f"{bound}{size / 1e6:,.1f} MB"


def _mirror_vectors(name):
    """Where Stanford keeps a file of GloVe as well."""
    return (
        f"https://downloads.cs.stanford.edu/nlp/data/{name}.zip",
        f"https://huggingface.co/stanfordnlp/glove/resolve/main/{name}.zip",
    )


# who names the sha256: repository and file
HF = "huggingface/datasets, datasets/{}/dataset_infos.json"
GLOVE = "JuliaText/Embeddings.jl, src/glove.jl"

SOURCES = {
    "snli": [
        Source(
            "https://nlp.stanford.edu/projects/snli/snli_1.0.zip",
            94_550_081,
            "CC BY-SA 4.0",
            "afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e",
            HF.format("snli"),
        )
    ],
    "multinli": [
        Source(
            "https://cims.nyu.edu/~sbowman/multinli/multinli_1.0.zip",
            226_850_426,
            "OANC and others, see its paper",
            "049f507b9e36b1fcb756cfd5aeb3b7a0cfcb84bf023793652987f7e7e0957822",
            HF.format("multi_nli"),
            mirrors=("https://www.nyu.edu/projects/bowman/multinli/multinli_1.0.zip",),
        )
    ],
    "glove.840B.300d": [
        Source(
            "https://nlp.stanford.edu/data/glove.840B.300d.zip",
            2_176_768_927,
            "PDDL",
            "c06db255e65095393609f19a4cfca20bf3a71e20cc53e892aafa490347e3849f",
            GLOVE,
            unpack=False,
            mirrors=_mirror_vectors("glove.840B.300d"),
        )
    ],
    "glove.6B": [
        Source(
            "https://nlp.stanford.edu/data/glove.6B.zip",
            862_182_613,
            "PDDL",
            "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
            GLOVE,
            unpack=False,
            mirrors=_mirror_vectors("glove.6B"),
        )
    ],
    "wordnet": [
        Source(
            "https://raw.githubusercontent.com/nltk/nltk_data/"
            "550b6625bcef1f2abff2ff770a5a0d272c9c6b2a/packages/corpora/wordnet.zip",
            10_775_600,
            "WordNet 3.0 license",
            "cbda5ea6eef7f36a97a43d4a75f85e07fccbb4f23657d27b4ccbc93e2646ab59",
            "public projects that pin this file of nltk/nltk_data",
            mirrors=(
                "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/"
                "packages/corpora/wordnet.zip",
            ),
        )
    ],
    "sick": [
        Source(
            f"https://alt.qcri.org/semeval2014/task1/data/uploads/sick_{part}.zip",
            None,
            "CC BY-NC-SA 3.0",
            folder="sick",
            at_most=1_000_000,
        )
        for part in ("train", "trial", "test_annotated")
    ],
    "sst": [
        Source(
            "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip",
            789_539,
            "not stated",
            "5c613a4f673fc74097d523a2c83f38e0cc462984d847b82c7aaf36b01cbbbfcc",
            "FluxML/Flux.jl, src/data/sentiment.jl",
            folder="sst",
        )
    ],
    "trec": [
        Source(
            "https://cogcomp.seas.upenn.edu/Data/QA/QC/train_5500.label",
            335_858,
            "not stated",
            "9e4c8bdcaffb96ed61041bd64b564183d52793a8e91d84fc3a8646885f466ec3",
            HF.format("trec"),
            folder="trec",
            unpack=False,
            mirrors=("http://cogcomp.org/Data/QA/QC/train_5500.label",),
        ),
        Source(
            "https://cogcomp.seas.upenn.edu/Data/QA/QC/TREC_10.label",
            23_354,
            "not stated",
            "033f22c028c2bbba9ca682f68ffe204dc1aa6e1cf35dd6207f2d4ca67f0d0e8e",
            HF.format("trec"),
            folder="trec",
            unpack=False,
            mirrors=("http://cogcomp.org/Data/QA/QC/TREC_10.label",),
        ),
    ],
    "sentence_classification": [
        Source(
            "https://raw.githubusercontent.com/harvardnlp/sent-conv-torch/master/data/"
            f"{name}.all",
            None,
            "not stated",
            folder="sentence_classification",
            unpack=False,
            encoding="latin-1",
            at_most=2_000_000,
        )
        for name in ("custrev", "mpqa", "subj")
    ],
    "stsb": [
        Source(
            "https://ixa2.si.ehu.eus/stswiki/images/4/48/Stsbenchmark.tar.gz",
            None,
            "of its sources, see LICENSE.txt in it",
            at_most=1_000_000,
        )
    ],
    "msrp": [
        Source(
            f"https://dl.fbaipublicfiles.com/senteval/senteval_data/{name}",
            size,
            "Microsoft's, see microsoft.com/download/details.aspx?id=52398",
            sha256,
            HF.format("glue"),
            folder="msrp",
            unpack=False,
        )
        for name, size, sha256 in (
            (
                "msr_paraphrase_train.txt",
                1_047_044,
                "60a9b09084528f0673eedee2b69cb941920f0b8cd0eeccefc464a98768457f89",
            ),
            (
                "msr_paraphrase_test.txt",
                441_275,
                "a04e271090879aaba6423d65b94950c089298587d9c084bf9cd7439bd785f784",
            ),
        )
    ],
    "wikiqa": [
        Source(
            "https://download.microsoft.com/download/E/5/F/"
            "E5FCFCEE-7005-4814-853D-DAA7C66507E0/WikiQACorpus.zip",
            7_094_233,
            "Microsoft's, for research, see LICENSE.pdf in it",
            "467c13f9e104552c0a9c16f41836ca8d89f9c0cc4b6e4355e104d5c3109ffa45",
            HF.format("wiki_qa"),
            folder="wikiqa",
            top_folder="WikiQACorpus",
        )
    ],
    "quora_official": [
        Source(
            "https://qim.fs.quoracdn.net/quora_duplicate_questions.tsv",
            58_176_133,
            "Quora's terms of service",
            "b3350dbb1d98db1f5abca85d736ba514bf4da253fae53939303d79fe921ec7c8",
            HF.format("quora"),
            folder="quora",
            unpack=False,
            mirrors=("http://qim.fs.quoracdn.net/quora_duplicate_questions.tsv",),
        )
    ],
    "hans": [
        Source(
            "https://raw.githubusercontent.com/tommccoy1/hans/master/"
            "heuristics_evaluation_set.txt",
            15_462_062,
            "MIT",
            "c55b62feef9913070e88f38938dc2492018c945ac81f70139346472494124e79",
            HF.format("hans"),
            folder="hans",
            unpack=False,
        )
    ],
    "anli": [
        Source(
            "https://dl.fbaipublicfiles.com/anli/anli_v1.0.zip",
            18_708_061,
            "CC BY-NC 4.0",
            "e5c058f2bb4e6190b0651badca2c590e45db95248f8b28cde674615ee40820bf",
            "public projects that pin this file of dl.fbaipublicfiles.com",
        )
    ],
    "scitail": [
        Source(
            "https://ai2-public-datasets.s3.amazonaws.com/scitail/SciTailV1.1.zip",
            14_174_621,
            "not stated",
            "3fccd37350a94ca280b75998568df85fc2fc62843a3198d644fcbf858e6943d5",
            HF.format("scitail"),
            mirrors=(
                "http://data.allenai.org.s3.amazonaws.com/downloads/SciTailV1.1.zip",
            ),
        )
    ],
    "xnli": [
        Source(
            "https://dl.fbaipublicfiles.com/XNLI/XNLI-1.0.zip",
            17_865_352,
            "CC BY-NC 4.0",
            "4ba1d5e1afdb7161f0f23c66dc787802ccfa8a25a3ddd3b165a35e50df346ab1",
            HF.format("xnli"),
        )
    ],
}
