"""Catalogue entries of natural language inference corpora."""

from dsa.data.corpora.corpus import (
    HF_CHECKSUMS,
    Corpus,
    Download,
    RobustnessFile,
    list_splits,
)
from dsa.tasks.classification import Classification
from dsa.tasks.task import PAIR

NLI = Classification("nli", PAIR, ("entailment", "neutral", "contradiction"))
TWO_WAY_NLI = Classification("two-way nli", PAIR, ("entailment", "non-entailment"))

READ_NLI = "dsa.data.corpora.nli:read_nli"
READ_COLUMNS = "dsa.data.corpora.nli:read_nli_columns"
S3 = "s3.amazonaws.com"
STRESS = "nli_stress_tests"
# (title, file pattern), see https://abhilasharavichander.github.io/NLI_StressTest/
STRESS_FILES = (
    ("antonyms", "Antonym/multinli_0.9_antonym_{}"),
    ("word overlap", "Word_Overlap/multinli_0.9_taut2_{}"),
    ("negation", "Negation/multinli_0.9_negation_{}"),
    ("length mismatch", "Length_Mismatch/multinli_0.9_length_mismatch_{}"),
    ("spelling, swapped letters", "Spelling_Error/multinli_0.9_dev_gram_swap_{}"),
    ("spelling, keyboard", "Spelling_Error/multinli_0.9_dev_gram_keyboard_{}"),
    (
        "spelling, function words",
        "Spelling_Error/multinli_0.9_dev_gram_functionword_swap_perturbed_{}",
    ),
    (
        "spelling, content words",
        "Spelling_Error/multinli_0.9_dev_gram_contentword_swap_perturbed_{}",
    ),
)


def _list_stress_tests():
    """Yields the `RobustnessFile`s of the stress tests, by part of MultiNLI's dev."""
    for title, pattern in STRESS_FILES:
        for part in ("matched", "mismatched"):
            yield _make_stress_test(f"{title}, {part}", pattern.format(part))
    yield _make_stress_test("numbers", "Numerical_Reasoning/multinli_0.9_quant_hard")


def _make_stress_test(title, file):
    name = "stress_" + title.replace(",", "").replace(" ", "_")
    return RobustnessFile(name, f"stress: {title}", f"{STRESS}/{file}.jsonl")


INSTRUCTIONS = {
    "multinli_test": """\
The unlabelled test files of MultiNLI require a Kaggle login:
  1. join https://www.kaggle.com/c/multinli-matched-open-evaluation and
     https://www.kaggle.com/c/multinli-mismatched-open-evaluation
  2. download multinli_0.9_test_matched_unlabeled.jsonl (9,796 rows) and
     multinli_0.9_test_mismatched_unlabeled.jsonl (9,847 rows)
  3. put them into multinli_1.0/ below the data root""",
    "snli_hard": """\
SNLI-hard, 3,261 rows, CC BY-SA 4.0 (Gururangan et al. 2018):
  1. download https://nlp.stanford.edu/projects/snli/snli_1.0_test_hard.jsonl
  2. put it into snli_hard/ below the data root""",
    "breaking_nli": """\
Breaking NLI, 8,193 rows, CC BY-SA 4.0 (Glockner et al. 2018):
  1. download breaking_nli_dataset.zip from https://github.com/BIU-NLP/Breaking_NLI
  2. put its data/dataset.jsonl into breaking_nli/ below the data root""",
    STRESS: """\
The NLI stress tests, licence not stated (Naik et al. 2018):
  1. download the zip file from the link "Stress Tests" on
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


def _make_manual_download(name, licence):
    """Returns a download of files without a permanent address or published checksum."""
    return Download(name, licence, by_hand=INSTRUCTIONS[name])


NLI_CORPORA = (
    Corpus(
        name="snli",
        task=NLI,
        read=READ_NLI,
        official_rows={"snli_1.0_dev.jsonl": 10_000, "snli_1.0_test.jsonl": 10_000},
        training_pairs=549_367,
        splits=list_splits("snli_1.0/snli_1.0_{}.jsonl", "train", "dev", "test"),
        downloads=(
            Download.from_file(
                name="snli",
                licence="CC BY-SA 4.0",
                url="https://nlp.stanford.edu/projects/snli/snli_1.0.zip",
                size=94_550_081,
                sha256="afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e",
                sha256_source=HF_CHECKSUMS.format("snli"),
            ),
        ),
    ),
    Corpus(
        name="multinli",
        task=NLI,
        read=READ_NLI,
        training_pairs=392_702,
        grouped=True,  # by genre
        splits=list_splits(
            "multinli_1.0/multinli_1.0_{}.jsonl", "train", "dev_matched"
        ),
        downloads=(
            Download.from_file(
                name="multinli",
                licence="OANC and others, see its paper",
                url="https://cims.nyu.edu/~sbowman/multinli/multinli_1.0.zip",
                size=226_850_426,
                sha256="049f507b9e36b1fcb756cfd5aeb3b7a0cfcb84bf023793652987f7e7e0957822",
                sha256_source=HF_CHECKSUMS.format("multi_nli"),
                mirrors=(
                    "https://www.nyu.edu/projects/bowman/multinli/multinli_1.0.zip",
                ),
            ),
            _make_manual_download("multinli_test", "OANC and others, see its paper"),
        ),
    ),
    Corpus(
        name="snli_hard",
        task=NLI,
        read=READ_NLI,
        official_rows={"snli_1.0_test_hard.jsonl": 3_261},
        splits={"test": "snli_hard/snli_1.0_test_hard.jsonl"},
        robustness=(RobustnessFile("snli_hard", "SNLI-hard", parsed=True),),
        downloads=(_make_manual_download("snli_hard", "CC BY-SA 4.0"),),
    ),
    Corpus(
        name="breaking_nli",
        task=NLI,
        read=READ_COLUMNS,
        grouped=True,  # by category
        splits={"test": "breaking_nli/dataset.jsonl"},
        official_rows={"dataset.jsonl": 8_193},
        settings={"columns": {"group": "category"}},
        robustness=(RobustnessFile("breaking_nli", "Breaking NLI"),),
        downloads=(_make_manual_download("breaking_nli", "CC BY-SA 4.0"),),
    ),
    Corpus(
        name="hans",
        task=TWO_WAY_NLI,
        read=READ_COLUMNS,
        grouped=True,  # by heuristic
        official_rows={
            "heuristics_train_set.txt": 30_000,
            "heuristics_evaluation_set.txt": 30_000,
        },
        splits=list_splits("hans/heuristics_{}_set.txt", "train", test="evaluation"),
        settings={
            "columns": {
                "group": "heuristic",
                "premise_parse": "sentence1_binary_parse",
                "hypothesis_parse": "sentence2_binary_parse",
            }
        },
        robustness=(RobustnessFile("hans", "HANS", parsed=True, by_label=True),),
        downloads=(
            Download.from_file(
                name="hans",
                licence="MIT",
                url="https://raw.githubusercontent.com/tommccoy1/hans/master/"
                "heuristics_evaluation_set.txt",
                size=15_462_062,
                sha256="c55b62feef9913070e88f38938dc2492018c945ac81f70139346472494124e79",
                sha256_source=HF_CHECKSUMS.format("hans"),
                folder="hans",
                unpack=False,
            ),
        ),
    ),
    Corpus(
        name=STRESS,
        task=NLI,
        read=READ_COLUMNS,  # without the parses, which do not match the texts
        robustness=tuple(_list_stress_tests()),
        downloads=(_make_manual_download(STRESS, "not stated"),),
    ),
    Corpus(
        name="cad",
        task=NLI,
        read=READ_COLUMNS,
        settings={"file_format": "quoted table"},
        robustness=tuple(
            RobustnessFile(f"cad_revised_{text}", f"CAD, revised {text}", file)
            for text, file in (
                ("premise", "cad/revised_premise/test.tsv"),
                ("hypothesis", "cad/revised_hypothesis/test.tsv"),
            )
        ),
        downloads=(_make_manual_download("cad", "not stated"),),
    ),
    Corpus(
        name="anli",
        task=NLI,
        read=READ_COLUMNS,
        splits=list_splits("anli_v1.0/R3/{}.jsonl", "train", "dev", "test"),
        settings={
            "columns": {
                "premise": "context",
                "hypothesis": "hypothesis",
                "label": "label",
                "id": "uid",
            },
            "labels": {"e": "entailment", "n": "neutral", "c": "contradiction"},
        },
        robustness=tuple(
            RobustnessFile(
                f"anli_r{n}", f"ANLI, round {n}", f"anli_v1.0/R{n}/test.jsonl"
            )
            for n in (1, 2, 3)
        ),
        downloads=(
            Download.from_file(
                name="anli",
                licence="CC BY-NC 4.0",
                url="https://dl.fbaipublicfiles.com/anli/anli_v1.0.zip",
                size=18_708_061,
                sha256="e5c058f2bb4e6190b0651badca2c590e45db95248f8b28cde674615ee40820bf",
                sha256_source="public projects that pin this file of "
                "dl.fbaipublicfiles.com",
            ),
        ),
    ),
    Corpus(
        name="scitail",
        task=TWO_WAY_NLI,
        read="dsa.data.corpora.nli:read_scitail",
        official_rows={"scitail_1.0_test.tsv": 2_126},
        splits=list_splits(
            "SciTailV1.1/tsv_format/scitail_1.0_{}.tsv", "train", "dev", "test"
        ),
        robustness=(RobustnessFile("scitail", "SciTail"),),
        downloads=(
            Download.from_file(
                name="scitail",
                licence="not stated",
                url=f"https://ai2-public-datasets.{S3}/scitail/SciTailV1.1.zip",
                size=14_174_621,
                sha256="3fccd37350a94ca280b75998568df85fc2fc62843a3198d644fcbf858e6943d5",
                sha256_source=HF_CHECKSUMS.format("scitail"),
                mirrors=(f"http://data.allenai.org.{S3}/downloads/SciTailV1.1.zip",),
            ),
        ),
    ),
    Corpus(
        name="xnli_en",
        task=NLI,
        read=READ_COLUMNS,
        grouped=True,  # by genre
        official_rows={"xnli.dev.tsv": 2_490, "xnli.test.tsv": 5_010},
        splits=list_splits("XNLI-1.0/xnli.{}.tsv", dev="dev", test="test"),
        settings={"columns": {"group": "genre"}, "only": {"language": "en"}},
        robustness=(RobustnessFile("xnli_en", "XNLI, English"),),
        downloads=(
            Download.from_file(
                name="xnli",
                licence="CC BY-NC 4.0",
                url="https://dl.fbaipublicfiles.com/XNLI/XNLI-1.0.zip",
                size=17_865_352,
                sha256="4ba1d5e1afdb7161f0f23c66dc787802ccfa8a25a3ddd3b165a35e50df346ab1",
                sha256_source=HF_CHECKSUMS.format("xnli"),
            ),
        ),
    ),
)
