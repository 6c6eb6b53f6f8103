"""The bundled mini corpus: its files, its labels, and what surface cues can tell."""

import gzip
import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier

FOLDER = Path(__file__).resolve().parents[2] / "data" / "mini"
SPLITS = ("train", "dev", "test")
LABELS = ("entailment", "neutral", "contradiction")
DSA_ACCURACY = 0.90  # what configs/mini/dsa.yaml reaches on test, at least


def load_generator():
    """`data/mini/generate.py` as a module; it imports its neighbors by name."""
    path = FOLDER / "generate.py"
    spec = importlib.util.spec_from_file_location("mini_generate", path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(FOLDER))
    try:
        spec.loader.exec_module(module)
        import lexicon
        import semantics
    finally:
        sys.path.remove(str(FOLDER))
    return module, lexicon, semantics


generate, lexicon, semantics = load_generator()
Clause, Phrase = semantics.Clause, semantics.Phrase


def read_text(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read()


@pytest.fixture(scope="module")
def corpus():
    texts = {split: read_text(FOLDER / f"{split}.jsonl.gz") for split in SPLITS}
    return {
        split: [json.loads(line) for line in text.splitlines()]
        for split, text in texts.items()
    }


def words(sentence):
    return sentence.lower().rstrip(".").replace(",", "").split()


# The files


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_script_writes_the_bundled_text_again(split):
    bundled = read_text(FOLDER / f"{split}.jsonl.gz")
    assert generate.as_jsonl(generate.generate_split(13, split)).decode() == bundled


def test_the_first_train_triples_are_those_of_the_script(corpus):
    # The whole train file takes a minute; its short rows come first, before shuffling.
    bundled = {(row["sentence1"], row["sentence2"]) for row in corpus["train"]}
    rows = generate.draw_rows(13, "train", triples=100, long=0)
    assert len(rows) == 300
    assert all((row["sentence1"], row["sentence2"]) in bundled for row in rows)


def test_another_seed_writes_another_text():
    first, second = (generate.draw_rows(n, "dev", 5, 0) for n in (13, 14))
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


# Held-out combinations, read from the sentences and not from the generator


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
    generate.draw_rows(13, split, triples=40, long=10)
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


# The semantics


def clause(text):
    """`no big dog chase a cat in park` -> Clause, enough for the cases below."""
    text, _, place = text.partition(" in ")
    tokens, phrases, verb, negated = text.split(), [], None, False
    for token in tokens:
        if token in ("a", "the", "two", "every", "no"):
            phrases.append([token, None, ()])
        elif token in lexicon.ADJECTIVES:
            phrases[-1][2] += (token,)
        elif token in lexicon.NOUNS:
            phrases[-1][1] = token
        elif token == "not":
            negated = True
        elif token in lexicon.VERBS:
            verb = token
        else:
            raise ValueError(f"not a word of the mini corpus: {token}")
    return Clause(*(_arguments(phrases, verb, place or None)), negated)


def _arguments(phrases, verb, place):
    agent, *patients = (Phrase(*phrase) for phrase in phrases)
    return agent, verb, patients[0] if patients else None, place


CASES = [
    # the same, and a wider or narrower word
    ("a dog chase a cat", "a dog chase a cat", "entailment"),
    ("a dog chase a cat", "an animal follow a pet", "entailment"),
    ("an animal chase a cat", "a dog chase a cat", "neutral"),
    ("a dog follow a cat", "a dog chase a cat", "neutral"),
    ("a dog chase a cat", "a horse chase a cat", "contradiction"),
    ("a dog chase a cat", "a dog feed a cat", "contradiction"),
    # roles
    ("a dog chase a cat", "a cat chase a dog", "contradiction"),
    ("a pet chase an animal", "an animal chase a pet", "neutral"),
    # modifiers
    ("a tiny dog sleep", "a dog sleep", "entailment"),
    ("a dog sleep", "a small dog sleep", "neutral"),
    ("a tiny dog sleep", "a small dog sleep", "entailment"),
    ("a small dog sleep", "a tiny dog sleep", "neutral"),
    ("a small dog sleep", "a big dog sleep", "contradiction"),
    ("a big dog chase a sad cat", "a sad dog chase a big cat", "neutral"),
    ("a big dog chase a tiny cat", "a tiny dog chase a big cat", "contradiction"),
    # places
    ("a dog sleep in park", "a dog sleep", "entailment"),
    ("a dog sleep in park", "a dog sleep in outside", "entailment"),
    ("a dog sleep", "a dog sleep in park", "neutral"),
    ("a dog sleep in park", "a dog sleep in barn", "contradiction"),
    # quantifiers
    ("two dog sleep", "a dog sleep", "entailment"),
    ("a dog sleep", "two dog sleep", "contradiction"),
    ("every dog sleep", "a dog sleep", "entailment"),
    ("every dog sleep", "two dog sleep", "neutral"),
    ("a dog sleep", "every dog sleep", "neutral"),
    ("every pet sleep", "every dog sleep", "entailment"),
    ("every dog sleep", "every pet sleep", "neutral"),
    ("every dog sleep", "every small dog sleep", "entailment"),
    ("two dog sleep", "every cat sleep", "contradiction"),
    # negation
    ("a small dog sleep", "no dog sleep", "contradiction"),
    ("a dog sleep", "no cat sleep", "entailment"),
    ("a dog sleep", "no small dog sleep", "neutral"),
    ("a dog chase a cat", "the cat not chase the dog", "entailment"),
    ("no pet sleep", "no dog sleep", "entailment"),
    ("no dog sleep", "no pet sleep", "neutral"),
    ("no dog sleep", "a tiny dog sleep", "contradiction"),
    ("no dog sleep", "a pet sleep", "neutral"),
    ("the dog not sleep", "every dog sleep", "contradiction"),
    ("the dog not chase the cat", "a cat chase a dog", "neutral"),
    # several clauses
    ("a dog run; a cat sleep", "a cat sleep", "entailment"),
    ("a dog run; a cat sleep", "a dog sleep", "contradiction"),
    ("a dog run; a cat sleep", "a cat sleep; a dog travel", "entailment"),
    ("a dog run; a pet sleep", "a dog sleep", "neutral"),
    ("the dog not run; a cat sleep", "a dog run", "contradiction"),
]


def sentence(text):
    return tuple(clause(part.replace("an ", "a ")) for part in text.split("; "))


@pytest.mark.parametrize("premise, hypothesis, label", CASES)
def test_the_relation_of(premise, hypothesis, label):
    assert semantics.relation(sentence(premise), sentence(hypothesis)) == label


def test_half_of_the_triples_hold_the_same_words_in_all_three_premises():
    rows = generate.draw_rows(13, "dev", triples=150, long=0)
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


# What surface cues can tell


def hypothesis_only_accuracy(train, test):
    """Unigrams and bigrams of the hypothesis, logistic regression."""
    vectorizer = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\S+")
    features = vectorizer.fit_transform(row["sentence2"] for row in train)
    model = LogisticRegression(max_iter=200)
    model.fit(features, [row["gold_label"] for row in train])
    features = vectorizer.transform(row["sentence2"] for row in test)
    return model.score(features, [row["gold_label"] for row in test])


def bag_of_words_features(row):
    """Words of each side, of both and of one only, their number, cross products."""
    premise, hypothesis = (set(words(row[f"sentence{k}"])) for k in (1, 2))
    missing = sorted(hypothesis - premise)
    features = {f"missing words: {len(missing)}": 1}
    features["overlap"] = 1 - len(missing) / len(hypothesis)
    features["extra words"] = len(premise - hypothesis) / 20
    groups = {
        "premise": premise,
        "hypothesis": hypothesis,
        "both": premise & hypothesis,
        "premise only": premise - hypothesis,
        "hypothesis only": missing,
    }
    for name, group in groups.items():
        features |= {f"{name}: {word}": 1 for word in group}
    features |= {f"{p} x {h}": 1 for p in premise for h in missing}
    return features


def bag_of_words_pair_accuracy(train, test):
    """The best linear classifier of `bag_of_words_features` (strengths tried)."""
    vectorizer = DictVectorizer()
    vectorizer.fit(bag_of_words_features(row) for row in train)
    features, test_features = (
        vectorizer.transform(bag_of_words_features(row) for row in split)
        for split in (train, test)
    )
    for matrix in (features, test_features):  # SGDClassifier takes no 64-bit indices
        matrix.indices = matrix.indices.astype("int32")
        matrix.indptr = matrix.indptr.astype("int32")
    labels, test_labels = ([row["gold_label"] for row in s] for s in (train, test))
    scores = []
    for strength in (3e-5, 1e-4, 3e-4, 1e-3):
        model = SGDClassifier(
            loss="log_loss",
            alpha=strength,
            average=True,
            max_iter=15,
            tol=None,
            random_state=0,
        )
        scores.append(model.fit(features, labels).score(test_features, test_labels))
    return max(scores)


def test_a_hypothesis_alone_says_nothing_about_the_label(corpus):
    assert hypothesis_only_accuracy(corpus["train"], corpus["test"]) < 0.45


def test_the_probe_of_hypotheses_finds_a_cue_where_there_is_one(corpus):
    rows = [
        {**row, "gold_label": "cue" if "two" in words(row["sentence2"]) else "none"}
        for row in corpus["dev"]
    ]
    assert hypothesis_only_accuracy(rows[:600], rows[600:]) > 0.9


def test_bags_of_words_stay_ten_points_below_dsa(corpus):
    accuracy = bag_of_words_pair_accuracy(corpus["train"], corpus["test"])
    assert 0.40 < accuracy <= DSA_ACCURACY - 0.10
