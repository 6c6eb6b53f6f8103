"""Damaged WordNet files raise one error that names the file."""

import os
import re
import warnings
from pathlib import Path

import pytest

from dsa.data.pair_features.wordnet import WordRelations, open_wordnet
from dsa.errors import InputError
from tests.support.small_wordnet import write_wordnet

FILES = Path("/proc/self/fd")  # links to the open files of this process


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A small WordNet in the data root `tmp_path`, without `lexnames`, as Debian's."""
    monkeypatch.delenv("DSA_WORDNET", raising=False)
    return write_wordnet(tmp_path / "wordnet")


def change(path, old, new, count=1):
    content = path.read_bytes()
    assert re.search(old, content)
    path.write_bytes(re.sub(old, new, content, count=count))


def test_an_intact_wordnet_is_used(folder, tmp_path):
    relations = WordRelations(open_wordnet(tmp_path))
    assert relations.version == "3.0"
    assert relations.are_synonyms("dogges", "domestic_dog")
    assert relations.has_hypernym("poodle", "beast")
    assert not relations.has_hypernym("beast", "poodle")
    assert relations.are_synonyms("large", "big")


def test_the_file_lexnames_is_optional(folder, tmp_path):
    lines = [f"{number:02}\tname.{number}\t1\n" for number in range(45)]
    (folder / "lexnames").write_text("".join(lines))
    relations = WordRelations(open_wordnet(tmp_path))
    assert relations.has_hypernym("poodle", "beast")


def test_a_cycle_of_hypernyms_ends(folder, tmp_path):
    relations = WordRelations(open_wordnet(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert relations.has_hypernym("restrain", "inhibit")
        assert relations.has_hypernym("inhibit", "restrain")


@pytest.mark.parametrize("part", ["noun", "verb", "adj", "adv"])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
@pytest.mark.parametrize("kind", ["data", "index"])
def test_a_truncated_file_is_an_error(kind, share, part, folder, tmp_path):
    path = folder / f"{kind}.{part}"
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(InputError, match=f"damaged WordNet: .*{part}") as error:
        WordRelations(open_wordnet(tmp_path))
    assert "\n" not in str(error.value) and str(folder) in str(error.value)


@pytest.mark.parametrize("kind", ["data", "index"])
def test_a_missing_last_line_is_an_error(kind, folder, tmp_path):
    path = folder / f"{kind}.noun"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(InputError, match="index.noun"):
        open_wordnet(tmp_path)


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("data.noun", rb"\n", b"\r\n", "data.noun: no intact synset at byte"),
        (
            "data.verb",
            rb"(\d{8}) 03 v",
            b"xxxxxxxx 03 v",
            "data.verb: no intact synset",
        ),
        ("index.noun", rb"\d{8}  \n", b"99999999  \n", "not the index of data.noun"),
        ("index.noun", rb" n 1 0 1", b" n x 0 1", "not the index of data.noun"),
        ("index.noun", rb" n 1 0 1", b" n 3 0 1", "not the index of data.noun"),
        ("noun.exc", rb"dogges dog\n", b"\n", "noun.exc: "),
    ],
)
def test_inconsistent_files_are_an_error(name, old, new, message, folder, tmp_path):
    change(folder / name, old, new, count=0 if old == rb"\n" else 1)
    with pytest.raises(InputError, match=message) as error:
        open_wordnet(tmp_path)
    assert "\n" not in str(error.value) and str(folder) in str(error.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb"@ \d{8}", b"@ 99999999"),
        (rb"@ \d{8} n", b"@ 00000001 n"),
        (rb"@ (\d{8}) n", rb"@ \1 x"),
        (rb" n 02 ", b" n ff "),
        (rb"what dog", b"what \xff\xfeo"),
    ],
)
@pytest.mark.filterwarnings("ignore:No WordNet synset found")
def test_a_damaged_synset_is_one_error_that_names_the_file(old, new, folder, tmp_path):
    change(folder / "data.noun", old, new)
    with pytest.raises(InputError, match="damaged") as error:
        WordRelations(open_wordnet(tmp_path)).has_hypernym("poodle", "animal")
    assert "\n" not in str(error.value) and str(folder) in str(error.value)


def test_a_missing_file_raises_an_error_with_its_name(folder, tmp_path):
    (folder / "index.verb").unlink()
    with pytest.raises(InputError, match="index.verb"):
        open_wordnet(tmp_path)


@pytest.mark.skipif(not FILES.is_dir(), reason="needs the list of open files")
def test_files_are_closed_if_one_is_damaged(folder, tmp_path):
    (folder / "adv.exc").unlink()
    with pytest.raises(InputError, match="adv.exc") as error:
        open_wordnet(tmp_path)
    open_files = [os.path.realpath(path) for path in FILES.iterdir()]
    assert not [path for path in open_files if path.startswith(str(folder))]
    assert error.value.__traceback__  # refers to the reader
