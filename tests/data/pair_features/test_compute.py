import logging
import re
import sys

import nltk.data
import numpy as np
import pytest

from dsa.data.pair_features import compute, translation, wordnet
from dsa.data.pair_features.compute import (
    compute_features,
    load_or_compute_features,
)
from dsa.data.pair_features.groups import GROUPS, FeatureSettings
from dsa.data.pair_features.statistics import FeatureStatistics
from dsa.errors import InputError
from dsa.experiment.input_config import FeaturesConfig
from dsa.system.extras import format_install_command

ALL = FeatureSettings(tuple(GROUPS))
TRAIN = [
    (["who", "ate", "the", "fish", "?"], ["a", "cat", "ate", "it", "."]),
    (["hot", "tea"], ["cold", "tea"]),
    (["hot", "soup", "is", "n't", "bad"], ["cold", "soup", "is", "bad"]),
]
LABELS = ["entailment", "contradiction", "neutral"]
OTHERS = [
    (["a", "hot", "fish"], ["a", "cold", "fish", "swims"]),
    (["hot"], ["cold"]),
    (["same", "words", "here"], ["same", "words", "here"]),
    ([], []),
    ([], ["one"]),
    (["one"], []),
]


def vectors(word):
    return {"hot": np.array([1.0, 0.1]), "cold": np.array([1.0, 0.0])}.get(word)


def learn(settings=ALL):
    return FeatureStatistics.fit(settings, TRAIN, LABELS, vectors)


@pytest.fixture(autouse=True)
def _no_wordnet(monkeypatch, tmp_path):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DSA_WORDNET", raising=False)
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(wordnet, "DEBIAN_FOLDER", tmp_path)


@pytest.mark.parametrize("is_train", [True, False])
def test_odd_sentences_have_finite_features(is_train):
    pairs = TRAIN + [(b, a) for a, b in TRAIN] if is_train else OTHERS
    features = compute_features(ALL, learn(), pairs, is_train)
    assert features.shape == (6, len(ALL.columns))
    assert features.dtype == np.float64
    assert np.isfinite(features).all()


def test_equal_sentences_have_the_best_scores():
    features = compute_features(ALL, learn(), OTHERS[2:3], is_train=False)[0]
    scores = dict(zip(ALL.columns, features, strict=True))
    for name in ("BLEU-1", "BLEU-4", "MAXSIM", "chrF", "ROUGE-SU4"):
        assert scores[name] == pytest.approx(1)
    assert scores["TER"] == scores["TERp"] == 0
    assert scores["antonym pairs"] == scores["negation"] == 0


@pytest.mark.parametrize(
    "names, columns",
    [
        (("lengths", "word_count", "weighted_word_count"), 4),  # answer selection
        (("mt", "lengths", "rouge"), 20),  # paraphrases
        (  # entailment
            (
                *("mt", "negation", "synonyms", "hypernyms", "antonyms"),
                *("lengths", "nonoverlap_lengths"),
            ),
            24,
        ),
    ],
)
def test_the_tasks_of_the_paper_have_their_number_of_features(names, columns):
    settings = FeatureSettings(names)
    assert len(settings.columns) == len(set(settings.columns)) == columns
    features = compute_features(settings, learn(settings), OTHERS, is_train=False)
    assert features.shape == (len(OTHERS), columns)


def test_columns_have_the_order_of_the_names():
    one, other = (("rouge", "lengths"), ("lengths", "rouge"))
    one, other = (
        compute_features(FeatureSettings(names), FeatureStatistics(), OTHERS, False)
        for names in (one, other)
    )
    np.testing.assert_array_equal(one, other[:, [2, 3, 4, 0, 1]])


def test_features_of_a_pair_do_not_depend_on_other_evaluated_pairs():
    statistics = learn()
    before = statistics.fingerprint()
    together = compute_features(ALL, statistics, OTHERS, is_train=False)
    single = [compute_features(ALL, statistics, [p], is_train=False) for p in OTHERS]
    np.testing.assert_array_equal(together, np.concatenate(single))
    assert statistics.fingerprint() == before


def test_several_processes_give_the_same(monkeypatch):
    settings = FeatureSettings(("mt", "lengths"))
    statistics = learn(settings)
    monkeypatch.undo()  # other processes find what there is
    expected = compute_features(settings, statistics, OTHERS, is_train=False)
    monkeypatch.setattr(compute, "PAIRS_PER_CHUNK", 4)
    features = compute_features(settings, statistics, OTHERS, is_train=False)
    np.testing.assert_array_equal(features, expected)


def test_only_the_statistics_that_are_needed_are_counted():
    statistics = learn(FeatureSettings(("lengths", "rouge")))
    assert statistics == FeatureStatistics()


def test_statistics_are_the_same_after_saving_and_loading(tmp_path):
    statistics = learn()
    assert statistics.antonyms == {("hot", "cold")}
    assert statistics.document_frequency.documents == 3
    statistics.save(tmp_path / "statistics.npz")
    loaded = FeatureStatistics.load(tmp_path / "statistics.npz", ALL)
    assert loaded.fingerprint() == statistics.fingerprint()
    np.testing.assert_array_equal(
        compute_features(ALL, loaded, OTHERS, is_train=False),
        compute_features(ALL, statistics, OTHERS, is_train=False),
    )


def test_missing_statistics_raise_a_one_line_error(tmp_path):
    with pytest.raises(InputError, match="is missing, so the run is incomplete"):
        FeatureStatistics.load(tmp_path / "statistics.npz", ALL)


def test_statistics_of_other_features_raise_an_error(tmp_path):
    path = tmp_path / "statistics.npz"
    learn(FeatureSettings(("rouge",))).save(path)
    with pytest.raises(InputError, match="'antonyms' is missing, but the features"):
        FeatureStatistics.load(path, ALL)


@pytest.mark.parametrize(
    "damage",
    [
        lambda arrays, record: record.pop("wordnet"),
        lambda arrays, record: record["words"].pop(),
        lambda arrays, record: record["document_words"].pop(),
        lambda arrays, record: record.update(antonyms=[["a"]]),
        lambda arrays, record: record.update(antonyms=3),
        lambda arrays, record: record.update(words=None),
        lambda arrays, record: arrays.pop("ids"),
        lambda arrays, record: arrays.update(ids=arrays["ids"] - 1),
        lambda arrays, record: arrays.update(ids=arrays["ids"] + 0.5),
        lambda arrays, record: arrays.update(lengths=arrays["lengths"] + 1),
        lambda arrays, record: arrays.update(lengths=arrays["lengths"][None]),
    ],
)
def test_damaged_statistics_raise_a_one_line_error(tmp_path, damage):
    from dsa.system.arrays import read_arrays, write_arrays

    path = tmp_path / "statistics.npz"
    learn().save(path)
    arrays, record = read_arrays(path, "statistics")
    damage(arrays, record)
    write_arrays(path, arrays, record)
    with pytest.raises(InputError, match="damaged feature statistics"):
        FeatureStatistics.load(path, ALL)


def test_a_truncated_file_of_statistics_raises_a_one_line_error(tmp_path):
    path = tmp_path / "statistics.npz"
    learn().save(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match="damaged feature statistics"):
        FeatureStatistics.load(path, ALL)


def test_features_are_computed_once_for_the_same_content(monkeypatch):
    statistics, calls = learn(), []

    def count(*arguments, **keywords):
        calls.append(arguments)
        return compute_features(*arguments, **keywords)

    monkeypatch.setattr(compute, "compute_features", count)
    features = load_or_compute_features(ALL, statistics, OTHERS, False)
    np.testing.assert_array_equal(
        load_or_compute_features(ALL, statistics, OTHERS, False), features
    )
    assert len(calls) == 1
    load_or_compute_features(ALL, statistics, OTHERS[:-1], False)
    load_or_compute_features(ALL, statistics, [(b, a) for a, b in OTHERS], False)
    load_or_compute_features(ALL, statistics, TRAIN, False)
    load_or_compute_features(ALL, statistics, TRAIN, True)
    load_or_compute_features(
        FeatureSettings(ALL.names, "inverse"), statistics, OTHERS, False
    )
    statistics.antonyms = frozenset()
    load_or_compute_features(ALL, statistics, OTHERS, False)
    assert len(calls) == 7


def test_a_damaged_cache_is_rebuilt(tmp_path, caplog):
    features = load_or_compute_features(ALL, learn(), OTHERS, False)
    (path,) = (tmp_path / "cache" / "pair_features").iterdir()
    path.write_bytes(path.read_bytes()[:100])
    np.testing.assert_array_equal(
        load_or_compute_features(ALL, learn(), OTHERS, False), features
    )
    assert "recomputed" in caplog.text


def test_a_missing_wordnet_logs_one_line(caplog):
    learn(FeatureSettings(("lengths", "rouge")))
    assert caplog.text == ""
    statistics = learn(FeatureSettings(("synonyms", "hypernyms")))
    (line,) = caplog.messages
    assert "'synonym pairs' is 0; both features of hypernyms are 0" in line
    assert statistics.wordnet is None


def test_another_wordnet_than_in_training_logs_a_warning(caplog):
    settings = FeatureSettings(("synonyms",))
    caplog.set_level(logging.WARNING)
    load_or_compute_features(settings, FeatureStatistics(wordnet="3.0"), OTHERS, False)
    assert "used WordNet 3.0, but on this machine WordNet is missing" in caplog.text


def test_single_sentences_have_no_pair_features():
    single = [(["one"],)]
    with pytest.raises(
        InputError, match="require sentence pairs. Received: row 1 with 1"
    ):
        FeatureStatistics.fit(ALL, single, ["entailment"], vectors)
    with pytest.raises(
        InputError, match="require sentence pairs. Received: row 1 with 1"
    ):
        compute_features(ALL, learn(), single, is_train=False)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"names": ("length",)}, "unknown features 'length'. Did you mean 'lengths'?"),
        ({"names": ("mt", "mt")}, "duplicate features: mt, mt"),
        ({"names": (), "idf": "ln"}, "unknown idf 'ln'. Known: log, inverse"),
    ],
)
def test_invalid_settings_raise_a_one_line_error(arguments, message):
    with pytest.raises(InputError) as error:
        FeatureSettings(**arguments)
    assert message in str(error.value)


def test_a_missing_package_raises_a_one_line_error(monkeypatch):
    settings = FeatureSettings(("mt",))
    statistics = learn(settings)
    translation.import_sacrebleu.cache_clear()
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    command = re.escape(format_install_command("pair-features"))
    message = f"require sacreBLEU .*. To install it: {command}$"
    with pytest.raises(InputError, match=message):
        compute_features(settings, statistics, OTHERS, is_train=False)


def test_the_settings_of_a_config_reach_the_features():
    chosen = {"idf": "inverse", "antonym_cosine": 0.25, "antonym_stop_words": False}
    settings = FeaturesConfig(names=["antonyms"], **chosen).settings
    assert settings == FeatureSettings(("antonyms",), **chosen)
