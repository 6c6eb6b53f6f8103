"""Word relations defined by a test."""

from dsa.data.pair_features.wordnet import WordRelations


class GivenRelations(WordRelations):
    """Stems of Porter; synonyms and hypernyms as given, sets of pairs."""

    def __init__(self, synonyms=(), hypernyms=()):
        super().__init__(None)
        self.given_synonyms, self.given_hypernyms = set(synonyms), set(hypernyms)

    def are_synonyms(self, word, other):
        return not {(word, other), (other, word)}.isdisjoint(self.given_synonyms)

    def has_hypernym(self, word, other):
        return (word, other) in self.given_hypernyms
