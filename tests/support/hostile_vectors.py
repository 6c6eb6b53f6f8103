"""Vector files that are broken or odd, by what is wrong with them.

`GOOD` files are to be read rightly, `BAD` ones refused with the words given.
"""

import gzip
import io
import zipfile

VECTOR_LINES = b"a 1 0 0 1\nman 0 1 0 1\ndog .5 .5 1 0\n"


def make_zip(**members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("_dot_", "."), data)
    return content.getvalue()


def _encrypted(data):
    """A zip whose flags say that a password is needed."""
    data = bytearray(data)
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + place] |= 1
    return bytes(data)


# name -> (file name, bytes, words of the error)
BAD_VECTORS = {
    "empty": ("v.txt", b"", "the file is empty"),
    "NaN": ("v.txt", VECTOR_LINES + b"cat 0 nan 1 1\n", "line 4: a number is not fin"),
    "infinity": ("v.txt", VECTOR_LINES + b"cat 0 inf 1 1\n", "line 4: a number is not"),
    "a number beyond float32": ("v.txt", VECTOR_LINES + b"cat 0 1e99 1 1\n", "line 4"),
    "a text for a number": ("v.txt", VECTOR_LINES + b"cat 0 x 1 1\n", "line 4"),
    "invalid UTF-8": ("v.txt", VECTOR_LINES + b"\xff 0 1 1 1\n", "line 4: not UTF-8"),
    "another dimension": ("v.txt", b"a 1 2 3\n", "vectors of size 3"),
    "a longer dimension": ("v.txt", b"a 1 2 3 4 5\n", "vectors of size 5"),
    "a number with '_'": ("v.txt", VECTOR_LINES + b"cat 0 1_0 1 1\n", "line 4: '_'"),
    "an Arabic digit": (
        "v.txt",
        VECTOR_LINES + "cat 0 \u0661 1 1\n".encode(),
        "line 4",
    ),
    "a header of more lines": (
        "v.txt",
        b"4 4\n" + VECTOR_LINES,
        "line 1: the header states 4 words, but 3 lines follow",
    ),
    "a header of fewer lines": ("v.txt", b"2 4\n" + VECTOR_LINES, "but 3 lines follow"),
    "a header of other units": (
        "v.txt",
        b"3 5\n" + VECTOR_LINES,
        "vectors of size 5",
    ),
    "a header of many digits": (
        "v.txt",
        b"9" * 6000 + b" 4\n" + VECTOR_LINES,
        "line 1: no whole number: '9999",
    ),
    "a short line": ("v.txt", VECTOR_LINES + b"cat 1\n", "line 4: 1 numbers after"),
    "NUL bytes": ("v.txt", bytes(100), "vectors of size 0"),
    "a word alone": ("v.txt", b"a\n", "vectors of size 0"),
    "a line of 1 MB": ("v.txt", b"a" * 10**6 + b"\n", "vectors of size 0"),
    "no gzip": ("v.txt.gz", VECTOR_LINES, "damaged file"),
    "a cut gzip": ("v.txt.gz", gzip.compress(VECTOR_LINES)[:-9], "damaged file"),
    "no zip": ("v.zip", VECTOR_LINES, "damaged file"),
    "a zip without text": ("v.zip", make_zip(a_dot_csv=b"x"), "no text file"),
    "a zip with a password": (
        "v.zip",
        _encrypted(make_zip(v_dot_txt=VECTOR_LINES)),
        "damaged file",
    ),
}

# name -> (file name, bytes); all hold the vectors of VECTOR_LINES
GOOD_VECTORS = {
    "a word twice": ("v.txt", VECTOR_LINES + b"a 9 9 9 9\n"),
    "an empty word": ("v.txt", VECTOR_LINES + b" 9 9 9 9\n"),
    "a word of spaces": ("v.txt", VECTOR_LINES + b". . . 9 9 9 9\n"),
    "a next-line character": ("v.txt", VECTOR_LINES + b"\xc2\x85 9 9 9 9\n"),
    "a word2vec header": ("v.txt", b"3 4\n" + VECTOR_LINES),
    "CRLF line ends": ("v.txt", VECTOR_LINES.replace(b"\n", b"\r\n")),
    "spaces at the end": ("v.txt", VECTOR_LINES.replace(b"\n", b" \n")),
    "no newline at the end": ("v.txt", VECTOR_LINES.rstrip(b"\n")),
    "a Mac's zip": ("v.zip", make_zip(v_dot_txt=VECTOR_LINES, __MACOSX="x")),
}
