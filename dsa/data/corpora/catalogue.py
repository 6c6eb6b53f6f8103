"""The corpora that the project knows: one line a corpus.

Whoever needs to know something of a corpus by its name asks here.
"""

import difflib

from dsa.data.corpora.corpus import Corpus
from dsa.data.corpora.labelled_lines import read_labelled_lines
from dsa.data.corpora.msrp import read_msrp
from dsa.data.corpora.nli import read_nli
from dsa.data.corpora.nli_columns import NLI_COLUMNS, NLI_PARSES, read_nli_columns
from dsa.data.corpora.quora import read_quora
from dsa.data.corpora.sick import read_sick_judgments, read_sick_scores
from dsa.data.corpora.sst import read_sst, read_sst_phrases
from dsa.data.corpora.stsb import read_stsb
from dsa.data.corpora.trec import read_trec
from dsa.data.corpora.wikiqa import read_wikiqa
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.ranking import Ranking
from dsa.tasks.relatedness import Relatedness
from dsa.tasks.task import PAIR, SINGLE

CORPORA = {}  # name -> Corpus


def register(corpus):
    """Add a corpus to those that configs can name.

    Raises: `ValueError` for a name that is taken.
    """
    if corpus.name in CORPORA:
        raise ValueError(f"there is a corpus named '{corpus.name}' already")
    CORPORA[corpus.name] = corpus


def corpus_named(name):
    """The corpus of a name.

    Raises: `InputError` for an unknown name, with the nearest known one.
    """
    if name in CORPORA:
        return CORPORA[name]
    near = difflib.get_close_matches(name, CORPORA, n=1)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    raise InputError(f"unknown corpus '{name}'. {hint}Known: {', '.join(CORPORA)}")


NLI = Classification("nli", PAIR, ("entailment", "neutral", "contradiction"))
TWO_WAY_NLI = Classification("two-way nli", PAIR, ("entailment", "non-entailment"))
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
RELATEDNESS = Relatedness("relatedness", 1, 5)
SIMILARITY = Relatedness("similarity", 0, 5)


def _name_files(pattern, train, dev=None, test=None):
    """`{split: file}` of a pattern and what stands for each split in it."""
    parts = {"train": train, "dev": dev, "test": test}
    return {split: pattern.format(part) for split, part in parts.items() if part}


_SICK = {
    "official_rows": {
        "SICK_train.txt": 4_500,
        "SICK_trial.txt": 500,
        "SICK_test_annotated.txt": 4_927,
    },
    "splits": _name_files("sick/SICK_{}.txt", "train", "trial", "test_annotated"),
}

for _corpus in (
    Corpus(
        "snli",
        NLI,
        read_nli,
        official_rows={"snli_1.0_dev.jsonl": 10_000, "snli_1.0_test.jsonl": 10_000},
        training_pairs=549_367,
        splits=_name_files("snli_1.0/snli_1.0_{}.jsonl", "train", "dev", "test"),
    ),
    Corpus(
        "multinli",
        NLI,
        read_nli,
        training_pairs=392_702,
        grouped=True,  # by genre
        splits=_name_files(
            "multinli_1.0/multinli_1.0_{}.jsonl", "train", "dev_matched"
        ),
    ),
    Corpus(
        "snli_hard",
        NLI,
        read_nli,
        official_rows={"snli_1.0_test_hard.jsonl": 3_261},
        splits={"test": "snli_hard/snli_1.0_test_hard.jsonl"},
    ),
    Corpus(
        "breaking_nli",
        NLI,
        read_nli_columns,
        grouped=True,  # by category
        splits={"test": "breaking_nli/dataset.jsonl"},
        official_rows={"dataset.jsonl": 8_193},
        settings={"columns": NLI_COLUMNS | {"group": "category"}},
    ),
    Corpus("nli_stress_tests", NLI, read_nli_columns),  # no parses: they are older
    Corpus("cad", NLI, read_nli_columns, settings={"form": "quoted table"}),
    Corpus(
        "anli",
        NLI,
        read_nli_columns,
        splits=_name_files("anli_v1.0/R3/{}.jsonl", "train", "dev", "test"),
        settings={
            "columns": {
                "premise": "context",
                "hypothesis": "hypothesis",
                "label": "label",
                "id": "uid",
            },
            "labels": {"e": "entailment", "n": "neutral", "c": "contradiction"},
        },
    ),
    Corpus(
        "xnli_en",
        NLI,
        read_nli_columns,
        grouped=True,  # by genre
        official_rows={"xnli.dev.tsv": 2_490, "xnli.test.tsv": 5_010},
        splits={split: f"XNLI-1.0/xnli.{split}.tsv" for split in ("dev", "test")},
        settings={
            "columns": NLI_COLUMNS | {"group": "genre"},
            "only": {"language": "en"},
        },
    ),
    Corpus(
        "hans",
        TWO_WAY_NLI,
        read_nli_columns,
        grouped=True,  # by heuristic
        official_rows={
            "heuristics_train_set.txt": 30_000,
            "heuristics_evaluation_set.txt": 30_000,
        },
        splits=_name_files("hans/heuristics_{}_set.txt", "train", test="evaluation"),
        settings={
            "columns": NLI_COLUMNS | NLI_PARSES | {"group": "heuristic"},
        },
    ),
    Corpus(
        "scitail",
        TWO_WAY_NLI,
        read_nli_columns,
        official_rows={"scitail_1.0_test.tsv": 2_126},
        splits=_name_files(
            "SciTailV1.1/tsv_format/scitail_1.0_{}.tsv", "train", "dev", "test"
        ),
        settings={
            "form": "table without header",
            "columns": {"premise": 0, "hypothesis": 1, "label": 2},
            "labels": {"entails": "entailment", "neutral": "non-entailment"},
        },
    ),
    Corpus("sick_entailment", NLI, read_sick_judgments, **_SICK),
    Corpus("sick", RELATEDNESS, read_sick_scores, **_SICK),
    Corpus(
        "stsb",
        SIMILARITY,
        read_stsb,
        official_rows={
            "sts-train.csv": 5_749,
            "sts-dev.csv": 1_500,
            "sts-test.csv": 1_379,
        },
        grouped=True,  # by genre
        splits=_name_files("stsbenchmark/sts-{}.csv", "train", "dev", "test"),
    ),
    Corpus(
        "msrp",
        PARAPHRASE,
        read_msrp,
        official_rows={
            "msr_paraphrase_train.txt": 4_076,
            "msr_paraphrase_test.txt": 1_725,
        },
        splits=_name_files("msrp/msr_paraphrase_{}.txt", "train", test="test"),
    ),
    Corpus(
        "quora",
        DUPLICATES,
        read_quora,
        official_rows={"quora_duplicate_questions.tsv": 404_290},
        training_pairs=384_348,  # of BiMPM's split
        splits=_name_files("quora/{}.tsv", "train", "dev", "test"),
    ),
    Corpus(
        "sst",
        SENTIMENT,
        read_sst,
        official_rows={"train.txt": 8_544, "dev.txt": 1_101, "test.txt": 2_210},
        splits=_name_files("sst/trees/{}.txt", "train", "dev", "test"),
        read_phrases=read_sst_phrases,
        official_phrase_rows={"train.txt": 318_582},
        neutral_label="neutral",
    ),
    Corpus(
        "cr",
        POLARITY,
        read_labelled_lines,
        official_rows={"custrev.all": 3_775},
        splits=_name_files("sentence_classification/{}.all", "custrev"),
    ),
    Corpus(
        "mpqa",
        POLARITY,
        read_labelled_lines,
        official_rows={"mpqa.all": 10_606},
        splits=_name_files("sentence_classification/{}.all", "mpqa"),
    ),
    Corpus(
        "subj",
        SUBJECTIVITY,
        read_labelled_lines,
        official_rows={"subj.all": 10_000},
        splits=_name_files("sentence_classification/{}.all", "subj"),
    ),
    Corpus(
        "trec",
        QUESTION_TYPE,
        read_trec,
        official_rows={"train_5500.label": 5_452, "TREC_10.label": 500},
        splits=_name_files("trec/{}.label", "train_5500", test="TREC_10"),
    ),
    Corpus(
        "wikiqa",
        RANKING,
        read_wikiqa,
        official_rows={
            "WikiQA-train.tsv": 20_360,
            "WikiQA-dev.tsv": 2_733,
            "WikiQA-test.tsv": 6_165,
        },
        splits=_name_files("wikiqa/WikiQA-{}.tsv", "train", "dev", "test"),
    ),
):
    register(_corpus)
