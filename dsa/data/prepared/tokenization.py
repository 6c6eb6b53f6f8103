"""Many distinct sentences to numbered words, on all cores."""

import itertools

import numpy as np

from dsa.data.prepared.sentences import Sentences

SENTENCES_A_CHUNK = 10_000


def tokenize_all(tokenize, texts, parses=None):
    """Tokenize sentences, in parallel if they are many.

    Args:
        tokenize: a `Tokenizer`.
        texts: the sentences.
        parses: their parses, `None` for none.

    Returns: the distinct words in the order of their first use, and `Sentences` of
        positions in them; a sentence without any token is empty.
    """
    chunks = [
        (texts[start : start + SENTENCES_A_CHUNK], _part(parses, start))
        for start in range(0, len(texts), SENTENCES_A_CHUNK)
    ]
    words, ids, lengths = {}, [], []
    for chunk_words, chunk_ids, chunk_lengths in _numbered_chunks(tokenize, chunks):
        numbers = [words.setdefault(word, len(words)) for word in chunk_words]
        ids.append(np.array(numbers, np.int32)[chunk_ids])
        lengths.append(chunk_lengths)
    offsets = np.cumsum(np.concatenate([[0], *lengths]), dtype=np.int64)
    flat = np.concatenate([np.empty(0, np.int32), *ids])
    return list(words), Sentences(flat, offsets)


def _part(parses, start):
    return None if parses is None else parses[start : start + SENTENCES_A_CHUNK]


def _numbered_chunks(tokenize, chunks):
    if len(chunks) < 2:
        return itertools.starmap(_numbered, ((tokenize, *chunk) for chunk in chunks))
    from joblib import Parallel, delayed

    return Parallel(n_jobs=-1, return_as="generator")(
        delayed(_numbered)(tokenize, *chunk) for chunk in chunks
    )


def _numbered(tokenize, texts, parses):
    """Distinct words of a chunk, all its tokens as positions in them, and lengths."""
    words, ids, lengths = {}, [], []
    for text, parse in zip(texts, parses or itertools.repeat(None), strict=False):
        tokens = tokenize(text, parse)
        ids += [words.setdefault(token, len(words)) for token in tokens]
        lengths.append(len(tokens))
    return list(words), np.array(ids, np.int32), np.array(lengths, np.int64)
