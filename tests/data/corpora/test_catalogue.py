import dataclasses

import pytest

from dsa.data.corpora import catalogue
from dsa.data.corpora.catalogue import (
    CORPORA,
    DOWNLOADS,
    find_download,
    get_corpus,
    register,
)
from dsa.data.corpora.corpus import Download
from dsa.errors import InputError


@pytest.fixture
def own_catalogue(monkeypatch):
    """What a test registers is gone after it."""
    monkeypatch.setattr("dsa.data.corpora.catalogue.CORPORA", dict(CORPORA))


@pytest.mark.parametrize("name", CORPORA)
def test_a_corpus_is_filed_under_its_name_and_has_a_reader_and_a_task(name):
    corpus = get_corpus(name)
    assert corpus.name == name
    assert callable(corpus.reader) and corpus.task.outputs >= 2


@pytest.mark.parametrize("name", CORPORA)
def test_row_counts_refer_to_the_files_of_the_splits(name):
    corpus = CORPORA[name]
    files = {path.rpartition("/")[2] for path in corpus.splits.values()}
    if name != "quora":  # its count is of the file that BiMPM's splits are drawn from
        assert set(corpus.official_rows) <= files


def test_an_unknown_corpus_is_an_error_with_the_nearest_known_one():
    with pytest.raises(InputError, match="unknown corpus 'snil'. Did you mean 'snli'?"):
        get_corpus("snil")
    with pytest.raises(InputError, match="unknown corpus 'x'. Known: snli, multinli"):
        get_corpus("x")


def test_a_corpus_can_be_added_once(own_catalogue):
    own = dataclasses.replace(CORPORA["cr"], name="reviews")
    register(own)
    assert get_corpus("reviews") is own
    with pytest.raises(
        ValueError, match="a corpus named 'reviews' is already registered"
    ):
        register(own)


@pytest.mark.parametrize("name", CORPORA)
def test_every_corpus_has_a_licence_a_folder_and_a_way_to_get_it(name):
    corpus = CORPORA[name]
    files = [*corpus.splits.values(), *(one.file for one in corpus.robustness)]
    assert {file.split("/")[0] for file in files if file} == {corpus.folder}
    assert corpus.licence == corpus.downloads[0].licence
    for download in corpus.downloads:
        assert DOWNLOADS[download.name] is download
        assert bool(download.files) != bool(download.by_hand)
    assert find_download(f"{corpus.folder}/x").name in DOWNLOADS


def test_downloads_of_a_registered_corpus_are_registered(own_catalogue, monkeypatch):
    monkeypatch.setattr("dsa.data.corpora.catalogue.DOWNLOADS", {})
    download = Download("reviews", "MIT", by_hand="Write them.")
    register(dataclasses.replace(CORPORA["cr"], name="x", downloads=(download,)))
    assert catalogue.DOWNLOADS == {"reviews": download}


def test_every_download_has_an_address_and_a_checksum_with_its_source():
    without = set()
    for name, known in DOWNLOADS.items():
        for source in known.files:
            assert source.url.startswith("https://")
            assert source.size or source.max_bytes
            assert source.sha256 or source.file_checksums, source.url
            for sha256 in source.file_checksums.values():
                assert len(sha256) == 64 and source.sha256_source
            if source.sha256 is None:  # that of what is in it is known
                without.add(name)
                continue
            assert source.size > 0
            assert len(source.sha256) == 64 and source.sha256_source
    assert without == {"sick", "sentence_classification", "stsb"}
    by_hand = {name for name, known in DOWNLOADS.items() if known.by_hand}
    nli = {"multinli_test", "snli_hard", "breaking_nli", "nli_stress_tests", "cad"}
    assert by_hand == nli | {"quora", "explosion.300d"}
