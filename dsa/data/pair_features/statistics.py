"""Statistics of the training rows that are required by features and saved in a run."""

import collections
import dataclasses
import hashlib
import json
import logging
import math
from typing import Any

import numpy as np

from dsa.data.pair_features.ngrams import NgramCounts
from dsa.data.pair_features.relations import learn_antonyms
from dsa.data.pair_features.wordnet import WordRelations, open_wordnet
from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class DocumentFrequency:
    """Document frequencies: the number of sentences that contain each word, out of
    `documents` sentences."""

    documents: int
    counts: dict

    @classmethod
    def learn(cls, sentences):
        """Counts the sentences that contain each word."""
        counts = collections.Counter(
            word for sentence in sentences for word in dict.fromkeys(sentence)
        )
        return cls(len(sentences), dict(counts))

    def inverse(self, word, form):
        """Returns the inverse document frequency of a word: `ln((1 + N) / (1 + df))`
        for the form "log", `1 / max(df, 1)` for "inverse"."""
        count = self.counts.get(word, 0)
        if form == "log":
            return math.log((1 + self.documents) / (1 + count))
        return 1 / max(count, 1)


@dataclasses.dataclass
class FeatureStatistics:
    """Statistics of training rows; `None` for statistics that no feature requires."""

    document_frequency: DocumentFrequency | None = None  # of sentence 2
    ngrams: NgramCounts | None = None  # of both sentences
    antonyms: frozenset | None = None  # (word of sentence 1, word of sentence 2)
    wordnet: str | None = None  # version of WordNet; `None` without WordNet

    @classmethod
    def learn(cls, settings, pairs, labels, vectors, *, root=None):
        """Computes the statistics of training rows, without swapped copies. A warning
        lists the effects of a missing WordNet.

        Args:
            pairs: tuples of two lists of tokens.
            labels: the names of the labels.
            vectors: function that returns the vector of a word, or `None`.
            root: the data root.

        Raises: `InputError` for rows of single sentences, and for antonyms if no row
            has the label "entailment".
        """
        check_pairs(pairs)
        needed = settings.statistics
        reader = open_wordnet(root) if settings.without_wordnet else None
        relations = WordRelations(reader)
        if settings.without_wordnet and reader is None:
            log.warning(
                "no WordNet (`dsa download wordnet`): %s",
                "; ".join(settings.without_wordnet),
            )
        statistics = cls(wordnet=relations.version)
        if "document_frequency" in needed:
            statistics.document_frequency = DocumentFrequency.learn(
                [second for _, second in pairs]
            )
        if "ngrams" in needed:
            sentences = [sentence for pair in pairs for sentence in pair]
            statistics.ngrams = NgramCounts.learn(sentences)
        if "antonyms" in needed:
            statistics.antonyms = learn_antonyms(
                settings, pairs, labels, vectors, relations
            )
            log.info("%d pairs of antonyms", len(statistics.antonyms))
        return statistics

    def save(self, path):
        """Writes the statistics to a file, atomically."""
        write_arrays(path, *self._to_file())

    @classmethod
    def load(cls, path, settings):
        """Reads a file written by `save`.

        Raises: `InputError` for a file that is missing or damaged, or that lacks a
            required statistic.
        """
        try:
            arrays, record = read_arrays(path, "feature statistics")
            statistics = cls._from_file(arrays, record)
        except FileNotFoundError as error:
            raise InputError(f"{path}: missing, the run is not complete") from error
        except InputError:
            raise
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: damaged feature statistics: {error}") from error
        for name in sorted(settings.statistics):
            if getattr(statistics, name) is None:
                raise InputError(f"{path}: not of this run's features: no '{name}'")
        return statistics

    def fingerprint(self):
        """Returns the SHA-256 of the statistics as hexadecimal text."""
        arrays, record = self._to_file()
        digest = hashlib.sha256(json.dumps(record).encode())
        for name, array in arrays.items():
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def _to_file(self):
        arrays: dict[str, np.ndarray] = {}
        record: dict[str, Any] = {"wordnet": self.wordnet}
        if self.document_frequency is not None:
            counts = self.document_frequency.counts
            record["documents"] = self.document_frequency.documents
            record["document_words"] = list(counts)
            arrays["document_counts"] = np.array(list(counts.values()), np.int64)
        if self.ngrams is not None:
            record["words"] = self.ngrams.words
            arrays |= {"ids": self.ngrams.ids, "lengths": self.ngrams.lengths}
        if self.antonyms is not None:
            record["antonyms"] = sorted(self.antonyms)
        return arrays, record

    @classmethod
    def _from_file(cls, arrays, record):
        statistics = cls(wordnet=record["wordnet"])
        if "documents" in record:
            counts = arrays["document_counts"].tolist()
            words = dict(zip(record["document_words"], counts, strict=True))
            statistics.document_frequency = DocumentFrequency(
                int(record["documents"]), words
            )
        if "words" in record:
            words, ids, lengths = record["words"], arrays["ids"], arrays["lengths"]
            _check_sentences(words, ids, lengths)
            statistics.ngrams = NgramCounts(words, ids, lengths)
        if "antonyms" in record:
            statistics.antonyms = frozenset((a, b) for a, b in record["antonyms"])
        return statistics


def _check_sentences(words, ids, lengths):
    """Raises `ValueError` unless ids and lengths are consistent."""
    whole = all(array.dtype.kind == "i" and array.ndim == 1 for array in (ids, lengths))
    known = whole and ((0 <= ids) & (ids < len(words))).all()
    if not known or (lengths < 0).any() or lengths.sum() != len(ids):
        raise ValueError("ids and lengths must be consistent")


def check_pairs(pairs):
    """Raises `InputError` for a row that is not a pair."""
    for row, pair in enumerate(pairs, start=1):
        if len(pair) != 2:
            raise InputError(
                "`features` require sentence pairs. Received: row "
                f"{row} with {len(pair)} sentences"
            )
