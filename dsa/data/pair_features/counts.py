"""Features that count words: lengths, shared words, negation."""

import functools

LENGTH_UNIT = 40  # tokens; answers of WikiQA are cut here
NEGATIONS = frozenset(("no", "not", "nobody", "isn't", "n't"))


@functools.cache
def load_stop_words():
    """Scikit-learn's list of 318 frequent English words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS


def measure_lengths(pair, knowledge):
    """Tokens of both sentences, divided by 40."""
    return [len(pair.first) / LENGTH_UNIT, len(pair.second) / LENGTH_UNIT]


def measure_nonoverlap_lengths(pair, knowledge):
    """Tokens of both sentences without the words that they share, divided by 40."""
    return [len(words) / LENGTH_UNIT for words in pair.without_overlap]


def count_shared_words(pair, knowledge):
    """How many tokens of sentence 1 are no stop word and occur in sentence 2."""
    return [len(_find_shared_words(pair))]


def weigh_shared_words(pair, knowledge):
    """The sum of the inverse document frequencies of these tokens."""
    frequency = knowledge.statistics.document_frequency
    form = knowledge.settings.idf
    return [sum(frequency.inverse(word, form) for word in _find_shared_words(pair))]


def _find_shared_words(pair):
    answer, stop_words = set(pair.second), load_stop_words()
    return [
        word for word in pair.first if word in answer and word.lower() not in stop_words
    ]


def find_negation(pair, knowledge):
    """1 if either sentence has a word of `NEGATIONS`, else 0.

    Reference: Yin et al. 2016, section 5.3. "n't" is added: Treebank tokens of "isn't"
        are "is" and "n't".
    """
    return [float(any(t.lower() in NEGATIONS for t in pair.first + pair.second))]
