"""NLTK's tokenizers without the rest of NLTK, which imports SciPy and scikit-learn: a
second before the first answer."""

import functools
import importlib.util
import sys
from typing import Any


@functools.cache
def load_tokenizers() -> tuple[Any, Any]:
    """Returns an untrained Punkt model, which needs no download, and the Treebank
    tokenizer.

    Their modules are loaded below a package `nltk` that is empty, and then forgotten:
    whoever imports NLTK later gets it as a whole.
    """
    alone = "nltk" not in sys.modules
    if alone:
        spec: Any = importlib.util.find_spec("nltk")
        sys.modules["nltk"] = importlib.util.module_from_spec(spec)
    try:
        from nltk.tokenize.punkt import PunktSentenceTokenizer
        from nltk.tokenize.treebank import TreebankWordTokenizer
    finally:
        if alone:
            for name in [*sys.modules]:
                if name.partition(".")[0] == "nltk":
                    del sys.modules[name]
    return PunktSentenceTokenizer(), TreebankWordTokenizer()
