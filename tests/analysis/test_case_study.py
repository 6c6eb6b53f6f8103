import json

import numpy as np
import pytest

import dsa
from dsa.analysis.case_study import (
    by_word,
    longest_sentence,
    of_sentence,
    source2token_of,
)
from dsa.analysis.plots import attention_views
from dsa.errors import InputError
from dsa.evaluation.splits import find_split
from dsa.storage.arrays import read_arrays
from tests.support.layer_checks import rand

L, H, D = 5, 3, 7
SENTENCE = "A man and the dog."
PAIR = ("A man sleeps.", "A man is awake.")


def named_arrays():
    weights = np.abs(rand(H, L, L))
    return {
        "tokens": np.array(list("abcde")),
        "attention_forward": weights,
        "gate_forward": rand(L, D),
        "deactivated_forward": np.linspace(0, 1, L),
        "output_forward": rand(L, D, seed=1),
        "source2token": rand(L, 2 * D, seed=2),
        "max_pooling": np.array([0, 0, 4, 4, 4, 1, 0, 4, 4, 4]),
    }


def test_features_and_heads_are_averaged_and_maxima_counted():
    named = named_arrays()
    words = by_word(named)
    np.testing.assert_array_equal(words["heads_forward"], named["attention_forward"])
    np.testing.assert_allclose(
        words["attention_forward"][2, 1],
        sum(named["attention_forward"][:, 2, 1]) / H,
        rtol=1e-5,
    )
    np.testing.assert_allclose(
        words["gate_forward"][3], sum(named["gate_forward"][3]) / D
    )
    np.testing.assert_array_equal(words["deactivated_forward"], [0, 0.25, 0.5, 0.75, 1])
    assert words["largest_output_forward"][1] == max(named["output_forward"][1])
    np.testing.assert_allclose(
        words["source2token"][4], sum(named["source2token"][4]) / (2 * D), rtol=1e-5
    )
    np.testing.assert_allclose(words["max_pooling"], [0.3, 0.1, 0, 0, 0.6])


def test_multi_dimensional_attention_is_averaged_over_its_features():
    weights = np.abs(rand(L, L, D))
    named = {
        "tokens": np.array(list("abcde")),
        "feature_attention_backward": weights,
        "additive_attention": np.arange(L),
    }
    words = by_word(named)
    assert set(words) == {"attention_backward", "additive_attention"}
    expected = sum(weights[3, 1]) / D
    np.testing.assert_allclose(words["attention_backward"][3, 1], expected, rtol=1e-5)


def test_views_are_averages_and_heads_by_direction():
    words = by_word(named_arrays())
    views = attention_views(words)
    assert list(views) == ["average", "heads, forward"]
    assert list(views["heads, forward"]) == ["head 1", "head 2", "head 3"]
    assert list(views["average"]) == ["forward"]
    views = attention_views({"attention": np.eye(2), "heads": np.ones((2, 2, 2))})
    assert list(views) == ["average", "heads"]


def test_what_an_encoder_lacks_is_left_out():
    named = named_arrays()
    del named["source2token"], named["gate_forward"]
    assert set(by_word(named)) == {
        "heads_forward",
        "attention_forward",
        "deactivated_forward",
        "largest_output_forward",
        "max_pooling",
    }


def test_the_weights_of_a_trained_model_are_shares(finished):
    named = dsa.load(finished / "run").explain_sentence(SENTENCE)
    words = by_word(named)
    for direction, alone in (("forward", 0), ("backward", -1)):
        rows = words[f"attention_{direction}"].sum(axis=1)
        assert rows[alone] == 0
        np.testing.assert_allclose(np.delete(rows, alone), 1, rtol=1e-5)
    np.testing.assert_allclose(words["source2token"].sum(), 1, rtol=1e-5)
    np.testing.assert_allclose(words["max_pooling"].sum(), 1, rtol=1e-5)


def test_a_pair_is_taken_apart_by_sentence(finished):
    trained = dsa.load(finished / "run")
    premise = of_sentence(trained.explain(*PAIR), "premise")
    alone = trained.explain_sentence(PAIR[0])
    assert set(premise) == set(alone)


def test_the_longest_sentence_is_found(finished):
    trained = dsa.load(finished / "run")
    _, _, prepared = find_split(trained, finished, "dev")
    tokens = longest_sentence(prepared)
    assert len(tokens) == max(prepared.sentences.lengths)
    texts = [
        row[key]
        for row in map(json.loads, (finished / "dev.jsonl").read_text().splitlines())
        for key in ("sentence1", "sentence2")
    ]
    assert tokens in [trained.tokenizer(text) for text in texts]


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def is_picture(path):
    return path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5000


def test_a_sentence_is_drawn(finished, scripts, tmp_path):
    arguments = [str(finished / "run"), "--sentence", SENTENCE, "--out", str(tmp_path)]
    assert scripts.visualize_attention.main(arguments) == 0
    assert files(tmp_path) == [
        "attention.png",
        "case_study.json",
        "case_study.npz",
        "heads_backward.png",
        "heads_forward.png",
        "words.png",
    ]
    assert all(is_picture(path) for path in tmp_path.glob("*.png"))
    (sentences,) = json.loads((tmp_path / "case_study.json").read_text()).values()
    named = dsa.load(finished / "run").explain_sentence(SENTENCE)
    assert sentences[""]["tokens"] == named["tokens"].tolist()
    np.testing.assert_allclose(
        sentences[""]["gate_forward"], named["gate_forward"].mean(axis=1), atol=1e-5
    )
    arrays, record = read_arrays(tmp_path / "case_study.npz", "study")
    np.testing.assert_allclose(arrays["1/output_backward"], named["output_backward"])
    assert list(record) == ["differences", "dsa"]


def test_two_runs_are_drawn_on_a_pair(finished, run_copy, scripts, tmp_path):
    runs = [str(finished / "run"), str(run_copy)]
    out = tmp_path / "new" / "figures"
    arguments = [*runs, "--pair", *PAIR, "--out", str(out)]
    assert scripts.visualize_attention.main(arguments) == 0
    drawn = [name for name in files(out) if name.endswith(".png")]
    assert len(drawn) == 2 * (1 + 2 * 2 + 1)
    assert "premise_heads_forward_2.png" in drawn and "hypothesis_words.png" in drawn
    arrays, _ = read_arrays(out / "case_study.npz", "study")
    np.testing.assert_array_equal(
        arrays["1/premise/attention_forward"], arrays["2/premise/attention_forward"]
    )


def test_the_longest_sentence_of_a_split_is_drawn(finished, scripts, tmp_path):
    run, root = str(finished / "run"), str(finished)
    arguments = [run, "--longest", "test", "--data-root", root, "--out", str(tmp_path)]
    assert scripts.visualize_attention.main(arguments) == 0
    assert is_picture(tmp_path / "attention.png")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--sentence", " "], "text 1 is empty"),
        (["--sentence", "word " * 2000], "at most 120 words that can be read"),
        (["--pair", "a", ""], "text 2 is empty"),
        (["--longest", "later"], "names no file for the split 'later'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    finished, scripts, tmp_path, capsys, arguments, message
):
    out = tmp_path / "figures"
    arguments = [str(finished / "run"), *arguments, "--out", str(out)]
    assert scripts.visualize_attention.main(arguments) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_a_word_in_two_sentences_is_drawn(finished, scripts, tmp_path):
    word, texts = "lady", ["A lady is outside .", "The lady sees a lady ."]
    arguments = [str(finished / "run"), "--word", word, *texts, "--out", str(tmp_path)]
    assert scripts.visualize_attention.main(arguments) == 0
    assert {"1_attention.png", "2_words.png", "word.png"} <= set(files(tmp_path))
    named = dsa.load(finished / "run").explain_sentence(texts[1])
    weights = source2token_of(word, named)
    np.testing.assert_array_equal(weights, named["source2token"][1])
    with pytest.raises(InputError, match="'cat' is none of the tokens the lady"):
        source2token_of("cat", named)
    del named["source2token"]
    with pytest.raises(InputError, match="no source2token pooling"):
        source2token_of(word, named)


def test_three_runs_are_refused(finished, scripts, capsys):
    run = str(finished / "run")
    assert scripts.visualize_attention.main([run, run, run, "--sentence", "a"]) == 2
    assert "one or two runs are drawn. Received: 3" in capsys.readouterr().err
