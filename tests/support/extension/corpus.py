"""A corpus with a new file format: lines of `yes|first sentence|second sentence`."""

import numpy as np

from dsa.config_section import Count, setting
from dsa.data.corpora.catalogue import Corpus
from dsa.data.corpora.corpus import CorpusOptions, Download
from dsa.data.corpora.example import Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from tests.support.extension.task import AGREEMENT


def read_agreements(path, task):
    """Yields an `Example` for each line.

    Raises: `InputError` if a line does not have three parts or has an unknown label.
    """
    for number, line in read_lines(path):
        label, *texts = line.split("|")
        if len(texts) != 2 or label not in task.names:
            raise InputError(f"{path}, line {number}: expected yes|TEXT|TEXT or no|...")
        yield Example(tuple(texts), label, str(number), None, None, number)


class AgreementOptions(CorpusOptions):
    """`data.options` for `corpus: agreements`."""

    most_pairs: Count = setting(1000, "Maximum number of training pairs.")

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
