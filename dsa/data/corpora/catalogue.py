"""Readers of corpus formats: a file to examples, every row kept, in file order."""

import dataclasses
from pathlib import Path

from dsa.data.corpora.labelled_lines import read_labelled_lines
from dsa.data.corpora.msrp import read_msrp
from dsa.data.corpora.nli import read_nli
from dsa.data.corpora.quora import read_quora
from dsa.data.corpora.sick import read_sick
from dsa.data.corpora.sst import read_sst, read_sst_phrases
from dsa.data.corpora.stsb import read_stsb
from dsa.data.corpora.trec import read_trec
from dsa.errors import InputError
from dsa.tasks.classification import Classification
from dsa.tasks.inputs import PAIR, SINGLE
from dsa.tasks.relatedness import Relatedness

READERS = {  # by corpus
    "snli": read_nli,
    "multinli": read_nli,
    "sick": read_sick,
    "sick_entailment": read_sick,
    "stsb": read_stsb,
    "msrp": read_msrp,
    "quora": read_quora,
    "sst": read_sst,
    "sst_phrases": read_sst_phrases,
    "cr": read_labelled_lines,
    "mpqa": read_labelled_lines,
    "subj": read_labelled_lines,
    "trec": read_trec,
}
_SICK = {
    "SICK_train.txt": 4_500,
    "SICK_trial.txt": 500,
    "SICK_test_annotated.txt": 4_927,
}
ROWS = {  # of the official files, by corpus and name
    "snli": {f"snli_1.0_{split}.jsonl": 10_000 for split in ("dev", "test")},
    "sick": _SICK,
    "sick_entailment": _SICK,
    "stsb": {"sts-train.csv": 5_749, "sts-dev.csv": 1_500, "sts-test.csv": 1_379},
    "msrp": {"msr_paraphrase_train.txt": 4_076, "msr_paraphrase_test.txt": 1_725},
    "sst": {"train.txt": 8_544, "dev.txt": 1_101, "test.txt": 2_210},
    "sst_phrases": {"train.txt": 318_582},
    "cr": {"custrev.all": 3_775},
    "mpqa": {"mpqa.all": 10_606},
    "subj": {"subj.all": 10_000},
    "quora": {"quora_duplicate_questions.tsv": 404_290},
    "trec": {"train_5500.label": 5_452, "TREC_10.label": 500},
}


def refuse_other_count(path, reader, rows):
    """Stop at a file with the name of an official one and another number of rows: it is
    cut short, or was read wrong.

    Raises: `InputError`.
    """
    official = ROWS.get(reader, {}).get(Path(path).name.removesuffix(".gz"), rows)
    if rows != official:
        raise InputError(
            f"{path}: {rows:,} rows, the official file of this name has {official:,}. "
            "If it is meant to be another one, give it another name"
        )


TRAIN_PAIRS = {  # labelled, of the official files; Quora's of the split of BiMPM
    "snli": 549_367,
    "multinli": 392_702,
    "quora": 384_348,
}


NLI = Classification("nli", PAIR, ("entailment", "neutral", "contradiction"))


POLARITY = Classification("polarity", SINGLE, ("negative", "positive"))


TASKS = {  # by corpus
    "snli": NLI,
    "multinli": NLI,
    "sick_entailment": NLI,
    "sick": Relatedness("relatedness", 1, 5),
    "stsb": Relatedness("similarity", 0, 5),
    "msrp": Classification("paraphrase", PAIR, ("different", "paraphrase")),
    "quora": Classification("duplicates", PAIR, ("different", "duplicate")),
    "sst": Classification(
        "sentiment",
        SINGLE,
        ("very negative", "negative", "neutral", "positive", "very positive"),
    ),
    "cr": POLARITY,
    "mpqa": POLARITY,
    "subj": Classification("subjectivity", SINGLE, ("subjective", "objective")),
    "trec": Classification(
        "question type", SINGLE, ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
    ),
}


@dataclasses.dataclass(frozen=True)
class Corpus:
    """Interim."""

    name: str
    task: object


def corpus_named(name):
    """Interim."""
    if name not in TASKS:
        raise InputError(f"unknown corpus '{name}'. Known: {', '.join(TASKS)}")
    return Corpus(name, TASKS[name])
