"""Rows made in the published formats: no file of these corpora is here."""

import dataclasses
import gzip
import json

import pytest

from dsa.data.corpora.catalogue import CORPORA
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError

# README of BIU-NLP/Breaking_NLI, "Fields"
BREAKING = {
    "sentence1": "The man is holding a saxophone .",
    "category": "instruments",
    "gold_label": "contradiction",
    "annotator_labels": ["contradiction", "contradiction", "neutral"],
    "pairID": 8,
    "sentence2": "The man is holding an electric guitar .",
}
# src/dataset_tools/format_convert.py of facebookresearch/anli reads these fields
ANLI = {
    "uid": "c5fbe5a5",
    "context": "The Parma trolleybus system serves the city of Parma.",
    "hypothesis": "Parma has trolleybuses.",
    "label": "e",
    "model_label": "n",
    "emturk": True,
    "genre": "wikipedia",
    "reason": "It says so.",
    "tag": "",
}
# README of tommccoy1/hans, "Data", in the order of the file
HANS_HEADER = (
    "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\t"
    "sentence2_parse\tsentence1\tsentence2\tpairID\theuristic\tsubcase\ttemplate"
)
HANS = (
    "non-entailment\t( ( The doctor ) ( saw it ) )\t( It ( saw ( the doctor ) ) )\t"
    "(ROOT (S (X The doctor saw it)))\t(ROOT (S (X It saw the doctor)))\t"
    "The doctor saw it .\tIt saw the doctor .\tex0\tlexical_overlap\t"
    "ln_subject/object_swap\ttemp1"
)
# the header of xnli.test.tsv; parses are empty
XNLI_HEADER = (
    "language\tgold_label\tsentence1_binary_parse\tsentence2_binary_parse\t"
    "sentence1_parse\tsentence2_parse\tsentence1\tsentence2\tpromptID\tpairID\tgenre\t"
    "label1\tlabel2\tlabel3\tlabel4\tlabel5\tsentence1_tokenized\t"
    "sentence2_tokenized\tmatch"
)
XNLI = (
    "{}\tneutral\t\t\t\t\tWell, I wasn't even thinking.\tI have spoken.\t1\t{}\t"
    "facetoface\tneutral\tneutral\tneutral\tneutral\tentailment\tWell , I\tI\tTrue"
)
# tsv_format of SciTailV1.1: premise, hypothesis, label, no header, no quoting
SCITAIL = 'Based on "food chains", plants make food.\tPlants make food.\tentails'
# NLI/revised_premise/test.tsv of acmi-lab's repository: quoted where a text has quotes
CAD = (
    "sentence1\tsentence2\tgold_label\n"
    "A kid slides down a slide.\tThe child slides into the pool.\tneutral\n"
    '"Officers with ""Politie"" on their jackets."\tThey wear clothes\tcontradiction\n'
)
# the files of the stress tests: MultiNLI's format, the parses as before the change
STRESS = {
    "gold_label": "neutral",
    "pairID": "31193n",
    "sentence1": "yeah",
    "sentence1_binary_parse": "yeah",
    "sentence2": "Yes and false is not true.",
    "sentence2_binary_parse": "Yes",
}


def write(folder, name, *lines):
    """A file of these lines; a dictionary becomes JSON."""
    text = "".join(
        f"{json.dumps(line) if isinstance(line, dict) else line}\n" for line in lines
    )
    path = folder / name
    path.write_bytes(
        gzip.compress(text.encode()) if name[-2:] == "gz" else text.encode()
    )
    return path


def read(corpus, path):
    return list(CORPORA[corpus].read_examples(path))


@pytest.mark.parametrize("name", ["dataset.jsonl", "dataset.jsonl.gz"])
def test_breaking_nli_is_grouped_by_category(tmp_path, name):
    path = write(tmp_path, name, BREAKING, {**BREAKING, "category": "rooms"})
    first, second = read("breaking_nli", path)
    assert first.texts == (BREAKING["sentence1"], BREAKING["sentence2"])
    assert (first.label, first.id, first.line) == ("contradiction", "8", 1)
    assert (first.group, second.group) == ("instruments", "rooms")


def test_anli_has_other_names_for_columns_and_labels(tmp_path):
    lines = [{**ANLI, "label": label} for label in ("e", "n", "c", "hidden")]
    examples = read("anli", write(tmp_path, "test.jsonl", *lines))
    labels = [example.label for example in examples]
    assert labels == ["entailment", "neutral", "contradiction", None]
    assert examples[0].texts == (ANLI["context"], ANLI["hypothesis"])
    assert (examples[0].id, examples[0].group) == ("c5fbe5a5", None)


def test_hans_has_two_labels_heuristics_and_parses(tmp_path):
    other = HANS.replace("non-entailment", "entailment").replace("ex0", "ex1")
    path = write(tmp_path, "evaluation.txt", HANS_HEADER, HANS, other)
    first, second = read("hans", path)
    assert first.texts == ("The doctor saw it .", "It saw the doctor .")
    assert (first.label, second.label) == ("non-entailment", "entailment")
    assert (first.id, first.group) == ("ex0", "lexical_overlap")
    assert first.parses[0] == "( ( The doctor ) ( saw it ) )"


def test_of_xnli_only_english_rows_are_read(tmp_path):
    lines = [
        XNLI.format(language, number)
        for language in ("fr", "en", "de", "en")
        for number in (1, 2)
    ]
    examples = read("xnli_en", write(tmp_path, "x.tsv", XNLI_HEADER, *lines))
    assert [example.line for example in examples] == [4, 5, 8, 9]
    assert examples[0].texts == ("Well, I wasn't even thinking.", "I have spoken.")
    assert (examples[0].id, examples[0].group) == ("1", "facetoface")
    assert examples[0].parses is None  # they are empty in the file


def test_xnli_without_english_has_no_rows(tmp_path):
    path = write(tmp_path, "x.tsv", XNLI_HEADER, XNLI.format("fr", 1))
    with pytest.raises(InputError, match=r"x\.tsv: no rows"):
        read("xnli_en", path)


def test_scitail_has_no_header_and_no_quoting(tmp_path):
    neutral = SCITAIL.replace("entails", "neutral")
    first, second = read("scitail", write(tmp_path, "s.tsv", SCITAIL, neutral))
    assert first.texts == (
        'Based on "food chains", plants make food.',
        "Plants make food.",
    )
    assert (first.label, second.label) == ("entailment", "non-entailment")
    assert (first.line, first.id) == (1, None)


def test_quotes_of_cad_are_read_as_its_authors_wrote_them(tmp_path):
    path = tmp_path / "test.tsv"
    path.write_text(CAD)
    first, second = read("cad", path)
    assert first.texts[0] == "A kid slides down a slide."
    assert second.texts[0] == 'Officers with "Politie" on their jackets.'
    assert (first.label, second.label) == ("neutral", "contradiction")


def test_stress_tests_are_read_without_their_old_parses(tmp_path):
    short = {name: STRESS[name] for name in ("gold_label", "sentence1", "sentence2")}
    path = write(tmp_path, "stress.jsonl", STRESS, short)
    first, second = read("nli_stress_tests", path)
    assert (first.id, second.id, first.parses) == ("31193n", None, None)
    assert first.texts == ("yeah", "Yes and false is not true.")


def test_snli_hard_has_snlis_format(tmp_path):
    path = write(tmp_path, "hard.jsonl", {**STRESS, "captionID": "x.jpg#1"})
    (example,) = read("snli_hard", path)
    assert example.parses == ("yeah", "Yes")


@pytest.mark.parametrize("label", ["-", "hidden"])
def test_rows_without_a_majority_are_kept_without_label(tmp_path, label):
    path = write(tmp_path, "d.jsonl", {**BREAKING, "gold_label": label})
    assert read("breaking_nli", path)[0].label is None
    path = write(tmp_path, "s.tsv", SCITAIL.replace("entails", label))
    assert read("scitail", path)[0].label is None


BROKEN = {
    "breaking without category": (
        "breaking_nli",
        "d.jsonl",
        [{key: BREAKING[key] for key in BREAKING if key != "category"}],
        r"d\.jsonl, line 1: 'category' \(group\) is missing",
    ),
    "breaking with a number as text": (
        "breaking_nli",
        "d.jsonl",
        [BREAKING, {**BREAKING, "sentence1": 3}],
        r"line 2: 'sentence1' is not a text",
    ),
    "breaking cut": (
        "breaking_nli",
        "d.jsonl",
        ['{"sentence1": "a'],
        "line 1: not JSON",
    ),
    "breaking with a list": ("breaking_nli", "d.jsonl", ["[]"], "not a JSON object"),
    "anli with SNLI's labels": (
        "anli",
        "t.jsonl",
        [{**ANLI, "label": "entailment"}],
        r"line 1: unknown label 'entailment'\. Known: e, n, c, and -, hidden for none",
    ),
    "anli with SNLI's columns": (
        "anli",
        "t.jsonl",
        [STRESS],
        r"line 1: 'context' \(premise\) is missing",
    ),
    "hans with a third label": (
        "hans",
        "h.txt",
        [HANS_HEADER, HANS.replace("non-entailment", "neutral")],
        r"line 2: unknown label 'neutral'\. Known: entailment, non-entailment, and -",
    ),
    "hans without heuristic": (
        "hans",
        "h.txt",
        [HANS_HEADER, "\t".join(HANS.split("\t")[:8])],
        r"line 2: 'heuristic' \(group\) is missing",
    ),
    "hans with more fields": (
        "hans",
        "h.txt",
        [HANS_HEADER, f"{HANS}\tmore"],
        "line 2: 12 fields, but the header names 11 columns",
    ),
    "hans without header": (
        "hans",
        "h.txt",
        [HANS],
        "line 1: a header line that names the columns sentence1 and sentence2",
    ),
    "xnli without languages": (
        "xnli_en",
        "x.tsv",
        ["gold_label\tsentence1\tsentence2\tgenre", "neutral\ta\tb\tx"],
        "line 2: 'language' is missing",
    ),
    "scitail in SNLI's format": (
        "scitail",
        "s.tsv",
        [STRESS],
        r"line 1: 'column 2' \(hypothesis\) is missing",
    ),
    "scitail with a tab more": (
        "scitail",
        "s.tsv",
        [SCITAIL, f"{SCITAIL}\t"],
        "line 2: 4 fields, but line 1 has 3",
    ),
    "scitail with a header": (
        "scitail",
        "s.tsv",
        ["premise\thypothesis\tlabel"],
        r"line 1: unknown label 'label'\. Known: entails, neutral, and -, hidden",
    ),
    "cad with an open quote": (
        "cad",
        "c.tsv",
        ["sentence1\tsentence2\tgold_label", '"a\tb\tneutral'],
        "line 2: unexpected end of data",
    ),
    "cad with a missing field": (
        "cad",
        "c.tsv",
        ["sentence1\tsentence2\tgold_label", "a\tneutral"],
        "line 2: 2 fields, but the header names 3 columns",
    ),
    "cad with a column twice": (
        "cad",
        "c.tsv",
        ["sentence1\tsentence1\tgold_label"],
        "line 1: a column is named twice",
    ),
    "cad without label": (
        "cad",
        "c.tsv",
        ["sentence1\tsentence2\tlabel", "a\tb\tneutral"],
        r"line 2: 'gold_label' \(label\) is missing",
    ),
    "stress test with half a surrogate pair": (
        "nli_stress_tests",
        "s.jsonl",
        [{**STRESS, "sentence2": "\ud800"}],
        "line 1: 'sentence2' is no Unicode text",
    ),
    "an empty file": ("hans", "h.txt", [], r"h\.txt: no rows"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_an_error_with_its_place(tmp_path, case):
    corpus, name, lines, message = BROKEN[case]
    with pytest.raises(InputError, match=message):
        read(corpus, write(tmp_path, name, *lines))


def test_an_official_file_that_is_cut_is_refused(tmp_path):
    path = write(tmp_path, "heuristics_evaluation_set.txt", HANS_HEADER, HANS)
    with pytest.raises(InputError, match="1 rows, the official file of this name has"):
        prepare(path, CORPORA["hans"], Tokenizer())


def test_other_columns_are_another_prepared_corpus(tmp_path):
    """The cache knows the settings of the reader."""
    path = write(tmp_path, "d.jsonl", {**BREAKING, "kind": "b"})
    corpus = CORPORA["breaking_nli"]
    columns = {**corpus.settings["columns"], "group": "kind"}
    other = dataclasses.replace(corpus, settings={"columns": columns})
    groups = [prepare(path, c, Tokenizer()).groups for c in (corpus, other, corpus)]
    assert groups == [["instruments"], ["b"], ["instruments"]]
