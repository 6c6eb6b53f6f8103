"""Texts to tokens."""

import functools
import logging

from dsa.data.corpora.texts import BRACKETS
from dsa.errors import InputError

log = logging.getLogger(__name__)


def treebank_tokens(text):
    """Penn Treebank tokens, by NLTK's rules, sentence by sentence.

    Sentences are split by an untrained Punkt model, so that nothing is downloaded.
    """
    sentences, words = _treebank()
    return [
        token for part in sentences.tokenize(text) for token in words.tokenize(part)
    ]


@functools.cache
def _treebank():
    from nltk.tokenize import PunktSentenceTokenizer, TreebankWordTokenizer

    return PunktSentenceTokenizer(), TreebankWordTokenizer()


def parse_leaves(parse):
    """The leaves of a binary parse, `( ( Two women ) ... )`, brackets as brackets."""
    return [BRACKETS.get(t, t) for t in parse.split() if t not in ("(", ")")]


class Tokenizer:
    """Texts to lists of tokens, as a config's `tokenizer` section says.

    `treebank` splits as `treebank_tokens`, `whitespace` at white space, `binary_parse`
    takes the leaves of the corpus's own parse; raw text has none and falls back to
    `treebank`, with one warning.
    """

    def __init__(self, name="treebank", lowercase=True):
        self.name = name
        self.lowercase = lowercase
        self._warned = False

    def __call__(self, text, parse=None):
        if self.name == "whitespace":
            tokens = text.split()
        elif self.name == "binary_parse" and parse is not None:
            tokens = parse_leaves(parse)
        else:
            if self.name == "binary_parse" and not self._warned:
                log.warning(
                    "raw text has no parse: it is tokenized by 'treebank', which can "
                    "differ from the parses that the model was trained on"
                )
                self._warned = True
            tokens = treebank_tokens(text)
        return [token.lower() for token in tokens] if self.lowercase else tokens

    def what_it_reads(self, example, path):
        """Text and parse of the sentences of a corpus row, as arguments of a call;
        the parse is `None` where it plays no part.

        Raises: `InputError` if the tokenizer needs parses and the row has none.
        """
        if self.name != "binary_parse":
            parses = (None,) * len(example.texts)
        elif example.parses is None:
            raise InputError(
                f"{path}, line {example.line}: no binary parse, which 'tokenizer.name: "
                "binary_parse' needs. Use 'tokenizer.name: treebank' for this corpus"
            )
        else:
            parses = example.parses
        return zip(example.texts, parses, strict=True)
