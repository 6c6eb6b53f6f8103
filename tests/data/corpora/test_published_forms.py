"""A small file of each form in which the catalogued corpora are distributed, with the
columns of the published file."""

import gzip
import json
from pathlib import Path

import pytest

from dsa.data.corpora.catalogue import CORPORA
from tests.support.nli_rows import (
    ANLI,
    BREAKING,
    CAD,
    HANS,
    HANS_HEADER,
    SCITAIL,
    STRESS,
    XNLI,
    XNLI_HEADER,
)

SNLI = {
    "annotator_labels": ["neutral"],
    "captionID": "3416050480.jpg#4",
    "gold_label": "neutral",
    "pairID": "3416050480.jpg#4r1n",
    "sentence1": "A person rides.",
    "sentence1_binary_parse": "( A person rides . )",
    "sentence1_parse": "(ROOT rides)",
    "sentence2": "He trains.",
    "sentence2_binary_parse": "( He trains . )",
    "sentence2_parse": "(ROOT trains)",
}
NLI_TABLE = (
    "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\t"
    "sentence2_parse\tsentence1\tsentence2\tcaptionID\tpairID\tlabel1\tlabel2\n"
    "neutral\t( A )\t( B )\t(A)\t(B)\tA person rides.\tHe trains.\tx.jpg#4\t"
    "x.jpg#4r1n\tneutral\n"
)
GLUE_MNLI = (
    "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\t"
    "sentence1_parse\tsentence2_parse\tsentence1\tsentence2\tlabel1\tgold_label\n"
    "0\t31193\t31193n\tgovernment\t( A )\t( B )\t(A)\t(B)\tA person rides.\t"
    "He trains.\tneutral\tneutral\n"
)
GLUE_STSB = (
    "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\t"
    "score\n"
    "0\tmain-captions\tMSRvid\t2012test\t0001\tnone\tnone\tA plane leaves.\t"
    'An "air plane leaves.\t5.000\n'
)
QUORA_OFFICIAL = (
    "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
    '0\t1\t2\t"What is\nthat?"\tWhy?\t1\n'
)
QUORA_KAGGLE = (
    '"id","qid1","qid2","question1","question2","is_duplicate"\n'
    '"0","1","2","What is\nthat?","Why?","1"\n'
)
SICK_SPLIT = (
    "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    "1\tA boy plays\tNobody plays\t3.5\tCONTRADICTION\n"
)
SICK_COMPLETE = (
    "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\t"
    "entailment_AB\tentailment_BA\tsentence_A_original\tsentence_B_original\t"
    "sentence_A_dataset\tsentence_B_dataset\tSemEval_set\n"
    "1\tA boy plays\tNobody plays\tCONTRADICTION\t3.5\tx\tx\tx\tx\tFLICKR\tFLICKR\t"
    "TRAIN\n"
)
WIKIQA = (
    "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"
    "Q1\thow\tD1\tGlacier cave\tD1-0\tA cave.\t0\n"
    "Q1\thow\tD1\tGlacier cave\tD1-1\tSo.\t1\n"
)
WIKIQA_HUB = {
    "question_id": "Q1",
    "question": "how ?",
    "document_title": "Glacier cave",
    "answer": "So.",
    "label": 1,
}
SCITAIL_SNLI = {**SNLI, "gold_label": "entailment", "annotator_labels": ["entailment"]}
SCITAIL_PREDICTOR = {
    "sentence1": "Plants make food.",
    "sentence2": "Plants eat.",
    "gold_label": "entails",
    "answer": "food",
    "sentence2_structure": "Plants<>eat",
}
XNLI_JSON = {**SNLI, "language": "en", "genre": "facetoface", "match": "True"}
STSB_HUB = {"sentence1": "A plane leaves.", "sentence2": "It leaves.", "idx": 0}

# corpus, name of the file, content, label of its last row
FORMS = [
    ("snli", "snli_1.0_train.jsonl", SNLI, "neutral"),
    ("snli", "snli_1.0_train.jsonl.gz", SNLI, "neutral"),
    ("snli", "snli_1.0_train.txt", NLI_TABLE, "neutral"),
    ("snli", "mli_train_v1.jsonl", SNLI, "neutral"),  # MedNLI
    ("multinli", "multinli_1.0_train.jsonl", {**SNLI, "genre": "fiction"}, "neutral"),
    ("multinli", "multinli_1.0_train.txt", NLI_TABLE, "neutral"),
    ("multinli", "MNLI/train.tsv", GLUE_MNLI, "neutral"),
    ("snli_hard", "snli_1.0_test_hard.jsonl", SNLI, "neutral"),
    ("breaking_nli", "dataset.jsonl", BREAKING, "contradiction"),
    ("hans", "hans.txt", f"{HANS_HEADER}\n{HANS}\n", "non-entailment"),
    (
        "hans",
        "hans.jsonl",
        {**SNLI, "gold_label": "non-entailment", "heuristic": "subsequence"},
        "non-entailment",
    ),
    ("nli_stress_tests", "multinli_0.9_quant_hard.jsonl", STRESS, "neutral"),
    ("nli_stress_tests", "multinli_0.9_quant_hard.txt", NLI_TABLE, "neutral"),
    ("cad", "test.tsv", CAD, "contradiction"),
    ("anli", "R1/train.jsonl", ANLI, "entailment"),
    ("scitail", "tsv_format/train.tsv", f"{SCITAIL}\n", "entailment"),
    ("scitail", "dgem_format/train.tsv", f"{SCITAIL}\tPlants<>make\n", "entailment"),
    ("scitail", "snli_format/train.txt", SCITAIL_SNLI, "entailment"),
    ("scitail", "predictor_format/train.jsonl", SCITAIL_PREDICTOR, "entailment"),
    ("xnli_en", "xnli.dev.tsv", f"{XNLI_HEADER}\n{XNLI.format('en', 1)}\n", "neutral"),
    ("xnli_en", "xnli.dev.jsonl", XNLI_JSON, "neutral"),
    ("cr", "custrev.all", "1 good phone\n", "positive"),
    ("mpqa", "mpqa.all", "0 far worse\n", "negative"),
    ("subj", "subj.all", "1 the film tells\n", "objective"),
    ("trec", "train_5500.label", "NUM:dist How far is it ?\n", "NUM"),
    ("sst", "trees/train.txt", "(3 (2 It) (4 works))\n", "positive"),
    ("sick", "SICK_train.txt", SICK_SPLIT, 3.5),
    ("sick", "SICK.txt", SICK_COMPLETE, 3.5),
    ("sick_entailment", "SICK_train.txt", SICK_SPLIT, "contradiction"),
    ("sick_entailment", "SICK.txt", SICK_COMPLETE, "contradiction"),
    ("stsb", "sts-train.csv", "a\tb\t2012\t1\t5.000\tA plane\tIt\n", 5.0),
    ("stsb", "STS-B/train.tsv", GLUE_STSB, 5.0),
    ("stsb", "glue.jsonl", {**STSB_HUB, "label": 4.5}, 4.5),
    ("stsb", "glue_test.jsonl", {**STSB_HUB, "label": -1.0}, None),
    ("stsb", "mteb.jsonl", {**STSB_HUB, "score": 4.5}, 4.5),
    (
        "msrp",
        "msr_paraphrase_train.txt",
        "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t2\t3\tA\tB\r\n",
        "paraphrase",
    ),
    (
        "msrp",
        "MRPC/dev.tsv",
        "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n0\t2\t3\tA\tB\n",
        "different",
    ),
    ("quora", "quora_duplicate_questions.tsv", QUORA_OFFICIAL, "duplicate"),
    ("quora", "kaggle/train.csv", QUORA_KAGGLE, "duplicate"),
    ("quora", "kaggle/train.csv.gz", QUORA_KAGGLE, "duplicate"),
    ("quora", "bimpm/train.tsv", "1\tWhat is it ?\tWhy ?\t18\n", "duplicate"),
    ("wikiqa", "WikiQA-train.tsv", WIKIQA, "right"),
    ("wikiqa", "train.jsonl", WIKIQA_HUB, "right"),
    ("wikiqa", "WikiQA-train.txt", "how ?\ta cave .\t0\nhow ?\tso .\t1\n", "right"),
]


def test_every_corpus_is_read_in_a_published_form():
    assert {corpus for corpus, *_ in FORMS} == set(CORPORA)


@pytest.mark.parametrize(("corpus", "name", "content", "label"), FORMS)
def test_a_published_form_is_read(corpus, name, content, label, tmp_path):
    text = content if isinstance(content, str) else json.dumps(content) + "\n"
    path = tmp_path / Path(name).name
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    *_, example = CORPORA[corpus].read_examples(path)
    assert example.label == label
    assert len(example.texts) == len(CORPORA[corpus].task.inputs)
    assert all(example.texts)


def test_the_page_of_the_corpora_lists_every_corpus():
    page = Path(__file__).parents[3].joinpath("docs/corpora.md").read_text()
    missing = [name for name in CORPORA if f"`{name}`" not in page]
    assert not missing
