"""Training statistics that the pair features require."""

import collections
import dataclasses
import hashlib
import json
import logging
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dsa.data.pair_features.ngrams import NgramCounts
from dsa.data.pair_features.relations import find_antonyms
from dsa.data.pair_features.wordnet import WordRelations, open_wordnet
from dsa.errors import InputError
from dsa.system.arrays import read_arrays, write_arrays

if TYPE_CHECKING:
    from dsa.data.pair_features.groups import FeatureSettings

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class DocumentFrequency:
    """Document frequencies: the number of sentences that contain each word.

    Args:
        documents: total number of sentences.
        counts: `{word: number of sentences}`.
    """

    documents: int
    counts: dict

    @classmethod
    def fit(cls, sentences: Sequence[Sequence[str]]) -> "DocumentFrequency":
        """Counts the tokenized sentences that contain each word."""
        counts = collections.Counter(
            word for sentence in sentences for word in dict.fromkeys(sentence)
        )
        return cls(len(sentences), dict(counts))

    def inverse(self, word: str, formula: str) -> float:
        """Returns the inverse document frequency of a word.

        Args:
            word: the word.
            formula: "log" for `ln((1 + N) / (1 + df))`, "inverse" for `1 / max(df, 1)`,
                with the document frequency df of the word, and N sentences.
        """
        count = self.counts.get(word, 0)
        if formula == "log":
            return math.log((1 + self.documents) / (1 + count))
        return 1 / max(count, 1)


@dataclasses.dataclass
class FeatureStatistics:
    """Statistics of training rows. A statistic that no feature requires is `None`.

    Args:
        document_frequency: document frequencies of the words in sentence 2.
        ngrams: counts of the n-grams in both sentences.
        antonyms: pairs of a word of sentence 1 and a word of sentence 2.
        wordnet: version of WordNet; `None` without WordNet.
    """

    document_frequency: DocumentFrequency | None = None
    ngrams: NgramCounts | None = None
    antonyms: frozenset | None = None
    wordnet: str | None = None

    @classmethod
    def fit(
        cls,
        settings: "FeatureSettings",
        pairs: Sequence[Sequence[list[str]]],
        labels: Sequence[str],
        find_vector: Callable[[str], np.ndarray | None],
        *,
        root: Path | None = None,
    ) -> "FeatureStatistics":
        """Computes the statistics of training rows.

        If WordNet is missing, a warning lists the effects on the features.

        Args:
            settings: the `FeatureSettings`.
            pairs: tokenized pairs, without swapped copies.
            labels: label name of each pair.
            find_vector: function that maps a word to its vector, or to `None` if the
                word has no vector.
            root: the data root.

        Raises: `InputError` if a row is a single sentence, or if the features include
            antonyms and no row has the label "entailment".
        """
        check_pairs(pairs)
        required = settings.statistics
        reader = open_wordnet(root) if settings.uses_wordnet else None
        relations = WordRelations(reader)
        if settings.uses_wordnet and reader is None:
            log.warning(
                "WordNet is missing (`dsa download wordnet`): %s",
                "; ".join(settings.without_wordnet),
            )
        statistics = cls(wordnet=relations.version)
        if "document_frequency" in required:
            statistics.document_frequency = DocumentFrequency.fit(
                [second for _, second in pairs]
            )
        if "ngrams" in required:
            sentences = [sentence for pair in pairs for sentence in pair]
            statistics.ngrams = NgramCounts.fit(sentences)
        if "antonyms" in required:
            statistics.antonyms = find_antonyms(
                settings, pairs, labels, find_vector, relations
            )
            log.info("%d pairs of antonyms", len(statistics.antonyms))
        return statistics

    def save(self, path: Path | str) -> None:
        """Writes the statistics to a file, atomically."""
        arrays, record = self._to_record()
        write_arrays(path, arrays, record)

    @classmethod
    def load(cls, path: Path | str, settings: "FeatureSettings") -> "FeatureStatistics":
        """Reads a file written by `save`.

        Args:
            path: the file.
            settings: the `FeatureSettings` of the run.

        Raises: `InputError` if the file is missing or damaged, or lacks a required
            statistic.
        """
        try:
            arrays, record = read_arrays(path, "feature statistics")
            statistics = cls._from_record(arrays, record)
        except FileNotFoundError as error:
            raise InputError(f"{path} is missing, so the run is incomplete") from error
        except InputError:
            raise
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: damaged feature statistics: {error}") from error
        for name in sorted(settings.statistics):
            if getattr(statistics, name) is None:
                raise InputError(
                    f"{path}: '{name}' is missing, but the features of the run "
                    "require it"
                )
        return statistics

    def fingerprint(self) -> str:
        """Returns the SHA-256 of the statistics as a hexadecimal string."""
        arrays, record = self._to_record()
        digest = hashlib.sha256(json.dumps(record).encode())
        for name, array in arrays.items():
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def _to_record(self):
        """Returns the content of a file: arrays, and a JSON record."""
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
    def _from_record(cls, arrays, record):
        """Creates the statistics from the content of a file: arrays, and a JSON
        record."""
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
            statistics.antonyms = frozenset(
                (word, other) for word, other in record["antonyms"]
            )
        return statistics


def _check_sentences(words, ids, lengths):
    """Raises `ValueError` unless ids and lengths are consistent."""
    for name, array in (("ids", ids), ("lengths", lengths)):
        if array.dtype.kind != "i" or array.ndim != 1:
            raise ValueError(f"{name} must be a list of integers")
    if (ids < 0).any() or (ids >= len(words)).any():
        raise ValueError("ids must be indices into the words")
    if (lengths < 0).any() or lengths.sum() != len(ids):
        raise ValueError("ids and lengths must be consistent")


def check_pairs(pairs: Sequence[Sequence]) -> None:
    """Raises `InputError` if a row is not a pair of sentences."""
    for row, pair in enumerate(pairs, start=1):
        if len(pair) != 2:
            raise InputError(
                "`features` require sentence pairs. Received: row "
                f"{row} with {len(pair)} sentences"
            )
