"""NLTK's tokenizers are imported without the rest of NLTK."""

import os
import subprocess
import sys

import pytest

from dsa.data.prepared.tokenizer import load_tokenizers

CODE = """
import sys
from dsa.data.prepared.tokenizer import split_treebank
tokens = split_treebank("He isn't here. She's gone.")
assert tokens == ["He", "is", "n't", "here", ".", "She", "'s", "gone", "."], tokens
assert not {"nltk", "scipy", "sklearn"} & set(sys.modules)
"""


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "more",
    [
        "import nltk; assert nltk.word_tokenize and nltk.Tree and nltk.data.path",
        "from nltk.corpus.reader.wordnet import WordNetCorpusReader",
        "from nltk.stem import PorterStemmer; PorterStemmer().stem('running')",
        "from nltk.translate.bleu_score import sentence_bleu",
        "import pickle; from nltk.tokenize import TreebankWordTokenizer as T; "
        "pickle.loads(pickle.dumps(T()))",
    ],
)
def test_the_rest_of_nltk_can_be_imported_afterwards(more):
    run(CODE + more)


def test_loaded_tokenizers_of_nltk_are_reused():
    run("import nltk\n" + CODE.replace('"nltk", "scipy", "sklearn"', '"keras"'))


def test_they_are_loaded_once():
    assert load_tokenizers() is load_tokenizers()
