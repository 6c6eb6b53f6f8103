"""The words of a pair that are in one of its sentences only."""


def remove_overlap(first, second):
    """Two sentences without the words that both have (NONOVER).

    A word that occurs in both sentences is removed at every place; the order of the
    others stays. A sentence that loses every word is an empty list.

    Args:
        first, second: lists of tokens.

    Returns: two lists of tokens.

    Reference: Yin et al. 2016, https://arxiv.org/abs/1512.05193, section 5.3, Table 5,
        by the rule of their code. The table itself does not follow one rule.

    Example:
        >>> remove_overlap(["a", "man", "eats"], ["a", "dog", "eats"])
        (['man'], ['dog'])
    """
    shared = set(first) & set(second)
    return (
        [word for word in first if word not in shared],
        [word for word in second if word not in shared],
    )
