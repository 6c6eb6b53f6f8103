"""STS-B: sentence pairs with a similarity score from 0 to 5.

Cer et al. 2017, http://ixa2.si.ehu.eus/stswiki; tab-separated though called `.csv`, no
header, no quoting, UTF-8: genre, file, year, number, score, two sentences, and after
them sometimes two sources.
"""

from dsa.data.corpora.columns import parse_score
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError


def read_stsb(path, task):
    """Yield an `Example` for every pair; the genre is its group.

    Args:
        path: the file, also gzipped.
        task: the `Relatedness`.

    Raises: `InputError` with file, line and reason for a malformed row or a score
        outside the scale.
    """
    for number, line in read_lines(path):
        place = f"{path}, line {number}"
        fields = line.split("\t")
        if not 7 <= len(fields) <= 9:
            raise InputError(f"{place}: {len(fields)} fields, 7 to 9 are needed")
        genre, source, year, name, score, *texts = fields[:7]
        yield Example(
            tuple(texts),
            parse_score(score, task, place),
            f"{source}-{year}-{name}",
            genre,
            None,
            number,
        )
