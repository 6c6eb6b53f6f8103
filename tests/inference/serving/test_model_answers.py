"""Answers of the bundled run, as the service gives them."""

import json

import numpy as np
import pytest

import dsa
from dsa.errors import InputError
from dsa.inference.serving import model_answers
from dsa.inference.serving.model_answers import ModelAnswers, load_answers

pytestmark = pytest.mark.keras  # run on JAX in CI too

PAIRS = [
    ("A big dog chases a cat.", "An animal follows a cat."),
    ("A man sleeps.", "A woman sleeps."),
]


@pytest.fixture(scope="module")
def trained():
    return dsa.load("mini")


@pytest.fixture(scope="module")
def answers(trained):
    return ModelAnswers(trained)


def ask(answers, kind, rows):
    return list(map(json.loads, answers(kind, rows)))


def test_labels_are_those_of_predict(answers, trained):
    for answer, expected in zip(
        ask(answers, "predict", PAIRS), trained.predict(PAIRS), strict=True
    ):
        assert answer["label"] == expected.label and answer["unknown"] == []
        assert answer["probabilities"] == pytest.approx(
            expected.probabilities, abs=1e-6
        )


def test_vectors_are_those_of_encode_to_the_last_digit(answers, trained):
    texts = [text for pair in PAIRS for text in pair]
    vectors = [a["vector"] for a in ask(answers, "encode", [(t,) for t in texts])]
    np.testing.assert_array_equal(np.float32(vectors), trained.encode(texts))


def test_unknown_words_are_named_in_the_row_that_has_them(answers):
    rows = [PAIRS[0], ("A zebra and an okapi sleep.", "Okapi okapi.")]
    known, unknown = (a["unknown"] for a in ask(answers, "predict", rows))
    assert known == [] and {"zebra", "okapi"} <= {*unknown}
    assert unknown.count("okapi") == 1
    texts = [("A zebra.",), (PAIRS[0][0],), ("An okapi.",)]
    assert [a["unknown"] for a in ask(answers, "encode", texts)] == [
        ["zebra"],
        [],
        ["okapi"],
    ]


def test_what_the_model_looks_at_is_that_of_explain(answers, trained):
    (answer,) = ask(answers, "explain", [("A zebra sleeps.", "A man sleeps.")])
    look = trained.explain("A zebra sleeps.", "A man sleeps.")
    assert answer["label"] == look.answer.label and answer["unknown"] == ["zebra"]
    assert answer["tokens"]["premise"] == ["a", "zebra", "sleeps", "."]
    assert list(answer["maps"]) == list(look)
    for name, shown in answer["maps"].items():
        assert shown["tokens"] == list(look[name].tokens)
        if look[name].is_over_tokens:
            np.testing.assert_allclose(shown["average"], look[name].average(), 1e-6)
            np.testing.assert_allclose(
                np.array(shown["by_head"]), np.stack(look[name].by_head()), 1e-6
            )
        else:
            np.testing.assert_allclose(shown["by_token"], look[name].by_token(), 1e-6)


def test_a_text_of_too_many_tokens_is_refused_with_its_row(answers):
    long = "a " * 4001
    with pytest.raises(InputError, match="row 2 has 4,001 tokens"):
        answers("predict", [PAIRS[0], ("A man.", long)])
    with pytest.raises(InputError, match="row 2 has 4,001 tokens"):
        answers("encode", [("A man.",), (long,)])
    with pytest.raises(InputError, match="the hypothesis has 121 tokens; .* most 120"):
        answers("explain", [("A man.", "a " * 121)])


def test_nothing_has_no_answers(answers):
    assert [answers(kind, []) for kind in ("predict", "encode", "explain")] == [[]] * 3


def test_an_answer_that_is_no_number_is_no_json(answers, trained, monkeypatch):
    nothing = np.full((1, 3), np.nan, np.float32)
    monkeypatch.setattr(trained.inference, "logits", lambda rows: nothing)
    monkeypatch.setattr(trained.inference, "vectors", lambda sentences: nothing)
    with pytest.raises(ValueError, match="JSON compliant"):
        answers("predict", PAIRS[:1])
    with pytest.raises(ValueError, match="no finite number"):
        answers("encode", [PAIRS[0][:1]])


def test_no_file_of_vectors_is_read_for_a_client(trained, monkeypatch):
    monkeypatch.setattr(trained, "lookup", "a file of vectors")
    monkeypatch.setattr(model_answers, "load", lambda run, runtime: trained)
    asked = []
    monkeypatch.setattr(
        ModelAnswers, "_predict", lambda self, rows: asked.append(len(rows))
    )
    load_answers(trained.run, batch_rows=5)
    assert trained.lookup is None
    assert asked == [1, 2, 5]  # programs for the largest batch are compiled before


@pytest.mark.parametrize("view", ["hypothesis_only", "bag_of_words"])
def test_a_run_that_was_trained_in_a_view_answers_in_it(view):
    trained = dsa.load("mini")
    data = trained.experiment.data.model_copy(update={"view": view})
    trained.experiment = trained.experiment.model_copy(update={"data": data})
    answers = ModelAnswers(trained)
    for answer, expected in zip(
        ask(answers, "predict", PAIRS), trained.predict(PAIRS), strict=True
    ):
        assert answer["probabilities"] == pytest.approx(
            expected.probabilities, abs=1e-6
        )
    (answer,) = ask(answers, "encode", [("A big dog chases a cat.",)])
    expected = trained.encode("A big dog chases a cat.")
    np.testing.assert_array_equal(np.float32(answer["vector"]), expected)
    (answer,) = ask(answers, "explain", PAIRS[:1])
    hides = view == "hypothesis_only"
    assert (answer["tokens"]["premise"] == ["<empty>"]) == hides
