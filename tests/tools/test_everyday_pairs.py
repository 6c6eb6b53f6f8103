"""Sixty everyday pairs, and the predictions of a model for them."""

import collections
import zipfile

import pytest

import dsa
from dsa.errors import InputError
from dsa.hub.fetching import find_run
from dsa.hub.shared_files import CARD
from tools import everyday_pairs, release_file
from tools.everyday_pairs import format_report, read_everyday_pairs

LABELS = {"entailment", "neutral", "contradiction"}


def test_sixty_different_pairs_are_balanced_in_each_group():
    pairs = read_everyday_pairs()
    texts = {text for pair in pairs for text in (pair["premise"], pair["hypothesis"])}
    assert len(texts) == 120 and all(text.endswith(".") for text in texts)
    assert {tuple(pair) for pair in pairs} == {
        ("group", "premise", "hypothesis", "label")
    }
    groups = collections.Counter(pair["group"] for pair in pairs)
    assert list(groups.values()) == [10] * 6
    for name in groups:
        labels = [pair["label"] for pair in pairs if pair["group"] == name]
        assert {*labels} == LABELS
        assert {*collections.Counter(labels).values()} == {3, 4}
    assert {*collections.Counter(pair["label"] for pair in pairs).values()} == {20}


def test_the_report_counts_correct_predictions_and_lists_the_others(tmp_path, capsys):
    assert everyday_pairs.main(["snli", "--out", str(tmp_path / "a.md")]) == 0
    report = (tmp_path / "a.md").read_text()
    assert capsys.readouterr().out == report
    counts, errors = report.rstrip("\n").split("\n\n")
    pairs = read_everyday_pairs()
    answers = dsa.load("snli").predict([(p["premise"], p["hypothesis"]) for p in pairs])
    wrong = [
        f"| {p['group']} | {p['premise']} | {p['hypothesis']} | {p['label']} | "
        f"{answer.label} |"
        for p, answer in zip(pairs, answers, strict=True)
        if p["label"] != answer.label
    ]
    assert errors.splitlines()[2:] == wrong
    *groups, whole = [
        line.split(" | ")[1].split()[0] for line in counts.splitlines()[2:]
    ]
    assert int(whole) == sum(map(int, groups)) == 60 - len(wrong)


def test_a_model_with_other_labels_is_an_error(tmp_path):
    rows = [
        f"a red bird {n},a {'red' if n % 2 else 'blue'} bird,{n % 2}" for n in range(20)
    ]
    (tmp_path / "pairs.csv").write_text("\n".join(["premise,hypothesis,label", *rows]))
    (tmp_path / "linear.yaml").write_text(
        "data:\n"
        "  corpus: own\n"
        "  columns: {premise: premise, hypothesis: hypothesis, label: label}\n"
        "  labels: [0, 1]\n"
        "  train: pairs.csv\n"
        "  dev_share: 0.2\n"
        "model: {name: features}\n"
    )
    dsa.train(tmp_path / "linear.yaml", tmp_path / "run", data_root=tmp_path)
    message = "run: expected a model with the labels contradiction, entailment, neutral"
    with pytest.raises(InputError, match=message):
        format_report(tmp_path / "run")


def test_a_model_card_includes_the_report(tmp_path):
    file = tmp_path / "a.zip"
    arguments = [str(find_run("mini")), str(file), "--terms", "none"]
    assert release_file.main([*arguments, "--everyday-pairs"]) == 0
    with zipfile.ZipFile(file) as packed:
        card = packed.read(CARD).decode()
    assert "## Sixty everyday English pairs" in card and format_report("mini") in card


def test_the_card_of_snli_lists_its_errors():
    assert format_report("snli") in (find_run("snli") / CARD).read_text()
