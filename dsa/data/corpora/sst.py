"""Reader of the Stanford Sentiment Treebank.

Each line of a file is a tree, such as `(3 (2 It) (4 works))`. Every node has a label
from 0 (very negative) to 4 (very positive). The files are in UTF-8.

Reference: Socher et al. 2013, https://nlp.stanford.edu/sentiment/.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import model_validator

from dsa.config_section import Count, setting
from dsa.data.corpora.corpus import Corpus, CorpusOptions
from dsa.data.corpora.example import BRACKETS, Example
from dsa.data.corpora.files import read_lines
from dsa.errors import InputError
from dsa.tasks.classification import Classification

SENTENCE, PHRASE = "sentence", "phrase"  # groups of the rows of `read_sst_phrases`


class SSTOptions(CorpusOptions):
    """`data.options` for `corpus: sst`."""

    phrases: bool = setting(
        False, "Whether to train on the labelled phrases of the trees as well."
    )
    oversample: Count = setting(
        1,
        "With phrases: number of copies of every whole sentence and every non-neutral "
        "phrase in an epoch.",
    )

    @model_validator(mode="after")
    def _check_oversample(self):
        if self.oversample > 1 and not self.phrases:
            raise ValueError(
                "'data.options.oversample' requires 'data.options.phrases: true'"
            )
        return self

    def check_can_split(self) -> None:
        if self.phrases:
            raise ValueError(
                "'data.options.phrases' cannot be combined with 'data.folds' or "
                "'data.dev_share', because phrases of one sentence would be in several "
                "splits"
            )

    def adapt_corpus(self, corpus: Corpus) -> Corpus:
        if not self.phrases:
            return corpus
        return dataclasses.replace(
            corpus, read=read_sst_phrases, official_rows={"train.txt": 318_582}
        )

    def repeat_rows(
        self, rows: np.ndarray, labels: np.ndarray, groups: Sequence, task: Any
    ) -> np.ndarray:
        if self.oversample == 1:
            return rows
        is_neutral = labels[rows] == task.number("neutral")
        is_phrase = np.array([groups[row] == PHRASE for row in rows])
        return np.repeat(rows, np.where(is_phrase & is_neutral, 1, self.oversample))


def read_sst(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for the whole sentence of every tree.

    The words are joined by spaces, and the escapes of the treebank are reverted.

    Raises: `InputError` if a tree is malformed, a label is invalid, or a node has no
        words.
    """
    for number, tree in _read_trees(path):
        yield _make_example(tree, task, None, number)


def read_sst_phrases(path: Path | str, task: Classification) -> Iterator[Example]:
    """Yields an `Example` for every node of every tree, the root first.

    The group is "sentence" for a root, and "phrase" for other nodes.
    """
    for number, tree in _read_trees(path):
        for node in tree.subtrees():
            group = SENTENCE if node is tree else PHRASE
            yield _make_example(node, task, group, number)


def _read_trees(path):
    """Yields `(line number, tree)` for each line of a file."""
    from nltk import Tree

    for number, line in read_lines(path):
        try:
            tree = Tree.fromstring(line)
            nodes = list(tree.subtrees())  # fails if a tree is nested too deeply
        except (ValueError, RecursionError) as error:
            reason = str(error).strip().split("\n")[0] or type(error).__name__
            raise InputError(
                f"{path}, line {number}: malformed tree: {reason}"
            ) from error
        for node in nodes:
            _check_node(node, f"{path}, line {number}")
        yield number, tree


def _check_node(node, location):
    """Raises `InputError` if a node has an invalid label or no words."""
    if node.label() not in ("0", "1", "2", "3", "4"):
        raise InputError(
            f"{location}: the label of a node must be 0 to 4. "
            f"Received: {node.label()!r}"
        )
    if len(node) == 0:
        raise InputError(f"{location}: every node of the tree must contain words")


def _make_example(node, task, group, number):
    """Returns the `Example` of a node. The treebank escapes brackets, `/` and `*`."""
    words = [BRACKETS.get(word, word) for word in map(str, node.leaves())]
    text = " ".join(words).replace("\\/", "/").replace("\\*", "*")
    return Example(
        texts=(text,),
        label=task.labels[int(node.label())],
        id=None,
        group=group,
        parses=None,
        row=number,
    )
