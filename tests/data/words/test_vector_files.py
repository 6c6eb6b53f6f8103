import gzip
import itertools
import sys
import zipfile

import numpy as np
import pytest

from dsa.data.words.vector_files import read_first_words, read_vectors
from dsa.errors import InputError
from dsa.system.terminal import log_to_stream

LINES = "the 1 2 3\n. . . 4 5 6\ncat -1.5 2e-3 0\n\u00a0odd\x85 7 8 9\ncat 9 9 9\n"


def write(path, text):
    path.write_bytes(text.encode())
    return path


def test_wanted_words_are_read_and_lines_split_from_the_right(tmp_path):
    path = write(tmp_path / "v.txt", LINES)
    vectors = read_vectors(path, 3, ["cat", "\u00a0odd\x85", ". . .", "dog"])
    assert list(vectors) == [". . .", "cat", "\u00a0odd\x85"]
    np.testing.assert_allclose(vectors["cat"], [-1.5, 2e-3, 0])  # the first one wins
    np.testing.assert_allclose(vectors["\u00a0odd\x85"], [7, 8, 9])


def test_the_most_frequent_words_are_the_first_lines(tmp_path):
    path = write(tmp_path / "v.txt", LINES)
    assert list(read_vectors(path, 3, ["cat"], frequent=1)) == ["the", "cat"]


def test_a_word2vec_header_is_skipped_and_trailing_spaces_do_no_harm(tmp_path):
    path = write(tmp_path / "v.txt", "2 3\nthe 1 2 3 \ncat 4 5 6 \n")
    vectors = read_vectors(path, 3, ["cat"], frequent=1)
    assert list(vectors) == ["the", "cat"]
    np.testing.assert_allclose(vectors["the"], [1, 2, 3])


def test_of_one_unit_a_word_of_digits_is_no_header(tmp_path):
    path = write(tmp_path / "v.txt", "5 3\n7 2\n")
    assert list(read_vectors(path, 1, [], frequent=9)) == ["5", "7"]
    path = write(tmp_path / "v.txt", "2 1\n5 3\n7 2\n")
    assert list(read_vectors(path, 1, [], frequent=9)) == ["5", "7"]


def test_a_gzip_that_is_cut_anywhere_is_refused(tmp_path):
    numbers = np.random.default_rng(0).normal(size=(300, 2))
    lines = "".join(f"w{i} {x:.5f} {y:.5f}\n" for i, (x, y) in enumerate(numbers))
    whole = gzip.compress(lines.encode())
    path = tmp_path / "v.txt.gz"
    for cut in [*range(40), *range(40, len(whole), 23), *range(-40, 0)]:
        path.write_bytes(whole[:cut])
        with pytest.raises(InputError, match=r"v\.txt\.gz"):
            read_vectors(path, 2, ["w1"])


def test_the_first_words_are_read_without_the_rest(tmp_path):
    path = write(tmp_path / "v.txt", "9 3\n" + LINES + "cut 1\n")
    assert read_first_words(path, 3, 2) == {"the", ". . ."}


def test_gzipped_and_zipped_files_read_the_same(tmp_path):
    (tmp_path / "v.txt.gz").write_bytes(gzip.compress(LINES.encode()))
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("glove.1B.2d.txt", "the 1 2\n")
        archive.writestr("__MACOSX/glove.1B.3d.txt", "x")
        archive.writestr("glove.1B.3d.txt", LINES)
    for name in ("v.txt.gz", "v.zip"):
        assert list(read_vectors(tmp_path / name, 3, ["cat"])) == ["cat"]


def test_a_zip_with_one_text_file_needs_no_name(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("glove.840B.txt", LINES)
    assert list(read_vectors(tmp_path / "v.zip", 3, ["cat"])) == ["cat"]


def test_a_zip_without_the_right_size_is_an_error_that_lists_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("g.50d.txt", "a")
        archive.writestr("g.100d.txt", "a")
    with pytest.raises(
        InputError, match="no text file with 300-d.*g.50d.txt, g.100d.txt"
    ):
        read_vectors(tmp_path / "v.zip", 300, ["cat"])


@pytest.mark.parametrize(
    ("units", "text", "message"),
    [
        (4, LINES, "contains vectors of size 3, but 'embedding.units' is 4"),
        (2, LINES, "contains vectors of size 3, but 'embedding.units' is 2"),
        (2, "9 3\n" + LINES, "contains vectors of size 3, but 'embedding.units' is 2"),
        (3, LINES + "dog 1 2", "line 6: 2 numbers after the word instead of 3"),
        (3, LINES + "dog 1 2 x\n", "line 6: .*could not convert"),
        (3, LINES + "dog 1 nan 2\n", "line 6: a number is not finite"),
        (3, LINES + "dog 1 inf 2\n", "line 6: a number is not finite"),
        (3, "", "no vectors: the file is empty"),
    ],
)
def test_a_damaged_file_is_an_error_with_its_place(tmp_path, units, text, message):
    path = write(tmp_path / "v.txt", text)
    with pytest.raises(InputError, match=f"v.txt.*{message}"):
        read_vectors(path, units, ["dog"])


def test_a_cut_gzip_or_zip_file_is_an_error(tmp_path):
    text = "".join(f"w{n} {n} {n} {n}\n" for n in range(5000)).encode()
    (tmp_path / "v.txt.gz").write_bytes(gzip.compress(text)[:-2000])
    (tmp_path / "v.zip").write_bytes(b"PK\x03\x04" + bytes(100))
    for name in ("v.txt.gz", "v.zip"):
        with pytest.raises(InputError, match=f"{name}.*damaged file"):
            read_vectors(tmp_path / name, 3, ["dog"])


def test_words_that_are_not_utf_8_matter_only_where_they_are_kept(tmp_path):
    path = tmp_path / "v.txt"
    path.write_bytes(b"the 1 2 3\n\xff 1 2 3\n")
    assert list(read_vectors(path, 3, ["the"])) == ["the"]
    with pytest.raises(InputError, match="line 2: not UTF-8"):
        read_vectors(path, 3, [], frequent=2)


@pytest.mark.parametrize("suffix", [".txt", ".txt.gz", ".zip"])
def test_a_long_file_shows_how_far_it_is_read(tmp_path, monkeypatch, capsys, suffix):
    path = tmp_path / f"v{suffix}"
    if suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("v.txt", LINES)
    else:
        text = LINES.encode()
        path.write_bytes(gzip.compress(text) if suffix == ".txt.gz" else text)
    clock = itertools.count(0, 40)
    monkeypatch.setattr("dsa.system.terminal.monotonic", lambda: next(clock))
    log_to_stream(sys.stdout)
    read_vectors(path, 3, ["cat"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5 and lines[-1].endswith(f" reading v{suffix}: 100 %")


def test_a_tab_can_follow_the_word(tmp_path):
    path = write(tmp_path / "v.txt", "the\t1 2 3\ncat\t4 5 6\n")
    np.testing.assert_allclose(read_vectors(path, 3, ["cat"])["cat"], [4, 5, 6])


def test_the_vec_file_of_a_zip_file_of_fasttext_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "wiki-news.vec.zip", "w") as archive:
        archive.writestr("wiki-news.vec", "2 3\nthe 1 2 3\ncat 4 5 6\n")
    vectors = read_vectors(tmp_path / "wiki-news.vec.zip", 3, ["cat"])
    np.testing.assert_allclose(vectors["cat"], [4, 5, 6])
