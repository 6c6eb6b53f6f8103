import json

import numpy as np
import pytest

import dsa
from dsa.analysis.case_study import (
    draw_case_study,
    find_source2token_weights,
    to_arrays,
    to_json,
)
from dsa.analysis.figure_files import FigureFiles
from dsa.analysis.map_views import collect_token_values, collect_views
from dsa.data.corpora.example import Example
from dsa.data.corpora.nli_corpora import NLI
from dsa.data.prepared.corpus import from_examples
from dsa.data.prepared.tokenizer import Tokenizer
from dsa.errors import InputError
from dsa.evaluation.case_study_runs import find_longest_sentence
from dsa.evaluation.splits import EvaluatedRows, find_split
from dsa.explanation import Explanation, MapKind, TokenMap
from dsa.system.arrays import read_arrays
from tests.support.layer_checks import rand

L, H, D = 5, 3, 7
SENTENCE = "A man and the dog."
PAIR = ("A man sleeps.", "A man is awake.")


def explain_a_sentence(*without):
    maps = [
        TokenMap(
            "attention",
            MapKind.TOKEN_OVER_TOKEN_BY_HEAD,
            np.abs(rand(H, L, L)),
            "forward",
        ),
        TokenMap("gate", MapKind.TOKEN_BY_FEATURE, rand(L, D), "forward"),
        TokenMap("deactivated", MapKind.TOKEN, np.linspace(0, 1, L), "forward"),
        TokenMap(
            "output",
            MapKind.TOKEN_BY_FEATURE,
            rand(L, D, seed=1),
            "forward",
            summary="max",
        ),
        TokenMap("source2token", MapKind.TOKEN_BY_FEATURE, rand(L, 2 * D, seed=2)),
        TokenMap(
            "max_pooling",
            MapKind.WINNING_TOKEN,
            np.array([0, 0, 4, 4, 4, 1, 0, 4, 4, 4]),
        ),
    ]
    maps = [one for one in maps if one.name not in without]
    return Explanation.build(maps, {"sentence": list("abcde")})


def numbers_of(look):
    """What `to_json` writes of one sentence."""
    return json.loads(to_json({"run": {"": look}}))["run"][""]


@pytest.mark.parametrize(
    ("width", "winners", "shares"),
    [
        (3, [2, 2, 3, 2], [0.25, 1 / 3, 1 / 3, 1 / 12]),
        (6, [5, 5], [0.25] * 4),  # a window that contains the whole sentence
    ],
)
def test_the_share_of_a_window_is_divided_between_its_words(width, winners, shares):
    pooling = TokenMap(
        "window_pooling", MapKind.WINNING_TOKEN, np.array(winners), window=width
    )
    look = Explanation.build([pooling], {"sentence": list("abcd")})
    values = numbers_of(look)["window_pooling"]
    np.testing.assert_allclose(values, shares, atol=1e-6)
    (drawn,) = collect_token_values(look).values()
    np.testing.assert_allclose(drawn, shares)


def test_features_and_heads_are_averaged_and_maxima_counted():
    look = explain_a_sentence()
    words = numbers_of(look)
    attention = look["attention_forward"]
    np.testing.assert_allclose(
        attention.average()[2, 1], sum(attention.values[:, 2, 1]) / H, rtol=1e-5
    )
    np.testing.assert_allclose(
        words["gate_forward"][3],
        sum(look["gate_forward"].values[3]) / D,
        rtol=1e-4,
        atol=1e-6,
    )
    np.testing.assert_array_equal(words["deactivated_forward"], [0, 0.25, 0.5, 0.75, 1])
    largest = max(look["output_forward"].values[1])
    assert words["largest_output_forward"][1] == pytest.approx(largest, abs=1e-6)
    np.testing.assert_allclose(
        words["source2token"][4],
        sum(look["source2token"].values[4]) / (2 * D),
        atol=1e-6,
    )
    np.testing.assert_allclose(words["max_pooling"], [0.3, 0.1, 0, 0, 0.6])


def test_multi_dimensional_attention_is_averaged_over_its_features():
    attention = TokenMap(
        "feature_attention",
        MapKind.TOKEN_OVER_TOKEN_BY_FEATURE,
        np.abs(rand(L, L, D)),
        "backward",
    )
    additive = TokenMap("additive_attention", MapKind.TOKEN, np.arange(L))
    look = Explanation.build([attention, additive], {"sentence": list("abcde")})
    assert set(numbers_of(look)) == {"tokens", "additive_attention"}
    (weights,) = collect_views(look)["average"].panels.values()
    expected = sum(attention.values[3, 1]) / D
    np.testing.assert_allclose(weights[3, 1], expected, rtol=1e-5)


def test_views_that_an_encoder_lacks_are_omitted():
    look = explain_a_sentence("source2token", "gate_forward")
    assert set(numbers_of(look)) == {
        "tokens",
        "deactivated_forward",
        "largest_output_forward",
        "max_pooling",
    }


def test_maps_of_an_unknown_family_are_drawn(tmp_path):
    """One map of each kind that no model of the papers has by this name."""
    kinds = {
        MapKind.TOKEN_OVER_TOKEN: (L, L),
        MapKind.TOKEN_OVER_TOKEN_BY_HEAD: (H, L, L),
        MapKind.TOKEN_OVER_TOKEN_BY_FEATURE: (L, L, D),
        MapKind.TOKEN: (L,),
        MapKind.TOKEN_BY_FEATURE: (L, D),
        MapKind.WINNING_TOKEN: (D,),
    }
    assert set(kinds) == set(MapKind)
    maps = [
        TokenMap(f"toy_{number}", kind, np.ones(shape, int))
        for number, (kind, shape) in enumerate(kinds.items())
    ]
    look = Explanation.build(maps, {"sentence": list("abcde")})
    studies = {"toy": {"": look}}
    drawn = dict(draw_case_study(studies))
    assert list(drawn) == ["attention", "heads", "words"]
    for name, figure in drawn.items():
        assert is_picture(FigureFiles().write(figure, tmp_path, name))
    assert set(numbers_of(look)) == {"tokens", "toy_3", "toy_4", "toy_5"}
    assert set(to_arrays(studies)) == {
        "1/tokens",
        *(f"1/toy_{number}" for number in range(6)),
    }


def test_the_weights_of_a_trained_model_are_shares(finished):
    look = dsa.load(finished / "run").explain_sentence(SENTENCE)
    for direction, alone in (("forward", 0), ("backward", -1)):
        rows = look[f"attention_{direction}"].average().sum(axis=1)
        assert rows[alone] == 0
        np.testing.assert_allclose(np.delete(rows, alone), 1, rtol=1e-5)
    for name in ("source2token", "max_pooling"):
        np.testing.assert_allclose(look[name].by_token().sum(), 1, rtol=1e-5)


def test_a_pair_is_taken_apart_by_sentence(finished):
    trained = dsa.load(finished / "run")
    premise = trained.explain(*PAIR).of("premise")
    alone = trained.explain_sentence(PAIR[0])
    assert set(premise) == set(alone)


def test_the_longest_sentence_is_found(finished):
    trained = dsa.load(finished / "run")
    rows = find_split(trained, finished, "dev")
    tokens = find_longest_sentence(rows)
    assert len(tokens) == max(rows.prepared.sentences.lengths)
    texts = [
        row[key]
        for row in map(json.loads, (finished / "dev.jsonl").read_text().splitlines())
        for key in ("sentence1", "sentence2")
    ]
    assert tokens in [trained.tokenizer(text) for text in texts]


def rows_of_pairs(*pairs):
    examples = [Example(pair, None, "1", None, None, 1) for pair in pairs]
    prepared = from_examples(examples, Tokenizer(), NLI, "dev.jsonl")
    return EvaluatedRows("dev", "dev.jsonl", prepared)


def test_empty_sentences_are_not_the_longest_sentence():
    assert find_longest_sentence(rows_of_pairs(("", "sleeps"), ("a", ""))) == ["sleeps"]
    with pytest.raises(InputError, match="^dev.jsonl: no sentence has tokens$"):
        find_longest_sentence(rows_of_pairs(("", ""), (" ", "")))


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def is_picture(path):
    return path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5000


@pytest.mark.slow
def test_a_sentence_is_drawn(finished, scripts, tmp_path):
    arguments = [str(finished / "run"), "--sentence", SENTENCE, "--out", str(tmp_path)]
    arguments.append("--single")
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
    look = dsa.load(finished / "run").explain_sentence(SENTENCE)
    assert sentences[""]["tokens"] == list(look.tokens["sentence"])
    np.testing.assert_allclose(
        sentences[""]["gate_forward"],
        look["gate_forward"].values.mean(axis=1),
        atol=1e-5,
    )
    arrays, record = read_arrays(tmp_path / "case_study.npz", "study")
    np.testing.assert_allclose(
        arrays["1/output_backward"], look["output_backward"].values
    )
    assert arrays["1/tokens"].tolist() == sentences[""]["tokens"]
    assert list(record) == ["differences", "dsa"]


@pytest.mark.slow
def test_two_runs_are_drawn_on_a_pair(finished, run_copy, scripts, tmp_path):
    runs = [str(finished / "run"), str(run_copy)]
    out = tmp_path / "new" / "figures"
    arguments = [*runs, "--pair", *PAIR, "--out", str(out), "--single"]
    assert scripts.visualize_attention.main(arguments) == 0
    drawn = [name for name in files(out) if name.endswith(".png")]
    assert len(drawn) == 2 * (1 + 2 * 2 + 1)
    assert "premise_heads_forward_2.png" in drawn and "hypothesis_words.png" in drawn
    arrays, _ = read_arrays(out / "case_study.npz", "study")
    np.testing.assert_array_equal(
        arrays["1/premise/attention_forward"], arrays["2/premise/attention_forward"]
    )


@pytest.mark.slow
def test_the_longest_sentence_of_a_split_is_drawn(finished, scripts, tmp_path):
    run, root = str(finished / "run"), str(finished)
    arguments = [run, "--longest", "test", "--data-root", root, "--out", str(tmp_path)]
    assert scripts.visualize_attention.main(arguments) == 0
    assert is_picture(tmp_path / "sheet.png")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--sentence", " "], "the text is empty"),
        (["--sentence", "word " * 2000], "figures are limited to 120 words"),
        (["--pair", "a", ""], "the hypothesis is empty"),
        (["--longest", "later"], "has no file for the split 'later'"),
    ],
)
def test_texts_and_runs_that_cannot_be_drawn_are_errors(
    finished, scripts, tmp_path, capsys, arguments, message
):
    out = tmp_path / "figures"
    arguments = [str(finished / "run"), *arguments, "--out", str(out)]
    assert scripts.visualize_attention.main(arguments) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.slow
def test_a_word_in_two_sentences_is_drawn(finished, scripts, tmp_path):
    word, texts = "lady", ["A lady is outside .", "The lady sees a lady ."]
    arguments = [str(finished / "run"), "--word", word, *texts, "--out", str(tmp_path)]
    assert scripts.visualize_attention.main(arguments) == 0
    assert {"sheet.png", "word.png"} <= set(files(tmp_path))
    look = dsa.load(finished / "run").explain_sentence(texts[1])
    weights = find_source2token_weights(word, look)
    np.testing.assert_array_equal(weights, look["source2token"].values[1])
    with pytest.raises(InputError, match="'cat' is not a token of the sentence: the"):
        find_source2token_weights("cat", look)
    with pytest.raises(InputError, match="no source2token pooling"):
        find_source2token_weights("a", explain_a_sentence("source2token"))


def test_names_are_one_for_each_run(finished, scripts, capsys):
    arguments = [str(finished / "run"), "--sentence", "a", "--names"]
    for names in (["x", "y"], ["x", "x"]):
        assert scripts.visualize_attention.main([*arguments, *names]) == 2
        error = capsys.readouterr().err
        assert "'names': expected 1 distinct names. Received: x, " in error


@pytest.mark.slow
def test_a_name_and_a_format_of_the_command_line(finished, scripts, tmp_path):
    out = ["--out", str(tmp_path), "--format", "svg", "--names", "my $run$"]
    arguments = [str(finished / "run"), "--pair", "A zebra .", "A man .", *out]
    assert scripts.visualize_attention.main(arguments) == 0
    assert "sheet.svg" in files(tmp_path)
    study = json.loads((tmp_path / "case_study.json").read_text())["my $run$"]
    assert study["premise"]["unknown"] == ["zebra"]
    assert "unknown" not in study["hypothesis"]


def test_three_runs_are_refused(finished, scripts, capsys):
    run = str(finished / "run")
    assert scripts.visualize_attention.main([run, run, run, "--sentence", "a"]) == 2
    assert "expected at most 2 runs. Received: 3" in capsys.readouterr().err


def test_figures_of_a_release_are_not_put_into_a_folder_of_its_name(
    scripts, tmp_path, monkeypatch
):
    """It would be taken for the run from then on."""
    monkeypatch.chdir(tmp_path)
    assert scripts.visualize_attention.main(["mini", "--sentence", SENTENCE]) == 0
    assert not (tmp_path / "mini").exists()
