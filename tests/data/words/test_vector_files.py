import gzip
import io
import itertools
import sys
import zipfile

import numpy as np
import pytest

from dsa.data.words.vector_files import (
    check_vector_size,
    read_first_words,
    read_vectors,
)
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
    assert list(read_vectors(path, 3, ["cat"], num_first=1)) == ["the", "cat"]


def test_a_header_and_trailing_spaces_are_skipped(tmp_path):
    path = write(tmp_path / "v.txt", "2 3\nthe 1 2 3 \ncat 4 5 6 \n")
    vectors = read_vectors(path, 3, ["cat"], num_first=1)
    assert list(vectors) == ["the", "cat"]
    np.testing.assert_allclose(vectors["the"], [1, 2, 3])


def test_a_word_of_digits_with_one_unit_is_not_a_header(tmp_path):
    path = write(tmp_path / "v.txt", "5 3\n7 2\n")
    assert list(read_vectors(path, 1, [], num_first=9)) == ["5", "7"]
    path = write(tmp_path / "v.txt", "2 1\n5 3\n7 2\n")
    assert list(read_vectors(path, 1, [], num_first=9)) == ["5", "7"]


def test_a_gzip_file_truncated_anywhere_raises_an_error(tmp_path):
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


def test_the_only_text_file_of_a_zip_file_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("glove.840B.txt", LINES)
    assert list(read_vectors(tmp_path / "v.zip", 3, ["cat"])) == ["cat"]


def test_a_zip_without_the_right_size_is_an_error_that_lists_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("g.50d.txt", "a")
        archive.writestr("g.100d.txt", "a")
    with pytest.raises(
        InputError, match="exactly one text file with 300-d.*g.50d.txt, g.100d.txt"
    ):
        read_vectors(tmp_path / "v.zip", 300, ["cat"])


@pytest.mark.parametrize(
    ("units", "text", "message"),
    [
        (4, LINES, "contains vectors of size 3, but 'embedding.units' is 4"),
        (2, LINES, "contains vectors of size 3, but 'embedding.units' is 2"),
        (2, "9 3\n" + LINES, "contains vectors of size 3, but 'embedding.units' is 2"),
        (3, "the 1 2 3\ncat 4 5\n", "line 2: expected 3 numbers after the word. R"),
        (3, LINES + "dog 1 2", "line 6: expected 3 numbers after the word. R"),
        (3, LINES + "dog 1 2 x\n", "line 6: .*could not convert"),
        (3, LINES + "dog 1 nan 2\n", "line 6: a number is not finite"),
        (3, LINES + "dog 1 inf 2\n", "line 6: a number is not finite"),
        (3, "", "the file is empty"),
    ],
)
def test_a_damaged_file_is_an_error_with_its_place(tmp_path, units, text, message):
    path = write(tmp_path / "v.txt", text)
    with pytest.raises(InputError, match=f"v.txt.*{message}"):
        read_vectors(path, units, ["dog"])


def test_a_file_without_vectors_has_no_size(tmp_path):
    path = write(tmp_path / "v.txt", "0 300\n")
    with pytest.raises(InputError, match="v.txt: the file contains no vectors"):
        check_vector_size(path, 300)


def test_a_cut_gzip_or_zip_file_is_an_error(tmp_path):
    text = "".join(f"w{n} {n} {n} {n}\n" for n in range(5000)).encode()
    (tmp_path / "v.txt.gz").write_bytes(gzip.compress(text)[:-2000])
    (tmp_path / "v.zip").write_bytes(b"PK\x03\x04" + bytes(100))
    for name in ("v.txt.gz", "v.zip"):
        with pytest.raises(InputError, match=f"{name}.*damaged file"):
            read_vectors(tmp_path / name, 3, ["dog"])


def test_words_that_are_not_utf_8_raise_an_error_only_if_they_are_read(tmp_path):
    path = tmp_path / "v.txt"
    path.write_bytes(b"the 1 2 3\n\xff 1 2 3\n")
    assert list(read_vectors(path, 3, ["the"])) == ["the"]
    with pytest.raises(InputError, match="line 2: not UTF-8"):
        read_vectors(path, 3, [], num_first=2)


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


VECTORS = {"</s>": [1, 2, 3], "the": [-0.5, 0, 0.25], "New_York": [4, 5, 6]}


def make_binary(separator=b"\n", header=b"3 3\n"):
    """Returns a file of word2vec's `-binary 1`; gensim writes no separator."""
    entries = (
        word.encode() + b" " + np.array(vector, "<f4").tobytes() + separator
        for word, vector in VECTORS.items()
    )
    return header + b"".join(entries)


@pytest.mark.parametrize("separator", [b"\n", b""])
@pytest.mark.parametrize("name", ["v.bin", "v.bin.gz", "word2vec-google-news.gz"])
def test_the_binary_format_of_word2vec_is_read(tmp_path, separator, name):
    content = make_binary(separator)
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    vectors = read_vectors(path, 3, ["New_York", "dog"], num_first=1)
    assert list(vectors) == ["</s>", "New_York"]
    for word, vector in vectors.items():
        np.testing.assert_array_equal(vector, np.array(VECTORS[word], np.float32))
    assert read_first_words(path, 3, 2) == {"</s>", "the"}
    check_vector_size(path, 3)
    with pytest.raises(InputError, match="contains vectors of size 3, but"):
        check_vector_size(path, 4)


def test_the_binary_file_in_a_zip_file_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("GoogleNews-vectors-negative300.bin", make_binary())
    assert list(read_vectors(tmp_path / "v.zip", 3, ["the"])) == ["the"]


def test_a_long_binary_file_is_read_in_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("dsa.data.words.vector_files.CHUNK_BYTES", 8)
    numbers = np.random.default_rng(0).normal(size=(999, 5)).astype("<f4")
    words = [f"word_{number}" for number in range(999)]
    entries = zip(words, numbers, strict=True)
    content = b"".join(word.encode() + b" " + row.tobytes() for word, row in entries)
    (tmp_path / "v.bin").write_bytes(b"999 5\n" + content)
    vectors = read_vectors(tmp_path / "v.bin", 5, words)
    np.testing.assert_array_equal(np.stack(list(vectors.values())), numbers)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (make_binary()[:-2], "states 3 words, but word 3 is incomplete"),
        (make_binary(header=b"4 3\n"), "states 4 words, but word 4 is incomplete"),
        (make_binary(header=b"2 3\n"), "states 2 words, but the file contains"),
        (make_binary().replace(b"the", b"\xff"), "word 2: not UTF-8"),
        (b"1 3\na " + b"\x00\x00\xc0\x7f" * 3, "word 1: a number is not finite"),
    ],
    ids=["truncated", "more words stated", "fewer words stated", "no UTF-8", "NaN"],
)
def test_a_damaged_binary_file_raises_an_error(tmp_path, content, message):
    (tmp_path / "v.bin").write_bytes(content)
    with pytest.raises(InputError, match=f"v.bin.*{message}"):
        read_vectors(tmp_path / "v.bin", 3, ["the"], num_first=3)


@pytest.mark.parametrize(
    ("name", "magic", "message"),
    [
        (
            "cc.en.300.bin",
            b"\xba\x16\x4f\x2f\x0c\x00",
            r"fastText's binary format. .*load_facebook_vectors\('.*cc.en.300.bin'\)",
        ),
        ("v.kv", b"\x80\x04\x95", r"gensim's format. .*KeyedVectors.load\('.*v.kv'\)"),
        ("deps.words.bz2", b"BZh91AY", "compressed by bzip2. .* bunzip2 .*words.bz2"),
        ("glove.6B.300d", b"PK\x03\x04", "a zip file without .* mv .*glove.6B.300d"),
    ],
)
def test_another_format_is_an_error_with_its_conversion(tmp_path, name, magic, message):
    path = tmp_path / name
    path.write_bytes(magic + bytes(100))
    with pytest.raises(InputError, match=message):
        read_vectors(path, 3, ["the"])


def test_every_text_distribution_of_fasttext_and_gensim_is_read(tmp_path):
    text = b"2 3\nthe 1 2 3 \ncat 4 5 6 \n"
    for name in ("wiki.simple.vec", "cc.en.300.vec.gz", "glove-wiki-gigaword-300.gz"):
        content = gzip.compress(text) if name.endswith(".gz") else text
        (tmp_path / name).write_bytes(content)
        assert list(read_vectors(tmp_path / name, 3, ["cat"])) == ["cat"]


def make_zip(name, content):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(name, content)
    return archive.getvalue()


def make_encrypted_zip(name, content):
    """Returns a zip file whose flags require a password."""
    archive = bytearray(make_zip(name, content))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        archive[archive.index(signature) + flags] |= 1
    return bytes(archive)


TEXT_VECTORS = b"a 1 0 0 1\nman 0 1 0 1\ndog .5 .5 1 0\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.txt", TEXT_VECTORS + b"cat 0 1e99 1 1\n", "line 4"),
        ("v.txt", TEXT_VECTORS + b"cat 0 1_0 1 1\n", "line 4: a number contains '_'"),
        ("v.txt", TEXT_VECTORS + "cat 0 \u0661 1 1\n".encode(), "line 4"),
        ("v.txt", b"4 4\n" + TEXT_VECTORS, "states 4 words, but 3 lines follow"),
        ("v.txt", b"2 4\n" + TEXT_VECTORS, "but 3 lines follow"),
        ("v.txt", b"3 5\n" + TEXT_VECTORS, "vectors of size 5"),
        (
            "v.txt",
            b"9" * 6000 + b" 4\n" + TEXT_VECTORS,
            "expected an integer. Received: '9999",
        ),
        ("v.txt", bytes(100), "vectors of size 0"),
        ("v.txt", b"a\n", "vectors of size 0"),
        ("v.txt", b"a" * 10**6 + b"\n", "vectors of size 0"),
        ("v.txt.gz", TEXT_VECTORS, "damaged file"),
        ("v.zip", TEXT_VECTORS, "damaged file"),
        ("v.zip", make_zip("a.csv", b"x"), "one text file"),
        ("v.zip", make_encrypted_zip("v.txt", TEXT_VECTORS), "damaged file"),
    ],
)
def test_an_unusual_file_is_an_error_in_one_line(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=f"{name}.*{message}") as error:
        read_vectors(tmp_path / name, 4, ["a"], num_first=9)
    assert "\n" not in str(error.value) and len(str(error.value)) < 1000


@pytest.mark.parametrize(
    "content",
    [
        TEXT_VECTORS + b" 9 9 9 9\n",
        TEXT_VECTORS.replace(b"\n", b"\r\n"),
        TEXT_VECTORS.rstrip(b"\n"),
    ],
    ids=["an empty word", "CRLF line endings", "no newline at the end"],
)
def test_an_unusual_file_is_read(tmp_path, content):
    (tmp_path / "v.txt").write_bytes(content)
    vectors = read_vectors(tmp_path / "v.txt", 4, ["a", "man", "dog"], num_first=9)
    assert list(vectors) == ["a", "man", "dog"]
    np.testing.assert_allclose(vectors["a"], [1, 0, 0, 1])
    np.testing.assert_allclose(vectors["dog"], [0.5, 0.5, 1, 0])


@pytest.mark.parametrize("header", ["", "2 3\n"])
def test_a_byte_order_mark_is_removed(tmp_path, header):
    path = write(tmp_path / "v.txt", f"\ufeff{header}the 1 2 3\ncat 4 5 6\n")
    check_vector_size(path, 3)
    assert list(read_vectors(path, 3, ["the", "cat"])) == ["the", "cat"]
    assert read_first_words(path, 3, 1) == {"the"}
