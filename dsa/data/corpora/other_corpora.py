"""Catalogue entries of corpora for classification, ranking and similarity."""

from dsa.data.corpora.corpus import (
    HF_CHECKSUMS,
    MEASURED,
    Corpus,
    Download,
    RemoteFile,
    TransferTask,
    list_checksums,
    list_splits,
)
from dsa.data.corpora.nli_corpora import NLI
from dsa.tasks.classification import Classification
from dsa.tasks.ranking import Ranking
from dsa.tasks.relatedness import Relatedness
from dsa.tasks.task import PAIR, SINGLE

POLARITY = Classification("polarity", SINGLE, ("negative", "positive"))
SENTIMENT = Classification(
    "sentiment",
    SINGLE,
    ("very negative", "negative", "neutral", "positive", "very positive"),
)
SUBJECTIVITY = Classification("subjectivity", SINGLE, ("subjective", "objective"))
QUESTION_TYPE = Classification(
    "question type", SINGLE, ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
)
PARAPHRASE = Classification(
    "paraphrase", PAIR, ("different", "paraphrase"), positive="paraphrase"
)
DUPLICATES = Classification(
    "duplicates", PAIR, ("different", "duplicate"), positive="duplicate"
)
RANKING = Ranking("ranking")
RELATEDNESS = Relatedness("relatedness", lowest=1, highest=5)
SIMILARITY = Relatedness("similarity", lowest=0, highest=5)

SENTENCE_CLASSIFICATION_DOWNLOAD = Download(
    name="sentence_classification",
    licence="not stated",
    files=tuple(
        RemoteFile(
            url="https://raw.githubusercontent.com/harvardnlp/sent-conv-torch/"
            f"master/data/{name}.all",
            sha256_source=MEASURED,
            folder="sentence_classification",
            unpack=False,
            encoding="latin-1",
            file_checksums=list_checksums(f"{name}.all"),
            max_bytes=2_000_000,
        )
        for name in ("custrev", "mpqa", "subj")
    ),
)
SICK_ROWS = {
    "SICK_train.txt": 4_500,
    "SICK_trial.txt": 500,
    "SICK_test_annotated.txt": 4_927,
}
SICK_SPLITS = list_splits("sick/SICK_{}.txt", "train", "trial", "test_annotated")
SICK_DOWNLOAD = Download(
    name="sick",
    licence="CC BY-NC-SA 3.0",
    files=tuple(
        RemoteFile(
            url=f"https://alt.qcri.org/semeval2014/task1/data/uploads/sick_{part}.zip",
            sha256_source=MEASURED,
            folder="sick",
            file_checksums=list_checksums(f"SICK_{part}.txt"),
            max_bytes=1_000_000,
        )
        for part in ("train", "trial", "test_annotated")
    ),
)


def _make_labelled_lines_corpus(name, task, stem, num_rows):
    """Returns the catalogue entry of a corpus of one file.

    Args:
        name: name of the corpus.
        task: the task.
        stem: the file is `<stem>.all` of `SENTENCE_CLASSIFICATION_DOWNLOAD`.
        num_rows: number of rows of the file.
    """
    return Corpus(
        name=name,
        task=task,
        read="dsa.data.corpora.labelled_lines:read_labelled_lines",
        official_rows={f"{stem}.all": num_rows},
        splits={"train": f"sentence_classification/{stem}.all"},
        downloads=(SENTENCE_CLASSIFICATION_DOWNLOAD,),
        transfer=(TransferTask(name.upper(), "cross_validate"),),
    )


OTHER_CORPORA = (
    _make_labelled_lines_corpus("cr", POLARITY, "custrev", 3_775),
    _make_labelled_lines_corpus("mpqa", POLARITY, "mpqa", 10_606),
    _make_labelled_lines_corpus("subj", SUBJECTIVITY, "subj", 10_000),
    Corpus(
        name="trec",
        task=QUESTION_TYPE,
        read="dsa.data.corpora.labelled_lines:read_trec",
        official_rows={"train_5500.label": 5_452, "TREC_10.label": 500},
        splits=list_splits("trec/{}.label", "train_5500", test="TREC_10"),
        downloads=(
            Download(
                name="trec",
                licence="not stated",
                files=tuple(
                    RemoteFile(
                        url=f"https://cogcomp.seas.upenn.edu/Data/QA/QC/{name}.label",
                        size=size,
                        sha256=sha256,
                        sha256_source=HF_CHECKSUMS.format("trec"),
                        folder="trec",
                        unpack=False,
                        mirrors=(f"http://cogcomp.org/Data/QA/QC/{name}.label",),
                    )
                    for name, size, sha256 in (
                        (
                            "train_5500",
                            335_858,
                            "9e4c8bdcaffb96ed61041bd64b564183d52793a8e91d84fc3a8646885f466ec3",
                        ),
                        (
                            "TREC_10",
                            23_354,
                            "033f22c028c2bbba9ca682f68ffe204dc1aa6e1cf35dd6207f2d4ca67f0d0e8e",
                        ),
                    )
                ),
            ),
        ),
        transfer=(TransferTask("TREC", "classify_test"),),
    ),
    Corpus(
        name="sst",
        task=SENTIMENT,
        read="dsa.data.corpora.sst:read_sst",
        official_rows={"train.txt": 8_544, "dev.txt": 1_101, "test.txt": 2_210},
        splits=list_splits("sst/trees/{}.txt", "train", "dev", "test"),
        options="dsa.data.corpora.sst:SSTOptions",
        downloads=(
            Download.from_file(
                name="sst",
                licence="not stated",
                url="https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip",
                size=789_539,
                sha256="5c613a4f673fc74097d523a2c83f38e0cc462984d847b82c7aaf36b01cbbbfcc",
                sha256_source="FluxML/Flux.jl, src/data/sentiment.jl",
                folder="sst",
            ),
        ),
        transfer=(TransferTask("SST-5", "classify_test"),),
    ),
    Corpus(
        name="sick",
        task=RELATEDNESS,
        read="dsa.data.corpora.sentence_pairs:read_sick_scores",
        official_rows=SICK_ROWS,
        splits=SICK_SPLITS,
        downloads=(SICK_DOWNLOAD,),
        transfer=(TransferTask("SICK-R", "regress_scores"),),
    ),
    Corpus(
        name="sick_entailment",
        task=NLI,
        read="dsa.data.corpora.sentence_pairs:read_sick_judgments",
        official_rows=SICK_ROWS,
        splits=SICK_SPLITS,
        downloads=(SICK_DOWNLOAD,),
        transfer=(TransferTask("SICK-E", "classify_test"),),
    ),
    Corpus(
        name="stsb",
        task=SIMILARITY,
        read="dsa.data.corpora.sentence_pairs:read_stsb",
        official_rows={
            "sts-train.csv": 5_749,
            "sts-dev.csv": 1_500,
            "sts-test.csv": 1_379,
        },
        grouped=True,  # by genre
        splits=list_splits("stsbenchmark/sts-{}.csv", "train", "dev", "test"),
        downloads=(
            Download.from_file(
                name="stsb",
                licence="licences of its sources, see LICENSE.txt in the archive",
                url="https://ixa2.si.ehu.eus/stswiki/images/4/48/Stsbenchmark.tar.gz",
                sha256_source=MEASURED,
                file_checksums=list_checksums(
                    "sts-train.csv", "sts-dev.csv", "sts-test.csv"
                ),
                max_bytes=1_000_000,
            ),
        ),
        transfer=(
            TransferTask("STS-B", "correlate_cosines", reads=("test",)),
            TransferTask("STS-B trained", "regress_scores"),
        ),
    ),
    Corpus(
        name="msrp",
        task=PARAPHRASE,
        read="dsa.data.corpora.sentence_pairs:read_msrp",
        official_rows={
            "msr_paraphrase_train.txt": 4_076,
            "msr_paraphrase_test.txt": 1_725,
        },
        splits=list_splits("msrp/msr_paraphrase_{}.txt", "train", test="test"),
        downloads=(
            Download(
                name="msrp",
                licence="Microsoft; see microsoft.com/download/details.aspx?id=52398",
                files=tuple(
                    RemoteFile(
                        url="https://dl.fbaipublicfiles.com/senteval/senteval_data/"
                        f"msr_paraphrase_{part}.txt",
                        size=size,
                        sha256=sha256,
                        sha256_source=HF_CHECKSUMS.format("glue"),
                        folder="msrp",
                        unpack=False,
                    )
                    for part, size, sha256 in (
                        (
                            "train",
                            1_047_044,
                            "60a9b09084528f0673eedee2b69cb941920f0b8cd0eeccefc464a98768457f89",
                        ),
                        (
                            "test",
                            441_275,
                            "a04e271090879aaba6423d65b94950c089298587d9c084bf9cd7439bd785f784",
                        ),
                    )
                ),
            ),
        ),
        transfer=(TransferTask("MSRP", "classify_test"),),
    ),
    Corpus(
        name="quora",
        task=DUPLICATES,
        read="dsa.data.corpora.sentence_pairs:read_quora",
        official_rows={"quora_duplicate_questions.tsv": 404_290},
        training_pairs=384_348,  # in the split of BiMPM
        splits=list_splits("quora/{}.tsv", "train", "dev", "test"),
        downloads=(
            Download(
                name="quora",
                licence="Quora's terms of service",
                by_hand="""\
The configs use the split of Quora's questions by Wang et al. 2017 (BiMPM):
  1. download Quora_question_pair_partition.zip from the link in the README of
     https://github.com/zhiguowang/BiMPM
  2. put train.tsv, dev.tsv and test.tsv into quora/ below the data root
To download the official file, which has no splits: dsa download quora_official""",
            ),
            Download.from_file(
                name="quora_official",
                licence="Quora's terms of service",
                url="https://qim.fs.quoracdn.net/quora_duplicate_questions.tsv",
                size=58_176_133,
                sha256="b3350dbb1d98db1f5abca85d736ba514bf4da253fae53939303d79fe921ec7c8",
                sha256_source=HF_CHECKSUMS.format("quora"),
                folder="quora",
                unpack=False,
                mirrors=("http://qim.fs.quoracdn.net/quora_duplicate_questions.tsv",),
            ),
        ),
    ),
    Corpus(
        name="wikiqa",
        task=RANKING,
        read="dsa.data.corpora.wikiqa:read_wikiqa",
        official_rows={
            "WikiQA-train.tsv": 20_360,
            "WikiQA-dev.tsv": 2_733,
            "WikiQA-test.tsv": 6_165,
        },
        splits=list_splits("wikiqa/WikiQA-{}.tsv", "train", "dev", "test"),
        options="dsa.data.corpora.wikiqa:WikiQAOptions",
        downloads=(
            Download.from_file(
                name="wikiqa",
                licence="Microsoft's research licence, see LICENSE.pdf in the archive",
                url="https://download.microsoft.com/download/E/5/F/"
                "E5FCFCEE-7005-4814-853D-DAA7C66507E0/WikiQACorpus.zip",
                size=7_094_233,
                sha256="467c13f9e104552c0a9c16f41836ca8d89f9c0cc4b6e4355e104d5c3109ffa45",
                sha256_source=HF_CHECKSUMS.format("wiki_qa"),
                folder="wikiqa",
                top_folder="WikiQACorpus",
            ),
        ),
    ),
)
