"""Foreign premises before and after the premise of each pair: a longer text, in which
as much is said of the hypothesis as before."""

import dataclasses

import numpy as np

from dsa.data.prepared.corpus import PreparedCorpus
from dsa.data.prepared.sentences import Sentences
from dsa.errors import InputError

SEED = 13  # fixed: every run is evaluated on the same rows


def surround_premises(
    prepared: PreparedCorpus, count: int, boundaries: tuple[int, int] = (0, 0)
) -> PreparedCorpus:
    """Puts premises of other rows before and after each premise.

    Each distinct premise gets premises of its own, drawn without replacement from the
    distinct premises of the corpus: the same ones in every row that has it.

    Args:
        prepared: the `PreparedCorpus`, of pairs.
        count: how many are put before, and as many after.
        boundaries: how many tokens at the beginning and at the end of a sentence stay
            at the ends of the whole.

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
    together = Sentences(
        np.concatenate(parts), np.concatenate([sentences.offsets, ends[1:]])
    )
    return dataclasses.replace(prepared, texts=texts, sentences=together)


def _join(sentences, chosen, before, after):
    """Sentences as one, with the boundaries of the first and of the last one only."""
    tokens = [
        sentences.ids[sentences.offsets[n] : sentences.offsets[n + 1]] for n in chosen
    ]
    inner = [part[before : len(part) - after] for part in tokens]
    ends = tokens[-1][len(tokens[-1]) - after :]
    return np.concatenate([tokens[0][:before], *inner, ends])
