import gzip

import pytest

from dsa.data.corpora.files import find_file, read_lines
from dsa.errors import InputError
from dsa.system.folders import data_root
from dsa.system.reading import fingerprint


def test_lines_end_at_newlines_alone(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffone\x85two\u2028\r\nthree\vfour\n\nlast".encode())
    assert list(read_lines(path)) == [
        (1, "one\x85two\u2028"),
        (2, "three\vfour"),
        (3, ""),
        (4, "last"),
    ]


def test_a_gzipped_file_has_the_same_lines(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n"))
    assert list(read_lines(path)) == [(1, "one"), (2, "two")]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_cut_gzip_file_is_an_error_with_its_name(tmp_path, share):
    path = tmp_path / "a.txt.gz"
    data = gzip.compress(b"".join(b"line %d\n" % n for n in range(1000)))
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(InputError, match=r"a\.txt\.gz, after line \d+: damaged gzip"):
        list(read_lines(path))


def test_a_file_that_is_no_gzip_is_an_error(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(b"plain text")
    with pytest.raises(InputError, match="damaged gzip file"):
        list(read_lines(path))


def test_bytes_that_are_not_utf_8_are_an_error_with_file_and_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nbad \xff\n")
    with pytest.raises(InputError, match=r"a\.txt, line 2: not UTF-8"):
        list(read_lines(path))


def test_a_missing_file_is_replaced_by_its_gzipped_file(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b""))
    assert find_file(tmp_path, "a.txt").name == "a.txt.gz"
    (tmp_path / "a.txt").write_bytes(b"")
    assert find_file(tmp_path, "a.txt").name == "a.txt"
    with pytest.raises(
        InputError, match=r"file not found: .*b\.txt \(also searched with"
    ):
        find_file(tmp_path, "b.txt")


@pytest.mark.parametrize("path", ["", ".", "..", "corpus", "corpus/"])
def test_a_folder_in_place_of_a_file_raises_an_error(path, tmp_path):
    root = tmp_path / "root"
    (root / "corpus").mkdir(parents=True)
    with pytest.raises(InputError, match="expected a file. Received: a folder"):
        find_file(root, path)


def test_the_bundled_corpus_is_found_below_any_data_root(tmp_path, monkeypatch):
    bundled = find_file(tmp_path / "elsewhere", "mini/dev.jsonl")
    assert bundled.name == "dev.jsonl.gz" and bundled.is_file()
    (tmp_path / "mini").mkdir()
    (tmp_path / "mini/dev.jsonl").write_bytes(b"")
    assert find_file(tmp_path, "mini/dev.jsonl") == tmp_path / "mini/dev.jsonl"
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"file not found: .*mini/none\.jsonl"):
        find_file(tmp_path, "mini/none.jsonl")


def test_a_missing_corpus_names_its_download(tmp_path):
    for path, name in (
        ("snli_1.0/snli_1.0_train.jsonl", "snli"),
        ("stsbenchmark/sts-dev.csv", "stsb"),
        ("glove.840B.300d.zip", "glove.840B.300d"),
    ):
        with pytest.raises(InputError, match=f"dsa download {name}$"):
            find_file(tmp_path, path)
    with pytest.raises(InputError, match="else data/$"):
        find_file(tmp_path, "my/own.jsonl")


def test_the_data_root_is_argument_then_variable_then_data(monkeypatch):
    assert str(data_root()) == "data"
    monkeypatch.setenv("DSA_DATA", "elsewhere")
    assert str(data_root()) == "elsewhere"
    assert str(data_root("here")) == "here"


def test_the_fingerprint_is_the_sha256_of_the_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert fingerprint(tmp_path / "a").startswith("ba7816bf8f01cfea414140de5dae2223")
