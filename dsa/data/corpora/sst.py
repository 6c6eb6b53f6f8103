"""The Stanford Sentiment Treebank's trees, one a line: `(3 (2 It) (4 works))`.

Socher et al. 2013, https://nlp.stanford.edu/sentiment/; every node has a label, 0 very
negative to 4 very positive. UTF-8.
"""

from dsa.data.corpora.example import PHRASE, SENTENCE, Example
from dsa.data.corpora.files import read_lines
from dsa.data.corpora.texts import BRACKETS
from dsa.errors import InputError


def read_sst(path, task):
    """Yield an `Example` for every tree: the whole sentence, its words joined by spaces
    and what the treebank escapes as it was.

    Args:
        path: the file, also gzipped.
        task: the `Classification` with five labels.

    Raises: `InputError` with file, line and reason for brackets that do not match, a
        label of any node that is none of 0 to 4, or a node without words.
    """
    for number, tree in _read_trees(path):
        yield _make_example(tree, task, None, number)


def read_sst_phrases(path, task):
    """As `read_sst`, with an `Example` for every node of every tree, the root first.
    The group tells sentences from phrases."""
    for number, tree in _read_trees(path):
        for node in tree.subtrees():
            group = SENTENCE if node is tree else PHRASE
            yield _make_example(node, task, group, number)


def _read_trees(path):
    from nltk import Tree

    for number, line in read_lines(path):
        try:
            tree = Tree.fromstring(line)
            nodes = list(tree.subtrees())  # walks as deep as all that follows
        except (ValueError, RecursionError) as error:
            reason = str(error).strip().split("\n")[0] or type(error).__name__
            raise InputError(f"{path}, line {number}: no tree: {reason}") from error
        for node in nodes:
            _check_node(node, f"{path}, line {number}")
        yield number, tree


def _check_node(node, place):
    if node.label() not in ("0", "1", "2", "3", "4"):
        raise InputError(
            f"{place}: a node's label must be 0 to 4. Received: {node.label()!r}"
        )
    if not len(node):
        raise InputError(f"{place}: a node without any word")


def _unescape(word):
    """A leaf as it is in a text: the treebank escapes brackets, `/` and `*`."""
    return BRACKETS.get(word, word).replace("\\/", "/").replace("\\*", "*")


def _make_example(node, task, group, number):
    text = " ".join(_unescape(word) for word in node.leaves())
    return Example((text,), task.labels[int(node.label())], None, group, None, number)
