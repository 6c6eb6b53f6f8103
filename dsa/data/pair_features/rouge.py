"""ROUGE: the words, bigrams and skip bigrams that two sentences share."""

from collections import Counter

from dsa.data.pair_features.ngrams import compare_counts, count_ngrams

SKIP = 4  # at most so many tokens between the two of a skip bigram


def compute_rouge(pair, knowledge):
    """F1 of ROUGE-1, ROUGE-2 and ROUGE-SU4.

    Reference: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries",
        sections 2, 4 and 5.
    """
    return [
        *(
            compare_counts(count_ngrams(pair.first, n), count_ngrams(pair.second, n))
            for n in (1, 2)
        ),
        compare_counts(count_skip_bigrams(pair.first), count_skip_bigrams(pair.second)),
    ]


def count_skip_bigrams(tokens):
    """The tokens, and the ordered pairs of tokens with at most four between them."""
    pairs = [
        (token, later)
        for start, token in enumerate(tokens)
        for later in tokens[start + 1 : start + SKIP + 2]
    ]
    return Counter(pairs) + count_ngrams(tokens, 1)
