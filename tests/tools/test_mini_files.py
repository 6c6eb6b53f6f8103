"""Reproducibility and content of the files of the bundled mini corpus."""

import json
from collections import Counter

import pytest

from tests.support.mini_corpus import (
    FOLDER,
    SPLITS,
    generate,
    lengths,
    lexicon,
    mini_corpus,
    read_text,
    words,
)

LABELS = ("entailment", "neutral", "contradiction")


@pytest.fixture(scope="module")
def corpus():
    return mini_corpus()


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_script_writes_the_bundled_text_again(split):
    bundled = read_text(FOLDER / f"{split}.jsonl.gz")
    assert generate.as_jsonl(generate.generate_split(13, split)).decode() == bundled


def test_the_first_train_triples_are_those_of_the_script(corpus):
    # The whole train file takes a minute; its short rows come first, before shuffling.
    bundled = {(row["sentence1"], row["sentence2"]) for row in corpus["train"]}
    rows = generate.draw_rows(13, "train", ["short"] * 100)
    assert len(rows) == 300
    assert all((row["sentence1"], row["sentence2"]) in bundled for row in rows)


def test_another_seed_writes_another_text():
    first, second = (generate.draw_rows(n, "dev", ["short"] * 5) for n in (13, 14))
    assert first != second


def test_main_writes_gzip_files_without_time_or_name(tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "TRIPLES", {"train": 10, "dev": 5, "test": 5})
    generate.main(["--out", str(tmp_path / "one")])
    generate.main(["--out", str(tmp_path / "two")])
    for split in SPLITS:
        data = (tmp_path / "one" / f"{split}.jsonl.gz").read_bytes()
        assert data == (tmp_path / "two" / f"{split}.jsonl.gz").read_bytes()
        assert data[3] == 0 and data[4:8] == bytes(4)  # no name flag, time 0


def test_every_row_has_the_fields_of_snli(corpus):
    for split, rows in corpus.items():
        for number, row in enumerate(rows):
            assert set(row) == {
                "gold_label",
                "sentence1",
                "sentence2",
                "pairID",
                "genre",
                "annotator_labels",
            }
            assert row["pairID"] == f"mini-{split}-{number:06d}"
            assert row["annotator_labels"] == [row["gold_label"]]
            for sentence in (row["sentence1"], row["sentence2"]):
                assert sentence[0].isupper() and sentence.endswith(".")


def test_the_labels_are_balanced_overall_and_in_each_genre(corpus):
    for rows in corpus.values():
        for genre in ("short", "long"):
            counts = Counter(r["gold_label"] for r in rows if r["genre"] == genre)
            for label in LABELS:
                assert counts[label] / counts.total() == pytest.approx(1 / 3, abs=0.02)


def test_a_fifth_of_the_pairs_is_long(corpus):
    for rows in corpus.values():
        lengths = {"long": [], "short": []}
        for row in rows:
            lengths[row["genre"]].append(len(words(row["sentence1"])))
        assert len(lengths["long"]) / len(rows) == pytest.approx(0.2, abs=0.01)
        assert min(lengths["long"]) >= 25 and max(lengths["long"]) <= 60
        assert max(lengths["short"]) < 25
        long_hypotheses = [r for r in rows if len(words(r["sentence2"])) >= 25]
        assert 0.02 < len(long_hypotheses) / len(rows) < 0.15
        assert all(len(words(row["sentence2"])) <= 60 for row in long_hypotheses)


def test_the_vocabulary_is_small_and_train_has_every_word(corpus):
    seen = {
        split: {w for r in rows for k in (1, 2) for w in words(r[f"sentence{k}"])}
        for split, rows in corpus.items()
    }
    assert 100 <= len(seen["train"]) <= 250
    assert seen["dev"] <= seen["train"] and seen["test"] <= seen["train"]


def test_no_sentence_of_dev_or_test_is_in_train(corpus):
    sentences = {
        split: {row[key] for row in rows for key in ("sentence1", "sentence2")}
        for split, rows in corpus.items()
    }
    assert not sentences["train"] & (sentences["dev"] | sentences["test"])
    assert not sentences["dev"] & sentences["test"]


def adjective_noun_pairs(sentence):
    tokens = words(sentence)
    adjectives = lexicon.ADJECTIVES
    nouns = {noun: noun for noun in lexicon.NOUNS}
    nouns |= {lexicon.plural(noun): noun for noun in lexicon.NOUNS}
    pairs = zip(tokens, tokens[1:], strict=False)
    return {(a, nouns[n]) for a, n in pairs if a in adjectives and n in nouns}


def test_train_never_shows_a_held_out_adjective_noun_pair(corpus):
    shown = set()
    for row in corpus["train"]:
        shown |= adjective_noun_pairs(row["sentence1"] + " " + row["sentence2"])
    assert len(shown) > 150
    assert all(generate.held_out(("adjective-noun", *p)) == "train" for p in shown)
    asked = set()
    for row in corpus["test"]:
        asked |= adjective_noun_pairs(row["sentence1"] + " " + row["sentence2"])
    assert len(asked - shown) >= 15


@pytest.mark.parametrize("split", SPLITS)
def test_each_sentence_keeps_to_the_combinations_of_its_split(split, monkeypatch):
    made = []
    original = generate.random_triple

    def recorded(*arguments):
        made.append(original(*arguments))
        return made[-1]

    monkeypatch.setattr(generate, "random_triple", recorded)
    generate.draw_rows(13, split, ["short"] * 30 + ["long"] * 10)
    for hypothesis, premises in made:
        for sentence in (hypothesis, *premises.values()):
            homes = {generate.held_out(c) for k in sentence for c in combined(k)}
            if split == "train":
                assert homes == {"train"}
            else:
                assert split in homes
                assert split == "test" or "test" not in homes


def combined(clause):
    """Written again by hand: noun-verb, adjective-noun and noun-noun."""
    phrases = [clause.agent] + ([clause.patient] if clause.patient else [])
    for phrase in phrases:
        yield "noun-verb", phrase.noun, clause.verb
        for adjective in phrase.adjectives:
            yield "adjective-noun", adjective, phrase.noun
    if len(phrases) == 2:
        yield "noun-noun", *sorted(phrase.noun for phrase in phrases)


def test_half_of_the_triples_hold_the_same_words_in_all_three_premises():
    rows = generate.draw_rows(13, "dev", ["short"] * 150)
    same = 0
    for start in range(0, len(rows), 3):
        bags = [
            Counter(w for w in words(row["sentence1"]) if w not in ("and", "while"))
            for row in rows[start : start + 3]
        ]
        same += singular(bags[0]) == singular(bags[1]) == singular(bags[2])
    assert 0.35 < same / 150 < 0.65


def singular(bag):
    """A bag of words without number and articles (`a dog` against `two dogs`)."""
    forms = {lexicon.plural(noun): noun for noun in lexicon.NOUNS}
    forms |= {lexicon.third_person(v): v for v in lexicon.VERBS} | {"an": "a"}
    counts = Counter()
    for word, count in bag.items():
        counts[forms.get(word, word)] += count
    return counts


@pytest.mark.parametrize("genre", generate.WORDS)
def test_a_test_file_of_a_length_has_premises_of_that_length(genre):
    rows = lengths.draw_length(36, genre, triples=10)
    low, high = generate.WORDS[genre]
    assert all(low <= len(row["sentence1"].split()) <= high for row in rows)
    assert Counter(row["gold_label"] for row in rows) == dict.fromkeys(LABELS, 10)
    assert {row["genre"] for row in rows} == {genre}
    assert rows != lengths.draw_length(37, genre, triples=10)


def test_the_files_of_the_lengths_train_on_short_pairs_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(lengths, "TRIPLES", 4)
    lengths.main(["--out", str(tmp_path)])
    files = {path.name.split(".")[0]: path for path in tmp_path.iterdir()}
    assert set(files) == {"train", "dev", *generate.WORDS}
    for split, count in (("train", 24_000), ("dev", 801)):
        rows = [json.loads(line) for line in read_text(files[split]).splitlines()]
        assert {row["genre"] for row in rows} == {"short"}
        assert len(rows) == count
    assert len(read_text(files["longer"]).splitlines()) == 12
