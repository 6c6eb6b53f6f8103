"""Surface cues do not predict the labels of the bundled mini corpus."""

import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier

from tests.support.mini_corpus import mini_corpus, words

DSA_ACCURACY = 0.90  # lower bound of configs/mini/dsa.yaml on test


@pytest.fixture(scope="module")
def corpus():
    return mini_corpus()


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


def test_a_hypothesis_alone_does_not_predict_the_label(corpus):
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
