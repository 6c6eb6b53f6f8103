"""Views of prepared corpora, which hide a sentence or the word order from a model.

A view does not change the words, labels, ids and fingerprint of a corpus, so a run has
the same vocabulary and word vectors in every view.
"""

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dsa.data.prepared.sentences import Sentences
from dsa.errors import InputError
from dsa.tasks.task import PAIR

if TYPE_CHECKING:
    from dsa.data.prepared.corpus import PreparedCorpus

SHUFFLED_WORDS, BAG_OF_WORDS = "shuffled_words", "bag_of_words"
# position of the hidden sentence
HIDDEN_SENTENCES = {"hypothesis_only": 0, "premise_only": 1}
VIEWS = (*HIDDEN_SENTENCES, SHUFFLED_WORDS, BAG_OF_WORDS)
SURROUNDED = {f"surrounded_{count}": count for count in (1, 2, 4)}
EVALUATION_VIEWS = (*VIEWS, *SURROUNDED)  # `SURROUNDED` is for evaluation only
PLAIN_VIEW = "plain"  # name of unchanged rows in commands and evaluations
UNKNOWN_WORD = -1  # index of the unknown word in a `PreparedCorpus`


@dataclasses.dataclass(frozen=True)
class View:
    """A transformation of the rows of a corpus.

    - `hypothesis_only` and `premise_only` replace the other sentence of each pair by
      one unknown word.
    - `shuffled_words` permutes the words of each sentence. The permutation depends only
      on the words of the sentence, so equal sentences have the same permutation.
    - `bag_of_words` sorts the words of each sentence.
    - `surrounded_1`, `surrounded_2` and `surrounded_4` insert other premises before and
      after each premise (`surround_premises`).

    Boundaries (`tokenizer.boundaries`) keep their positions.
    """

    name: str | None = None  # one of `EVALUATION_VIEWS`; `None` for unchanged rows
    boundaries: tuple[str | None, str | None] | None = None  # as in `Tokenizer`

    @property
    def hides(self) -> bool:
        """Whether the view hides a sentence of each pair."""
        return self.name in HIDDEN_SENTENCES

    @property
    def _boundary_words(self) -> tuple[str | None, str | None]:
        """Boundary words before and after each sentence; `None` for no word."""
        return (None, None) if self.boundaries is None else self.boundaries

    def apply(self, prepared: "PreparedCorpus") -> "PreparedCorpus":
        """Returns the transformed corpus."""
        if self.hides:
            return self._hide(prepared)
        if self.name in SURROUNDED:
            from dsa.data.prepared.surrounding import surround_premises

            before, after = self._boundary_words
            num_boundaries = (int(before is not None), int(after is not None))
            return surround_premises(
                prepared, SURROUNDED[str(self.name)], num_boundaries
            )
        sentences = self.reorder(prepared.words, prepared.sentences)
        return dataclasses.replace(prepared, sentences=sentences)

    def reorder(self, words: Sequence[str], sentences: Sentences) -> Sentences:
        """Returns the sentences with their words in the order of the view.

        Only `shuffled_words` and `bag_of_words` change the order.

        Args:
            words: the distinct words of the corpus.
            sentences: sentences of indices into `words`; -1 is the unknown word.
        """
        if self.name not in (SHUFFLED_WORDS, BAG_OF_WORDS) or not len(sentences.ids):
            return sentences
        sentence_of_token = np.repeat(np.arange(len(sentences)), sentences.lengths)
        position = np.arange(len(sentences.ids)) - sentences.offsets[sentence_of_token]
        if self.name == BAG_OF_WORDS:
            key = _rank_words(words)[sentences.ids]
        else:
            key = _hash_tokens(words, sentences, sentence_of_token, position)
        part = np.ones(len(sentences.ids), np.int8)  # 0: start, 1: words, 2: end
        before, after = self._boundary_words
        if before:
            part[position == 0] = 0
        if after:
            part[position == sentences.lengths[sentence_of_token] - 1] = 2
        order = np.lexsort((key, part, sentence_of_token))
        return Sentences(sentences.ids[order], sentences.offsets)

    def _hide(self, prepared):
        """Returns the corpus with one sentence of each pair replaced by the unknown
        word."""
        words = prepared.words
        before, after = self._boundary_words
        tokens = [UNKNOWN_WORD]
        if before:
            tokens.insert(0, words.index(before))
        if after:
            tokens.append(words.index(after))
        sentence_indices = prepared.sentence_indices.copy()
        sentence_indices[:, HIDDEN_SENTENCES[str(self.name)]] = len(prepared.sentences)
        return dataclasses.replace(
            prepared,
            sentence_indices=sentence_indices,
            sentences=prepared.sentences.join(Sentences.from_lists([tokens])),
        )

    def check_inputs(self, inputs: Sequence[str]) -> None:
        """Raises `InputError` if the view requires pairs and `inputs` is not `PAIR`."""
        if (self.hides or self.name in SURROUNDED) and inputs != PAIR:
            raise InputError(
                f"the view '{self.name}' requires sentence pairs. Received: single "
                "sentences"
            )


def format_evaluation_name(split: str, view: str | None, run_view: str | None) -> str:
    """Returns the split, followed by the view if it differs from the view of the run.

    Args:
        split: name of the split.
        view: name of the view of the evaluation; `None` for unchanged rows.
        run_view: name of the view of the run; `None` for unchanged rows.

    Example:
        >>> format_evaluation_name("dev", "shuffled_words", None)
        'dev (shuffled_words)'
    """
    if view == run_view:
        return split
    return f"{split} ({view or PLAIN_VIEW})"


def _rank_words(words):
    """Returns the rank of each word in code point order, followed by -1 as the rank of
    the unknown word."""
    ranks = {word: rank for rank, word in enumerate(sorted(words))}
    return np.array([*(ranks[word] for word in words), -1], np.int64)


def _hash_tokens(words, sentences, sentence_of_token, position):
    """Returns a hash of each token.

    The hash depends on all words of the sentence and on the position of the token.
    """
    digests = [hashlib.blake2b(word.encode(), digest_size=8).digest() for word in words]
    keys = [int.from_bytes(digest, "little") for digest in digests]
    word_keys = np.array([*keys, 0], np.uint64)  # 0: the unknown word
    position_keys = _mix(position.astype(np.uint64))
    sums = np.cumsum(_mix(word_keys[sentences.ids] ^ position_keys))  # modulo 2^64
    sums = np.insert(sums, 0, np.uint64(0))
    sentence_keys = np.diff(sums[sentences.offsets])
    return _mix(sentence_keys[sentence_of_token] + position_keys)


def _mix(numbers):
    """Returns the SplitMix64 hashes (Steele et al. 2014) of 64-bit numbers."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
