"""A WordNet whose files do not fit together is refused before a word is looked up."""

import re
import warnings

import pytest

from dsa.data.pair_features import wordnet, wordnet_files
from dsa.data.pair_features.wordnet import WordRelations, find_wordnet
from dsa.errors import InputError
from tests.support.small_wordnet import write_wordnet


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A small WordNet below the data root `tmp_path`."""
    monkeypatch.delenv("DSA_WORDNET", raising=False)
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    return write_wordnet(tmp_path / "wordnet")


def change(path, old, new, count=1):
    content = path.read_bytes()
    assert re.search(old, content)
    path.write_bytes(re.sub(old, new, content, count=count))


def test_a_whole_wordnet_is_used(folder, tmp_path):
    relations = WordRelations(find_wordnet(tmp_path))
    assert relations.version == "3.0"
    assert relations.are_synonyms("dogges", "domestic_dog")
    assert relations.has_hypernym("poodle", "beast")
    assert not relations.has_hypernym("beast", "poodle")
    assert relations.are_synonyms("large", "big")


def test_a_circle_of_hypernyms_has_an_end(folder, tmp_path):
    relations = WordRelations(find_wordnet(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert relations.has_hypernym("restrain", "inhibit")
        assert relations.has_hypernym("inhibit", "restrain")


@pytest.mark.parametrize("part", ["noun", "verb", "adj", "adv"])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
@pytest.mark.parametrize("kind", ["data", "index"])
def test_a_file_that_was_cut_is_refused(kind, share, part, folder, tmp_path):
    path = folder / f"{kind}.{part}"
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(InputError, match=f"{kind}.{part}.*It is no readable WordNet"):
        find_wordnet(tmp_path)


@pytest.mark.parametrize("kind", ["data", "index"])
def test_a_file_that_lacks_its_last_line_is_refused(kind, folder, tmp_path):
    path = folder / f"{kind}.noun"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(InputError, match="index.noun"):
        find_wordnet(tmp_path)


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("data.noun", rb"\n", b"\r\n", "line 2: the synset .* stands at byte"),
        ("data.noun", rb"@ \d{8}", b"@ 99999999", "a pointer to no synset or word"),
        ("data.noun", rb"@ \d{8} n", b"@ 00000001 n", "a pointer to no synset"),
        ("data.noun", rb"@ (\d{8}) n 0000", rb"@ \1 n 0009", "no synset or word"),
        ("data.noun", rb"@ (\d{8}) n 0000", rb"@ \1 n 0900", "begins at no word"),
        ("data.noun", rb"@ (\d{8}) n", rb"@ \1 x", "a pointer to no synset"),
        ("data.noun", rb" n 02 ", b" n ff ", "line 2: no synset"),
        ("data.noun", rb" n 02 ", b" v 02 ", "line 2: no synset"),
        ("data.noun", rb" \| what", b" ! what", "line 2: no synset"),
        ("data.noun", rb"what animal", b"what \xff\xfenima", "line 2: no synset"),
        ("data.noun", rb"poodle 0", b"puddle 0", "lacks 'puddle'"),
        ("data.verb", rb"(\d{8}) 03 v", b"xxxxxxxx 03 v", "line 2: no synset"),
        ("index.noun", rb"\d{8}  \n", b"99999999  \n", "no synset stands at byte"),
        ("index.noun", rb" n 1 0 1", b" n 3 0 1", "line 2: no entry"),
        ("index.noun", rb" n 1 0 1", b" n 1 9 1", "line 2: no entry"),
        ("index.adj", rb"big a", b"bag a", "lacks 'big'"),
        ("noun.exc", rb" dog", b"", "noun.exc, line 1: a word and its base"),
    ],
)
def test_files_that_do_not_fit_together_are_refused(
    name, old, new, message, folder, tmp_path
):
    change(folder / name, old, new, count=0 if old == rb"\n" else 1)
    with pytest.raises(InputError, match=message) as error:
        find_wordnet(tmp_path)
    assert "\n" not in str(error.value) and str(folder) in str(error.value)


def test_a_file_that_is_not_there_is_named(folder, tmp_path):
    (folder / "index.verb").unlink()
    with pytest.raises(InputError, match="index.verb"):
        find_wordnet(tmp_path)


def test_the_files_are_read_again_when_they_have_changed(folder, tmp_path, monkeypatch):
    read = []
    read_data = wordnet_files._read_data

    def note(path, *others):
        read.append(path.name)
        read_data(path, *others)

    monkeypatch.setattr(wordnet_files, "_read_data", note)
    for _ in range(2):
        wordnet._open.cache_clear()
        find_wordnet(tmp_path)
    assert read == ["data.noun", "data.verb", "data.adj", "data.adv"]
    change(folder / "data.noun", rb"@ \d{8}", b"@ 99999999")
    wordnet._open.cache_clear()
    with pytest.raises(InputError, match="a pointer to no synset"):
        find_wordnet(tmp_path)
