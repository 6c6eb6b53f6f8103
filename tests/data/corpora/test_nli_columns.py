"""NLI corpora whose columns and labels have other names than SNLI's."""

import pytest

from dsa.data.corpora.catalogue import CORPORA
from dsa.data.prepared.corpus import prepare
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
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
    read,
    write,
)


def test_breaking_nli_is_grouped_by_category(tmp_path):
    path = write(tmp_path, "dataset.jsonl", BREAKING, {**BREAKING, "category": "rooms"})
    first, second = read("breaking_nli", path)
    assert first.texts == (BREAKING["sentence1"], BREAKING["sentence2"])
    assert (first.label, first.id, first.row) == ("contradiction", "8", 1)
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


def test_only_the_english_rows_of_xnli_are_read(tmp_path):
    lines = [
        XNLI.format(language, number)
        for language in ("fr", "en", "de", "en")
        for number in (1, 2)
    ]
    examples = read("xnli_en", write(tmp_path, "x.tsv", XNLI_HEADER, *lines))
    assert [example.row for example in examples] == [3, 4, 7, 8]
    assert examples[0].texts == ("Well, I wasn't even thinking.", "I have spoken.")
    assert (examples[0].id, examples[0].group) == ("1", "facetoface")
    assert examples[0].parses is None  # they are empty in the file


def test_xnli_without_english_has_no_rows(tmp_path):
    path = write(tmp_path, "x.tsv", XNLI_HEADER, XNLI.format("fr", 1))
    with pytest.raises(InputError, match=r"x\.tsv: the file contains no rows"):
        read("xnli_en", path)


def test_scitail_has_no_header_and_no_quoting(tmp_path):
    neutral = SCITAIL.replace("entails", "neutral")
    first, second = read("scitail", write(tmp_path, "s.tsv", SCITAIL, neutral))
    assert first.texts == (
        'Based on "food chains", plants make food.',
        "Plants make food.",
    )
    assert (first.label, second.label) == ("entailment", "non-entailment")
    assert (first.row, first.id) == (1, None)


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


def test_a_truncated_official_file_raises_an_error(tmp_path):
    path = write(tmp_path, "heuristics_evaluation_set.txt", HANS_HEADER, HANS)
    with pytest.raises(
        InputError, match="rows, as in the official file of this name. Received: 1"
    ):
        prepare(path, CORPORA["hans"], Tokenizer())
