"""NLTK's tokenizers come without the rest of NLTK, and leave it as it is."""

import json
import subprocess
import sys

TEXT = "Hello there. He can't go (now) -- \"no\", 'yes'. E.g. T-shirts, 3.5 of 5."
CODE = """
import json, sys
from dsa.data.prepared.treebank import split_treebank
tokens = split_treebank(sys.argv[1])
imported = [name for name in ("nltk", "scipy", "sklearn") if name in sys.modules]
import nltk
from nltk.tokenize import PunktSentenceTokenizer, TreebankWordTokenizer
sentences = PunktSentenceTokenizer().tokenize(sys.argv[1])
expected = [t for s in sentences for t in TreebankWordTokenizer().tokenize(s)]
whole = all(hasattr(nltk, name) for name in ("__version__", "parse", "word_tokenize"))
print(json.dumps([tokens == expected, imported, whole]))
"""


def test_the_tokenizers_come_without_the_rest_of_nltk():
    result = subprocess.run(
        [sys.executable, "-c", CODE, TEXT], capture_output=True, text=True, check=True
    )
    equal, imported, whole = json.loads(result.stdout)
    assert equal
    assert imported == []
    assert whole  # a later `import nltk` brings all of it


def test_where_nltk_is_imported_its_own_modules_are_taken():
    import nltk

    from dsa.data.prepared import treebank

    (punkt,) = treebank._import_modules("nltk.tokenize.punkt")
    assert punkt.PunktSentenceTokenizer is nltk.tokenize.PunktSentenceTokenizer
