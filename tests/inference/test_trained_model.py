import json
import shutil

import numpy as np
import pytest
import yaml

import dsa
from dsa.errors import InputError
from dsa.explanation import MapKind
from dsa.inference import corpus_inference
from tests.support.layer_checks import numpy_of
from tests.support.runs import SMALL_MODEL, write_frozen_experiment

pytestmark = pytest.mark.keras  # run on JAX in CI too

PAIR = ("A man sleeps.", "A man is awake.")
NEW = "The dog and the cat."


def test_a_prediction_is_a_label_and_the_probability_of_each(finished):
    (prediction,) = dsa.load(finished / "run").predict([PAIR])
    assert list(prediction.probabilities) == ["entailment", "neutral", "contradiction"]
    assert sum(prediction.probabilities.values()) == pytest.approx(1)
    assert prediction.probabilities[prediction.label] == max(
        prediction.probabilities.values()
    )


def test_no_pairs_have_no_predictions(finished):
    assert dsa.load(finished / "run").predict([]) == []


def test_a_sentence_has_one_vector_whatever_stands_beside_it(finished):
    trained = dsa.load(finished / "run")
    texts = ["A man sleeps.", NEW, "A " + "very " * 40 + "old man.", "Yes"]
    together = trained.encode(texts)
    assert together.shape == (4, 48) and together.dtype == np.float32
    alone = np.concatenate([trained.encode([text]) for text in texts])
    np.testing.assert_allclose(together, alone, rtol=1e-5, atol=1e-5)


def test_sentences_are_encoded_in_parts(finished, monkeypatch):
    """What Keras collects of a part is let go before the next one."""
    trained = dsa.load(finished / "run")
    texts = [f"a man {'very ' * (number % 7)}{number}" for number in range(60)]
    expected, parts = trained.encode(texts, batch_size=8), []
    monkeypatch.setattr(corpus_inference, "BATCHES_PER_PART", 2)
    predict = corpus_inference.predict_batches

    def record(model, batches, count):
        parts.append(count)
        return predict(model, batches, count)

    monkeypatch.setattr(corpus_inference, "predict_batches", record)
    np.testing.assert_array_equal(trained.encode(texts, batch_size=8), expected)
    assert parts == [2, 2, 2, 2]
    assert trained.encode([*texts, texts[0]], batch_size=8).shape == (61, 48)


def test_explain_names_tokens_attention_gates_and_pooling(finished):
    trained = dsa.load(finished / "run")
    look = trained.explain(*PAIR)
    assert look.tokens["premise"] == ("a", "man", "sleeps", ".")
    attention = look["premise.attention_forward"]
    assert attention.values.shape == (3, 4, 4)
    assert attention.kind is MapKind.TOKEN_OVER_TOKEN_BY_HEAD
    assert (attention.sentence, attention.direction) == ("premise", "forward")
    assert attention.looked_at == attention.tokens == look.tokens["premise"]
    assert look["hypothesis.gate_backward"].values.shape == (5, 12)
    (prediction,) = trained.predict([PAIR])
    assert look.answer.label == prediction.label
    assert look.answer.probabilities == pytest.approx(
        prediction.probabilities, rel=1e-4
    )


def test_a_sentence_alone_is_explained_as_in_a_pair(finished):
    trained = dsa.load(finished / "run")
    alone, pair = trained.explain_sentence(PAIR[0]), trained.explain(*PAIR)
    assert alone.tokens["sentence"] == ("a", "man", "sleeps", ".")
    assert len(alone) == 10 and len(pair) == 20
    for name, one in alone.items():
        in_pair = pair[f"premise.{name}"]
        np.testing.assert_allclose(one.values, in_pair.values, atol=1e-6)
        assert one.kind is in_pair.kind


@pytest.mark.parametrize("pair", [("", "b"), ("a", " \t")])
def test_an_empty_text_is_an_error(finished, pair):
    with pytest.raises(InputError, match="of row 1 is empty"):
        dsa.load(finished / "run").predict([pair])


def test_a_moved_run_predicts_the_same_without_its_corpus_or_vectors(
    finished_frozen, tmp_path
):
    before = dsa.load(finished_frozen / "run").predict([PAIR])
    shutil.copytree(finished_frozen / "run", tmp_path / "elsewhere")
    assert dsa.load(tmp_path / "elsewhere").predict([PAIR]) == before


@pytest.mark.slow
def test_a_run_with_frozen_rows_behind_trained_ones_looks_words_up(scripts, tmp_path):
    embedding = {"trainable": True, "outside": "frozen", "frequent_words": 6}
    config = write_frozen_experiment(
        tmp_path, model=SMALL_MODEL, training={"epochs": 1}
    )
    settings = yaml.safe_load(config.read_text())
    settings["embedding"] |= embedding
    config.write_text(yaml.safe_dump(settings))
    run = tmp_path / "run"
    arguments = [str(config), "--data-root", str(tmp_path), "--run", str(run)]
    assert scripts.train.main(arguments) == 0
    rows = json.loads((run / "environment.json").read_text())["frozen_rows"]
    assert rows > 0
    before = dsa.load(run).encode(["A dog ."])
    (tmp_path / "more.txt").write_text("unheard 9 9 -9 9\n")
    trained = dsa.load(run, vectors=tmp_path / "more.txt")
    apart = trained.encode(["unheard", "unseen"])
    assert np.abs(apart[0] - apart[1]).max() > 1e-3
    assert trained.model.embedding.frozen_rows == rows  # asking changes nothing
    larger = trained.with_words(["unheard"])
    assert larger.model.embedding.frozen_rows == rows + 1
    np.testing.assert_allclose(trained.encode(["A dog ."]), before, atol=1e-6)


def test_words_that_the_run_lacks_get_their_vectors_where_the_file_is(
    finished_frozen, tmp_path
):
    text = (finished_frozen / "vectors.txt").read_text()
    more = tmp_path / "more.txt"
    more.write_text(text + "zebra 3 -2 1 4\n")
    with_file = dsa.load(finished_frozen / "run", vectors=more)
    without = dsa.load(finished_frozen / "run", root=tmp_path)
    known, new = "A man.", "A zebra."
    np.testing.assert_allclose(with_file.encode([known]), without.encode([known]))
    size = len(with_file.vocabulary)
    assert np.abs(with_file.encode([new]) - without.encode([new])).max() > 1e-3
    assert len(with_file.vocabulary) == size
    np.testing.assert_allclose(
        with_file.encode([known]), without.encode([known]), rtol=1e-6
    )


def test_no_method_changes_a_model_and_with_words_returns_a_new_one(
    finished_frozen, tmp_path
):
    text = (finished_frozen / "vectors.txt").read_text()
    more = tmp_path / "more.txt"
    more.write_text(text + "zebra 3 -2 1 4\nokapi 1 2 1 4\n")
    trained = dsa.load(finished_frozen / "run", vectors=more)
    model, words = trained.model, list(trained.vocabulary.words)
    weights = [numpy_of(weight).copy() for weight in model.weights]
    larger = trained.with_words(["zebra", "nowhere", "man"])
    assert larger is not trained and "zebra" in larger.vocabulary
    assert "nowhere" not in larger.vocabulary
    trained.predict([("A zebra .", "An okapi .")])
    trained.encode(["An okapi ."])
    trained.explain("A zebra .", "A man .")
    assert trained.model is model and trained.vocabulary.words == words
    for weight, before in zip(model.weights, weights, strict=True):
        np.testing.assert_array_equal(numpy_of(weight), before)
    more.unlink()  # words that were looked up are cached
    assert trained.with_words(["zebra"]) is not trained.with_words(["zebra"])
    assert trained.with_words(["man", "nowhere"]) is trained


def test_trained_vectors_take_none_from_a_file(finished, finished_frozen):
    with pytest.raises(InputError, match="trained its word vectors"):
        dsa.load(finished / "run", vectors=finished_frozen / "vectors.txt")


def _edit_environment(run, **changes):
    path = run / "environment.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def _edit_config(run, section, **changes):
    path = run / "config.yaml"
    config = yaml.safe_load(path.read_text())
    config[section].update(changes)
    path.write_text(yaml.safe_dump(config))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda r: shutil.rmtree(r), "no such run folder"),
        (lambda r: (r / "config.yaml").unlink(), "config.yaml is missing"),
        (lambda r: (r / "best.weights.h5").unlink(), "best.weights.h5 is missing"),
        (lambda r: (r / "vocabulary.txt").unlink(), "vocabulary.txt is missing"),
        (lambda r: (r / "vocabulary.txt").write_text("a\na\n"), "must be distinct"),
        (
            lambda r: (r / "vocabulary.txt").write_text("a\n"),
            "ids, as in training. Received: 3",
        ),
        (lambda r: (r / "environment.json").write_text("{"), "not JSON"),
        (lambda r: _edit_environment(r, run_format=2), "written in run format 2"),
        (
            lambda r: _edit_config(r, "model", units=24),
            "the weights do not match the model",
        ),
        (lambda r: _edit_config(r, "model", unitz=24), "unknown key 'model.unitz'"),
        (
            lambda r: (r / "best.weights.h5").write_bytes(b"no weights"),
            "the weights do not match the model",
        ),
        (
            lambda r: (r / "best.weights.h5").write_bytes(
                (r / "best.weights.h5").read_bytes()[:-999]
            ),
            "the weights do not match the model",
        ),
    ],
)
def test_a_damaged_run_is_an_error_that_says_what_is_wrong(run_copy, damage, message):
    damage(run_copy)
    (run_copy / "sha256.json").unlink(missing_ok=True)
    with pytest.raises(InputError, match=message):
        dsa.load(run_copy)


@pytest.mark.slow
def test_a_sentence_of_one_word_is_encoded_without_a_warning(finished, recwarn):
    dsa.load(finished / "run").encode(["word"])
    assert not [each for each in recwarn if "softmax" in str(each.message)]


def test_probabilities_have_a_column_for_each_sorted_label(finished):
    """scikit-learn's metrics expect sorted labels, and SNLI's order is another one."""
    model = dsa.load(finished / "run")
    rows = [PAIR, (NEW, "A dog.")]
    probabilities = model.predict_proba(rows)
    assert model.classes_.tolist() == ["contradiction", "entailment", "neutral"]
    assert probabilities.shape == (2, 3) and probabilities.dtype == np.float64
    for row, prediction in zip(probabilities, model.predict(rows), strict=True):
        named = dict(zip(model.classes_, row, strict=True))
        assert named == pytest.approx(prediction.probabilities)
    assert model.predict_proba([]).shape == (0, 3)


def test_probabilities_work_with_the_metrics_of_scikit_learn(finished):
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import log_loss, precision_recall_curve, roc_auc_score

    model = dsa.load(finished / "run")
    rows = [PAIR, (NEW, "A dog."), ("A dog runs.", "A dog."), ("A cat.", "No cat.")]
    gold = np.array(["contradiction", "entailment", "neutral", "contradiction"])
    probabilities = model.predict_proba(rows)
    rank = [sorted(model.classes_).index(label) for label in gold]
    loss = -np.log(probabilities[range(4), rank]).mean()
    assert log_loss(gold, probabilities, labels=model.classes_) == pytest.approx(loss)
    auc = roc_auc_score(gold, probabilities, multi_class="ovr", labels=model.classes_)
    aucs = []  # share of correctly ordered pairs of a row with and one without a label
    for label, column in zip(model.classes_, probabilities.T, strict=True):
        inside, outside = column[gold == label], column[gold != label]
        difference = inside[:, None] - outside
        aucs.append((difference > 0).mean() + (difference == 0).mean() / 2)
    assert auc == pytest.approx(np.mean(aucs))
    column = probabilities[:, list(model.classes_).index("contradiction")]
    precision, recall, thresholds = precision_recall_curve(
        gold == "contradiction", column
    )
    assert len(precision) == len(recall) == len(thresholds) + 1
    shares, means = calibration_curve(gold == "contradiction", column, n_bins=2)
    filled = np.unique(np.digitize(column, [0.5]))
    assert means == pytest.approx(
        [column[np.digitize(column, [0.5]) == each].mean() for each in filled]
    )
