"""Statistics of the training rows that features need; they are part of a run."""

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
    """How many of `documents` sentences have a word; `counts` by word."""

    documents: int
    counts: dict

    @classmethod
    def learn(cls, sentences):
        """Count the sentences of each word."""
        counts = collections.Counter(
            word for sentence in sentences for word in dict.fromkeys(sentence)
        )
        return cls(len(sentences), dict(counts))

    def inverse(self, word, form):
        """The inverse document frequency of a word: by `form`
        `ln((1 + N) / (1 + df))` ("log"), or `1 / df` ("inverse"), where a word that no
        training sentence has counts as if one had it.
        """
        count = self.counts.get(word, 0)
        if form == "log":
            return math.log((1 + self.documents) / (1 + count))
        return 1 / max(count, 1)


@dataclasses.dataclass
class FeatureStatistics:
    """Statistics of training rows: those that the features need, others `None`."""

    document_frequency: DocumentFrequency | None = None  # of sentence 2
    ngrams: NgramCounts | None = None  # of both sentences
    antonyms: frozenset | None = None  # pairs of words, the one of sentence 1 first
    wordnet: str | None = None  # the version that the training rows' features know

    @classmethod
    def learn(cls, settings, pairs, labels, vectors, *, root=None):
        """The statistics of training rows, as they are in the file, without swapped
        copies. Where there is no WordNet, one line of the log says what that changes.

        Args:
            pairs: the rows, tuples of two lists of tokens.
            labels: the names of their labels.
            vectors: function from a word to its vector, `None` for a word without one.
            root: the data root, as given on the command line.

        Raises: `InputError` for rows of single sentences, and for antonyms of rows
            without the label "entailment".
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
        """Write it as arrays and JSON, atomically."""
        write_arrays(path, *self._to_file())

    @classmethod
    def load(cls, path, settings):
        """What `save` wrote.

        Raises: `InputError` for a file that is missing, damaged, or of other features.
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
        """sha256 of its content, as hexadecimal text."""
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
    """Raises: `ValueError` for numbers that are no sentences of these words."""
    whole = all(array.dtype.kind == "i" and array.ndim == 1 for array in (ids, lengths))
    known = whole and ((0 <= ids) & (ids < len(words))).all()
    if not known or (lengths < 0).any() or lengths.sum() != len(ids):
        raise ValueError("its numbers are no sentences")


def check_pairs(pairs):
    """Raises: `InputError` for a row that is not two sentences."""
    for row, pair in enumerate(pairs, start=1):
        if len(pair) != 2:
            raise InputError(
                f"`features` are of pairs of sentences. Received: row {row} with "
                f"{len(pair)}"
            )
