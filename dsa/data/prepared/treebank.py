"""NLTK's tokenizers without the rest of NLTK.

`import nltk` imports scikit-learn and SciPy where they are installed: 1.1 s, of which
the two tokenizers need nothing.
"""

import functools
import importlib
import importlib.util
import sys

PACKAGES = ("nltk", "nltk.tokenize")


def split_treebank(text):
    """Penn Treebank tokens, by NLTK's rules, sentence by sentence.

    Sentences are split by an untrained Punkt model, so that nothing is downloaded.
    """
    sentences, words = _load_tokenizers()
    return [
        token
        for sentence in sentences.tokenize(text)
        for token in words.tokenize(sentence)
    ]


@functools.cache
def _load_tokenizers():
    try:
        punkt, treebank = _import_modules(
            "nltk.tokenize.punkt", "nltk.tokenize.treebank"
        )
    except (ImportError, AttributeError):  # another version of NLTK needs the rest
        punkt = treebank = importlib.import_module("nltk.tokenize")
    return punkt.PunktSentenceTokenizer(), treebank.TreebankWordTokenizer()


def _import_modules(*names):
    """Modules of NLTK; the code of its packages does not run.

    Afterwards none of them is among `sys.modules`: a later `import nltk` imports the
    whole of it, as if this had not happened. Where NLTK is imported already, its own
    modules are taken.
    """
    if "nltk" in sys.modules:
        return [importlib.import_module(name) for name in names]
    try:
        for name in PACKAGES:
            spec = importlib.util.find_spec(name)
            if spec is None:
                raise ImportError(name)
            sys.modules[name] = importlib.util.module_from_spec(spec)
        return [importlib.import_module(name) for name in names]
    finally:
        for name in list(sys.modules):
            if name.split(".")[0] == "nltk":
                del sys.modules[name]
