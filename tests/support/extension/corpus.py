"""A corpus of its own format: `yes|first sentence|second sentence`, one a line."""

import numpy as np

from dsa.config_section import Count, setting
from dsa.data.corpora.catalogue import Corpus
from dsa.data.corpora.corpus import CorpusOptions, Download
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from tests.support.extension.task import AGREEMENT


def read_agreements(path, task):
    """Yield an `Example` for every line.

    Raises: `InputError` with file and line for a line that has not three parts, or
        another label.
    """
    for number, line in read_lines(path):
        label, *texts = line.split("|")
        if len(texts) != 2 or label not in task.names:
            raise InputError(f"{path}, line {number}: yes or no and two texts, by |")
        yield Example(tuple(texts), label, str(number), None, None, number)


class AgreementOptions(CorpusOptions):
    """`data.options` for `corpus: agreements`."""

    most_pairs: Count = setting(1000, "How many pairs of the file training has.")

    @property
    def selects_rows(self):
        return True

    def select_rows(self, labels, groups, task):
        return np.arange(len(labels))[: self.most_pairs]


AGREEMENTS = Corpus(
    "agreements",
    AGREEMENT,
    read_agreements,
    splits={"train": "agreements/train.txt"},
    options=AgreementOptions,
    downloads=(Download("agreements", "MIT", by_hand="Ask two people."),),
)
