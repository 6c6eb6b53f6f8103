"""Views of prepared corpora, which hide a sentence or the word order from a model.

A view keeps the words, labels, ids and fingerprint of a corpus, so that a run has the
same vocabulary and word vectors in every view.
"""

import dataclasses
import hashlib

import numpy as np

from dsa.data.prepared.sentences import Sentences
from dsa.errors import InputError
from dsa.tasks.task import PAIR

SHUFFLED_WORDS, BAG_OF_WORDS = "shuffled_words", "bag_of_words"
HIDDEN = {"hypothesis_only": 0, "premise_only": 1}  # position of the hidden sentence
VIEWS = (*HIDDEN, SHUFFLED_WORDS, BAG_OF_WORDS)
SURROUNDED = {f"surrounded_{count}": count for count in (1, 2, 4)}
EVALUATION_VIEWS = (*VIEWS, *SURROUNDED)  # `SURROUNDED` is for evaluation only
PLAIN = "plain"  # name of unchanged rows in commands and evaluations
UNKNOWN_WORD = -1  # as `PreparedCorpus` has it


@dataclasses.dataclass(frozen=True)
class View:
    """A transformation of the rows of a corpus.

    `hypothesis_only` and `premise_only` replace the other sentence of every pair by one
    unknown word. `shuffled_words` permutes the words of a sentence; the permutation
    depends on the words only, so that it is the same in every row, file, process and
    backend. `bag_of_words` sorts the words of a sentence. Boundaries
    (`tokenizer.boundaries`) keep their positions.
    """

    name: str | None = None  # one of `EVALUATION_VIEWS`; `None` for unchanged rows
    boundaries: tuple[str | None, str | None] | None = None  # as in `Tokenizer`

    @property
    def hides(self):
        """Whether the view hides a sentence of each pair."""
        return self.name in HIDDEN

    def apply(self, prepared):
        """Returns the transformed `PreparedCorpus`."""
        if self.hides:
            return self._hide(prepared)
        if self.name in SURROUNDED:
            from dsa.data.prepared.surrounding import surround_premises

            before, after = self.boundaries or (None, None)
            ends = int(before is not None), int(after is not None)
            return surround_premises(prepared, SURROUNDED[self.name], ends)
        sentences = self.reorder(prepared.words, prepared.sentences)
        return dataclasses.replace(prepared, sentences=sentences)

    def reorder(self, words, sentences):
        """Returns sentences with reordered words; unchanged if the view does not affect
        the word order. Sentences are positions in the distinct `words`, -1 for the
        unknown word."""
        if self.name not in (SHUFFLED_WORDS, BAG_OF_WORDS) or not len(sentences.ids):
            return sentences
        sentence_of_token = np.repeat(np.arange(len(sentences)), sentences.lengths)
        place = np.arange(len(sentences.ids)) - sentences.offsets[sentence_of_token]
        if self.name == BAG_OF_WORDS:
            key = _rank(words)[sentences.ids]
        else:
            key = _draw(words, sentences, sentence_of_token, place)
        part = np.ones(len(sentences.ids), np.int8)
        before, after = self.boundaries or (None, None)
        if before:
            part[place == 0] = 0
        if after:
            part[place == sentences.lengths[sentence_of_token] - 1] = 2
        order = np.lexsort((key, part, sentence_of_token))
        return Sentences(sentences.ids[order], sentences.offsets)

    def _hide(self, prepared):
        words, sentences = prepared.words, prepared.sentences
        before, after = (
            [words.index(word)] if word else []
            for word in self.boundaries or (None, None)
        )
        hidden = Sentences.from_lists([[*before, UNKNOWN_WORD, *after]])
        texts = prepared.texts.copy()
        texts[:, HIDDEN[str(self.name)]] = len(sentences)
        return dataclasses.replace(
            prepared, texts=texts, sentences=sentences.join(hidden)
        )

    def check_inputs(self, inputs):
        """Raises `InputError` if the view requires pairs and rows are not pairs."""
        if (self.hides or self.name in SURROUNDED) and inputs != PAIR:
            raise InputError(
                f"the view '{self.name}' is for sentence pairs, and rows are single "
                "sentences"
            )


def format_evaluation_name(split, view, own):
    """Returns the name of an evaluation: the split, followed by the view in parentheses
    if it differs from the view of the run.

    Args:
        split: name of the split.
        view, own: names of the views of the evaluation and of the run, or `None`.

    Example:
        >>> format_evaluation_name("dev", "shuffled_words", None)
        'dev (shuffled_words)'
    """
    return split if view == own else f"{split} ({view or PLAIN})"


def _rank(words):
    """Returns the rank of each word in code point order, followed by -1 for the unknown
    word."""
    rank = {word: place for place, word in enumerate(sorted(words))}
    return np.array([*(rank[word] for word in words), -1], np.int64)


def _draw(words, sentences, sentence_of_token, place):
    """Returns a pseudo-random number for each token, which depends on the words of its
    sentence and its position."""
    keys = [
        int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
        for word in words
    ]
    word_keys = np.array([*keys, 0], np.uint64)
    place_keys = _mix(place.astype(np.uint64))
    sums = np.cumsum(_mix(word_keys[sentences.ids] ^ place_keys))  # modulo 2^64
    sums = np.insert(sums, 0, np.uint64(0))
    sentence_keys = np.diff(sums[sentences.offsets])
    return _mix(sentence_keys[sentence_of_token] + place_keys)


def _mix(numbers):
    """Returns the SplitMix64 hashes (Steele et al. 2014) of 64-bit numbers."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
