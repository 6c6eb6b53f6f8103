import pytest

from dsa.data.pair_features import wordnet
from dsa.data.pair_features.compute import compute_features
from dsa.data.pair_features.groups import FeatureSettings
from dsa.data.pair_features.statistics import FeatureStatistics
from dsa.data.pair_features.wordnet import WordRelations, find_wordnet, write_lexnames
from dsa.errors import InputError


@pytest.fixture(scope="module")
def relations():
    reader = find_wordnet()
    if reader is None:
        pytest.skip("there is no WordNet: see docs/models.md")
    return WordRelations(reader)


def test_a_named_folder_without_wordnet_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_WORDNET", str(tmp_path))
    with pytest.raises(InputError, match="DSA_WORDNET: .*: no WordNet, it has no file"):
        find_wordnet()


def test_a_damaged_wordnet_is_refused_in_one_line(tmp_path, monkeypatch):
    (tmp_path / "wordnet").mkdir()
    (tmp_path / "wordnet" / "data.noun").write_text("no synsets\n")
    monkeypatch.delenv("DSA_WORDNET", raising=False)
    with pytest.raises(InputError, match="wordnet: not a readable WordNet") as error:
        find_wordnet(tmp_path)
    assert "\n" not in str(error.value)


def test_nothing_is_found_where_there_is_nothing(tmp_path, monkeypatch):
    from nltk import data

    monkeypatch.delenv("DSA_WORDNET", raising=False)
    monkeypatch.setattr(data, "path", [str(tmp_path)])
    monkeypatch.setattr(wordnet, "DEBIAN_FOLDER", tmp_path)
    assert find_wordnet(tmp_path) is None


def test_lexnames_has_the_45_files_of_the_manual_page():
    lines = write_lexnames().splitlines()
    assert len(lines) == 45
    assert lines[0] == "00\tadj.all\t3"
    assert lines[18] == "18\tnoun.person\t1"
    assert lines[29] == "29\tverb.body\t2"
    assert lines[2] == "02\tadv.all\t4"
    assert lines[44] == "44\tadj.ppl\t3"


@pytest.mark.wordnet
def test_synonyms_are_names_in_a_synset_of_the_other_word(relations):
    assert relations.are_synonyms("car", "automobile")
    assert relations.are_synonyms("automobiles", "car")  # the inflected one knows
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
def test_features_know_wordnet(relations):
    settings = FeatureSettings(("synonyms", "hypernyms", "mt"))
    pairs = [("a big poodle".split(), "a large animal".split())]
    statistics = FeatureStatistics.learn(settings, pairs, ["neutral"], None)
    assert statistics.wordnet == relations.version == "3.0"
    features = compute_features(settings, statistics, pairs, is_train=True)[0]
    assert features[:3].tolist() == [1, 1, 0]
    *_, ter, terp = features
    assert terp < ter
