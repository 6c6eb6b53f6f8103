"""Extends premises by unrelated premises, for a robustness test."""

import dataclasses

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.prepared.sentences import Sentences
from dsa.errors import InputError

SEED = 13  # fixed, so that all runs are evaluated on the same rows


def surround_premises(
    prepared: PreparedCorpus, count: int, boundaries: tuple[int, int] = (0, 0)
) -> PreparedCorpus:
    """Inserts premises of other rows before and after each premise.

    The premises are drawn without replacement from the distinct premises of the corpus.
    All rows with the same premise get the same text.

    Args:
        prepared: a `PreparedCorpus` of pairs.
        count: number of premises to insert before, and also after, each premise.
        boundaries: number of boundary tokens at the beginning and at the end of each
            sentence. Extended premises have boundary tokens only at their ends.

    Returns: a `PreparedCorpus` with the extended premises.

    Raises: `InputError` if the corpus has at most `2 * count` distinct premises.
    """
    sentences = prepared.sentences
    premises, row_premise = np.unique(
        prepared.sentence_indices[:, 0], return_inverse=True
    )
    if len(premises) <= 2 * count:
        raise InputError(
            f"{2 * count} other premises around each premise require a corpus with "
            f"more than {2 * count} premises. Received: {len(premises)}"
        )
    random = np.random.default_rng(SEED)
    parts = [sentences.ids]
    for position, premise in enumerate(premises):
        other_premises = np.delete(premises, position)
        drawn = random.choice(len(other_premises), 2 * count, replace=False)
        drawn_premises = other_premises[drawn]
        extended = [*drawn_premises[:count], premise, *drawn_premises[count:]]
        parts.append(_join(sentences, extended, *boundaries))
    sentence_indices = prepared.sentence_indices.copy()
    sentence_indices[:, 0] = len(sentences) + row_premise
    ends = np.cumsum([len(part) for part in parts])
    surrounded = Sentences(
        np.concatenate(parts), np.concatenate([sentences.offsets, ends[1:]])
    )
    return dataclasses.replace(
        prepared, sentence_indices=sentence_indices, sentences=surrounded
    )


def _join(sentences, positions, before, after):
    """Returns the concatenated tokens of sentences.

    The first `before` and the last `after` tokens of a sentence are boundary tokens.
    The concatenation has boundary tokens only at its ends.
    """
    tokens = [
        sentences.ids[sentences.offsets[index] : sentences.offsets[index + 1]]
        for index in positions
    ]
    inner = [part[before : len(part) - after] for part in tokens]
    end = tokens[-1][len(tokens[-1]) - after :]
    return np.concatenate([tokens[0][:before], *inner, end])
