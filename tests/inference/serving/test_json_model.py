"""JSON answers of the bundled run."""

import json

import numpy as np
import pytest

import dsa
from dsa.errors import InputError
from dsa.inference.serving.json_model import JsonModel, load_json_model

PAIRS = [
    ("A big dog chases a cat.", "An animal follows a cat."),
    ("A man sleeps.", "A woman sleeps."),
]


@pytest.fixture(scope="module")
def trained():
    return dsa.load("mini")


@pytest.fixture(scope="module")
def model(trained):
    return JsonModel(trained)


def answer(model, kind, rows):
    return list(map(json.loads, model(kind, rows)))


def test_predictions_equal_those_of_predict(model, trained):
    for content, expected in zip(
        answer(model, "predict", PAIRS), trained.predict(PAIRS), strict=True
    ):
        assert content["label"] == expected.label and content["unknown"] == []
        assert content["probabilities"] == pytest.approx(
            expected.probabilities, abs=1e-6
        )


def test_vectors_equal_those_of_encode_to_the_last_digit(model, trained):
    texts = [text for pair in PAIRS for text in pair]
    contents = answer(model, "encode", [(text,) for text in texts])
    vectors = np.float32([content["vector"] for content in contents])
    np.testing.assert_array_equal(vectors, trained.encode(texts))


def test_unknown_words_are_listed_with_their_row(model):
    rows = [PAIRS[0], ("A zebra and an okapi sleep.", "Okapi okapi.")]
    known, unknown = (content["unknown"] for content in answer(model, "predict", rows))
    assert known == [] and {"zebra", "okapi"} <= {*unknown}
    assert unknown.count("okapi") == 1
    texts = [("A zebra.",), (PAIRS[0][0],), ("An okapi.",)]
    unknown = [content["unknown"] for content in answer(model, "encode", texts)]
    assert unknown == [["zebra"], [], ["okapi"]]


def test_explanations_equal_those_of_explain(model, trained):
    (content,) = answer(model, "explain", [("A zebra sleeps.", "A man sleeps.")])
    expected = trained.explain("A zebra sleeps.", "A man sleeps.")
    assert content["label"] == expected.answer.label and content["unknown"] == ["zebra"]
    assert content["tokens"]["premise"] == ["a", "zebra", "sleeps", "."]
    assert list(content["maps"]) == list(expected)
    for name, token_map in content["maps"].items():
        assert token_map["tokens"] == list(expected[name].tokens)
        if expected[name].is_over_tokens:
            np.testing.assert_allclose(
                token_map["average"], expected[name].average(), 1e-6
            )
            np.testing.assert_allclose(
                token_map["by_head"], np.stack(expected[name].by_head()), 1e-6
            )
        else:
            np.testing.assert_allclose(
                token_map["by_token"], expected[name].by_token(), 1e-6
            )


def test_a_text_with_too_many_tokens_raises(model):
    long = "a " * 4001
    with pytest.raises(InputError, match="4,000 tokens. Received: 4,001"):
        model("predict", [PAIRS[0], ("A man.", long)])
    with pytest.raises(InputError, match="4,000 tokens. Received: 4,001"):
        model("encode", [("A man.",), (long,)])
    with pytest.raises(
        InputError, match="at most 120 tokens per text. Received: hypothesis with 121"
    ):
        model("explain", [("A man.", "a " * 121)])


@pytest.mark.parametrize("kind", ["predict", "encode", "explain"])
def test_no_rows_get_no_answers(model, kind):
    assert model(kind, []) == []


def test_nan_is_an_error_instead_of_invalid_json(model, trained, monkeypatch):
    nan = np.full((1, 3), np.nan, np.float32)
    monkeypatch.setattr(trained.inference, "logits", lambda *args: nan)
    monkeypatch.setattr(trained.inference, "vectors", lambda *args: nan)
    with pytest.raises(ValueError, match="JSON compliant"):
        model("predict", PAIRS[:1])
    with pytest.raises(ValueError, match="JSON compliant"):
        model("encode", [PAIRS[0][:1]])


def test_a_loaded_model_has_no_vector_file_and_is_warm():
    model = load_json_model(dsa.load("mini").run, "keras", 5)
    assert model.describe()["model"] == "dsa"
    assert answer(model, "predict", PAIRS)[0]["label"]


@pytest.mark.parametrize("view", ["hypothesis_only", "bag_of_words"])
def test_a_run_that_was_trained_in_a_view_answers_in_it(view):
    trained = dsa.load("mini")
    data = trained.experiment.data.model_copy(update={"view": view})
    trained.experiment = trained.experiment.model_copy(update={"data": data})
    model = JsonModel(trained)
    for content, expected in zip(
        answer(model, "predict", PAIRS), trained.predict(PAIRS), strict=True
    ):
        assert content["probabilities"] == pytest.approx(
            expected.probabilities, abs=1e-6
        )
    (content,) = answer(model, "encode", [("A big dog chases a cat.",)])
    expected = trained.encode("A big dog chases a cat.")
    np.testing.assert_array_equal(np.float32(content["vector"]), expected)
    (content,) = answer(model, "explain", PAIRS[:1])
    hides = view == "hypothesis_only"
    assert (content["tokens"]["premise"] == ["<empty>"]) == hides
    pairs = [PAIRS[0], ("Two men sleep.", PAIRS[0][1])]
    one, other = (row["probabilities"] for row in answer(model, "predict", pairs))
    assert (one == pytest.approx(other, abs=1e-6)) == hides
    texts = [("a big dog chases a cat .",), ("chases a cat a big dog .",)]
    first, second = (row["vector"] for row in answer(model, "encode", texts))
    assert np.allclose(first, second, atol=1e-5) == (view == "bag_of_words")
