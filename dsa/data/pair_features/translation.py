"""Machine translation metrics with sentence 1 as reference and sentence 2 as output.

TER is computed as published. BLEU is smoothed, NIST takes its n-gram counts from the
training sentences, and METEOR is an older version of the metric. MAXSIM, BADGER and
TERp are approximations; the functions describe the differences. chrF replaces SEPIA,
which requires a parser.

Reference: Madnani et al. 2012, "Re-examining Machine Translation Metrics for
    Paraphrase Identification".
"""

import bz2
import functools
import math
from types import ModuleType

import numpy as np

from dsa.data.pair_features.ngrams import NgramCounts, count_ngrams, list_ngrams
from dsa.data.pair_features.pair import Knowledge, Pair
from dsa.data.pair_features.wordnet import WordRelations
from dsa.system.extras import importing

BLEU_ORDER = 4
BETA = math.log(0.5) / math.log(1.5) ** 2  # NIST's penalty for short outputs
STEM, SYNONYM = 0.8, 0.5  # MAXSIM's similarity of words; 1 for equal words


def compute_translation(pair: Pair, knowledge: Knowledge) -> list[float]:
    """Returns the 15 metrics BADGER, BLEU-1 to -4, NIST-1 to -5, MAXSIM, METEOR, chrF,
    TER and TERp."""
    reference, output = pair.first, pair.second
    relations = knowledge.relations
    replaced = replace_related(reference, output, relations)
    edits = score_edits(reference, output)
    return [
        score_compression(reference, output),
        *score_bleu(reference, output),
        *score_nist(reference, output, knowledge.statistics.ngrams, pair.is_train),
        score_matching(reference, output, relations),
        score_meteor(reference, output, relations),
        score_characters(reference, output),
        edits,
        edits if replaced == output else score_edits(reference, replaced),
    ]


def score_bleu(reference: list[str], output: list[str]) -> list[float]:
    """Returns BLEU-1 to -4, computed by sacreBLEU, as fractions.

    Orders without matches are smoothed exponentially. Orders that are longer than the
    output are ignored.
    """
    bleu = import_sacrebleu().BLEU  # pyright: ignore[reportPrivateImportUsage]
    scores, matches, totals = [], [], []
    for n in range(1, BLEU_ORDER + 1):
        shared = count_ngrams(reference, n) & count_ngrams(output, n)
        matches.append(shared.total())
        totals.append(max(len(output) - n + 1, 0))
        result = bleu.compute_bleu(
            list(matches),
            list(totals),
            sys_len=len(output),
            ref_len=len(reference),
            smooth_method="exp",
            effective_order=True,
            max_ngram_order=n,
        )
        scores.append(result.score / 100)
    return scores


def score_nist(
    reference: list[str], output: list[str], ngrams: NgramCounts, is_train: bool
) -> list[float]:
    """Returns NIST-1 to -5.

    The information of an n-gram is `log2(count of its first n - 1 tokens / count of the
    n-gram)`. The score of an order is the information of the matched n-grams, divided
    by the number of n-grams in the output. NIST-n is the sum of the scores of orders 1
    to n, multiplied by a penalty for short outputs.

    N-grams are counted in the training sentences. For other pairs, the n-grams of both
    sentences are added to the counts, so the scores of training rows and of other rows
    are comparable.

    Args:
        reference, output: tokens of the sentences.
        ngrams: counts of the training sentences.
        is_train: whether the counts include both sentences.

    Raises: `ValueError` if `is_train` is true, but the statistics do not include an
        n-gram of the output.

    Reference: Doddington 2002, "Automatic Evaluation of Machine Translation Quality
        Using N-gram Co-Occurrence Statistics".
    """
    counts = ngrams.look_up(output)
    prefix_count = np.full(len(output), ngrams.tokens)  # of the first n - 1 tokens
    if not is_train:
        prefix_count += len(reference) + len(output)
    score = 0.0
    scores = []
    for n, count in enumerate(counts, start=1):
        grams = list_ngrams(output, n)
        in_reference, in_output = count_ngrams(reference, n), count_ngrams(output, n)
        if not is_train:
            count = count + [in_reference[gram] + in_output[gram] for gram in grams]
        if not count.all():
            raise ValueError(
                "`is_train` requires a pair that is included in the statistics. "
                f"Received: sentence 2 {' '.join(output)!r}"
            )
        if grams:
            information = np.log2(prefix_count[: len(grams)] / count)
            # the matches of an n-gram that occurs k times are spread over k positions
            shares = [min(in_reference[gram] / in_output[gram], 1) for gram in grams]
            score += float(information @ shares) / len(grams)
        scores.append(score)
        prefix_count = count
    return [score * _compute_brevity_penalty(reference, output) for score in scores]


def _compute_brevity_penalty(reference, output):
    """Returns NIST's penalty for short outputs, from 0 to 1."""
    if not reference:
        return 1.0
    if not output:
        return 0.0
    ratio = min(1, len(output) / len(reference))
    return math.exp(BETA * math.log(ratio) ** 2)


def score_compression(reference: list[str], output: list[str]) -> float:
    """Returns an approximation of BADGER: the normalized compression distance with
    bzip2."""
    first = _measure_compressed_size(reference)
    second = _measure_compressed_size(output)
    both = _measure_compressed_size(reference + output)
    return (both - min(first, second)) / max(first, second)


def _measure_compressed_size(words):
    """Returns the number of bytes of words compressed by bzip2."""
    return len(bz2.compress(" ".join(words).encode(), 1))


def score_matching(
    reference: list[str], output: list[str], relations: WordRelations
) -> float:
    """Returns an approximation of MAXSIM: the F1 score of the best matching of words.
    The similarity of equal words is 1, of words with the same stem .8, of synonyms
    .5."""
    from scipy.optimize import linear_sum_assignment

    if not (reference and output):
        return 0.0
    # (reference tokens, output tokens)
    similarities = np.array(
        [
            [_compare_words(word, other, relations) for other in output]
            for word in reference
        ]
    )
    best = similarities[linear_sum_assignment(similarities, maximize=True)].sum()
    return float(2 * best / (len(reference) + len(output)))


def _compare_words(word, other, relations):
    """Returns the similarity of two words, from 0 to 1."""
    if word == other:
        return 1.0
    if relations.stem(word) == relations.stem(other):
        return STEM
    if relations.are_synonyms(word, other):
        return SYNONYM
    return 0.0


def score_meteor(
    reference: list[str], output: list[str], relations: WordRelations
) -> float:
    """Returns METEOR, computed by NLTK. Equal words, words with the same stem and
    synonyms match."""
    from nltk.translate.meteor_score import single_meteor_score

    return single_meteor_score(
        reference, output, preprocess=str, stemmer=relations, wordnet=relations
    )


def score_characters(reference: list[str], output: list[str]) -> float:
    """Returns chrF, computed by sacreBLEU, as a fraction."""
    chrf = import_sacrebleu().CHRF()  # pyright: ignore[reportPrivateImportUsage]
    return chrf.sentence_score(" ".join(output), [" ".join(reference)]).score / 100


def score_edits(reference: list[str], output: list[str]) -> float:
    """Returns TER, computed by sacreBLEU: insertions, deletions, substitutions and
    shifts per token of the reference. An empty reference counts as one token."""
    import_sacrebleu()
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    edits, _ = translation_edit_rate(output, reference)
    return edits / max(len(reference), 1)


def replace_related(
    reference: list[str], output: list[str], relations: WordRelations
) -> list[str]:
    """Replaces words of the output by related words of the reference.

    A word that is missing in the reference is replaced by the first word with the same
    stem, otherwise by the first synonym. Other words are unchanged. The TER of the
    result approximates TERp, which also uses phrase substitutions.

    Returns: list of words.
    """
    distinct = dict.fromkeys(reference)
    return [
        word if word in distinct else _choose_related_word(word, distinct, relations)
        for word in output
    ]


def _choose_related_word(word, candidates, relations):
    """Returns the first candidate with the same stem as a word, otherwise the first
    synonym, otherwise the word."""
    stem = relations.stem(word)
    for candidate in candidates:
        if relations.stem(candidate) == stem:
            return candidate
    for candidate in candidates:
        if relations.are_synonyms(word, candidate):
            return candidate
    return word


@functools.cache
def import_sacrebleu() -> ModuleType:
    """Imports the metrics of sacreBLEU.

    Raises: `InputError` if sacreBLEU is not installed.
    """
    with importing("pair-features", "the features 'mt' require sacreBLEU"):
        from sacrebleu import metrics
    return metrics
