"""Robustness test: premises extended with unrelated premises."""

import dataclasses

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.prepared.sentences import Sentences
from dsa.errors import InputError

SEED = 13  # fixed: every run is evaluated on the same rows


def surround_premises(
    prepared: PreparedCorpus, count: int, boundaries: tuple[int, int] = (0, 0)
) -> PreparedCorpus:
    """Inserts premises of other rows before and after each premise.

    The premises are drawn without replacement from the distinct premises of the corpus.
    All rows with the same premise get the same text.

    Args:
        prepared: a `PreparedCorpus` of pairs.
        count: number of premises inserted before, and after.
        boundaries: number of boundary tokens at the beginning and at the end of a
            sentence, which are moved to the ends of the text.

    Raises: `InputError` for a corpus with too few premises.
    """
    sentences = prepared.sentences
    premises, row_premise = np.unique(prepared.texts[:, 0], return_inverse=True)
    if len(premises) <= 2 * count:
        raise InputError(
            f"{2 * count} other premises around each one need a corpus with more "
            f"than {2 * count} premises. Received: {len(premises)}"
        )
    random = np.random.default_rng(SEED)
    parts = [sentences.ids]
    for place in range(len(premises)):
        drawn = random.choice(len(premises) - 1, 2 * count, replace=False)
        others = premises[drawn + (drawn >= place)]  # without the premise itself
        chosen = [*others[:count], premises[place], *others[count:]]
        parts.append(_join(sentences, chosen, *boundaries))
    texts = prepared.texts.copy()
    texts[:, 0] = len(sentences) + row_premise
    ends = np.cumsum([len(part) for part in parts])
    surrounded = Sentences(
        np.concatenate(parts), np.concatenate([sentences.offsets, ends[1:]])
    )
    return dataclasses.replace(prepared, texts=texts, sentences=surrounded)


def _join(sentences, chosen, before, after):
    """Returns the concatenation of sentences, with boundary tokens only at its ends."""
    tokens = [
        sentences.ids[sentences.offsets[n] : sentences.offsets[n + 1]] for n in chosen
    ]
    inner = [part[before : len(part) - after] for part in tokens]
    ends = tokens[-1][len(tokens[-1]) - after :]
    return np.concatenate([tokens[0][:before], *inner, ends])
