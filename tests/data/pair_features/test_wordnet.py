import pytest

from dsa.data.pair_features import wordnet
from dsa.data.pair_features.compute import compute_features
from dsa.data.pair_features.groups import FeatureSettings
from dsa.data.pair_features.statistics import FeatureStatistics
from dsa.data.pair_features.wordnet import WordRelations, open_wordnet
from dsa.errors import InputError


@pytest.fixture(scope="module")
def relations():
    reader = open_wordnet()
    if reader is None:
        pytest.skip("WordNet is not installed: see docs/models.md")
    return WordRelations(reader)


def test_dsa_wordnet_with_a_folder_without_wordnet_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_WORDNET", str(tmp_path))
    with pytest.raises(InputError, match="DSA_WORDNET must be a WordNet folder"):
        open_wordnet()


def test_a_damaged_wordnet_is_a_one_line_error(tmp_path, monkeypatch):
    (tmp_path / "wordnet").mkdir()
    (tmp_path / "wordnet" / "data.noun").write_text("no synsets\n")
    monkeypatch.delenv("DSA_WORDNET", raising=False)
    with pytest.raises(InputError, match="damaged WordNet: data.noun") as error:
        open_wordnet(tmp_path)
    assert "\n" not in str(error.value)


def test_without_an_installed_wordnet_there_is_no_reader(tmp_path, monkeypatch):
    from nltk import data

    monkeypatch.delenv("DSA_WORDNET", raising=False)
    monkeypatch.setattr(data, "path", [str(tmp_path)])
    monkeypatch.setattr(wordnet, "DEBIAN_FOLDER", tmp_path)
    assert open_wordnet(tmp_path) is None


@pytest.mark.wordnet
def test_synonyms_are_names_in_a_synset_of_the_other_word(relations):
    assert relations.are_synonyms("car", "automobile")
    assert relations.are_synonyms("automobiles", "car")  # lemma of the inflected form
    assert relations.are_synonyms("car", "automobiles")
    assert not relations.are_synonyms("car", "banana")


@pytest.mark.wordnet
def test_hypernyms_are_above_the_first_synset(relations):
    assert relations.has_hypernym("poodle", "dog")
    assert relations.has_hypernym("poodle", "animal")
    assert not relations.has_hypernym("animal", "poodle")
    # the second synset of "cat" is a person
    assert not relations.has_hypernym("cat", "person")


@pytest.mark.wordnet
def test_features_use_wordnet(relations):
    settings = FeatureSettings(("synonyms", "hypernyms", "mt"))
    pairs = [("a big poodle".split(), "a large animal".split())]
    statistics = FeatureStatistics.fit(settings, pairs, ["neutral"], {}.get)
    assert statistics.wordnet == relations.version == "3.0"
    features = compute_features(settings, statistics, pairs, is_train=True)[0]
    assert features[:3].tolist() == [1, 1, 0]
    *_, ter, terp = features
    assert terp < ter
