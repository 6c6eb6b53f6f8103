"""Corpora that nobody can download for you: what to do by hand."""

MANUAL = {
    "multinli_test": """\
MultiNLI's test files without labels need a Kaggle login:
  1. join https://www.kaggle.com/c/multinli-matched-open-evaluation and
     https://www.kaggle.com/c/multinli-mismatched-open-evaluation
  2. download multinli_0.9_test_matched_unlabeled.jsonl (9,796 rows) and
     multinli_0.9_test_mismatched_unlabeled.jsonl (9,847 rows)
  3. put them into multinli_1.0/ below the data root""",
    "quora": """\
The configs read Quora's questions in the split of Wang et al. 2017 (BiMPM):
  1. download Quora_question_pair_partition.zip, by the link in the README of
     https://github.com/zhiguowang/BiMPM
  2. put train.tsv, dev.tsv and test.tsv into quora/ below the data root
The official file, without splits: dsa download quora_official""",
    # no public source names the sha256 of these, or no address of theirs stays
    "snli_hard": """\
SNLI-hard, 3,261 rows, CC BY-SA 4.0 (Gururangan et al. 2018):
  1. download https://nlp.stanford.edu/projects/snli/snli_1.0_test_hard.jsonl
  2. put it into snli_hard/ below the data root""",
    "breaking_nli": """\
Breaking NLI, 8,193 rows, CC BY-SA 4.0 (Glockner et al. 2018):
  1. download breaking_nli_dataset.zip from https://github.com/BIU-NLP/Breaking_NLI
  2. put its data/dataset.jsonl into breaking_nli/ below the data root""",
    "nli_stress_tests": """\
The NLI stress tests, licence not stated (Naik et al. 2018):
  1. download the zip file by the link "Stress Tests" of
     https://abhilasharavichander.github.io/NLI_StressTest/
  2. put its folders Antonym, Length_Mismatch, Negation, Numerical_Reasoning,
     Spelling_Error and Word_Overlap into nli_stress_tests/ below the data root""",
    "cad": """\
Counterfactually augmented NLI, licence not stated (Kaushik et al. 2020):
  1. download https://github.com/acmi-lab/counterfactually-augmented-data
  2. put NLI/revised_premise/test.tsv into cad/revised_premise/ and
     NLI/revised_hypothesis/test.tsv into cad/revised_hypothesis/ below the data
     root""",
}
