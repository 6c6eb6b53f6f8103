"""Texts that come from a user, not from a corpus."""


class RawTextTokenizer:
    """A tokenizer over texts that come without parses."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    @property
    def settings(self):
        """What decides the tokens of a text."""
        return ["raw", *self.tokenizer.settings]

    def __call__(self, text, parse=None):
        return self.tokenizer(text)

    def pair_with_parses(self, example, path):
        return ((text, None) for text in example.texts)
