"""Machine translation metrics with sentence 1 as reference and sentence 2 as output.

BLEU, NIST and TER are computed as published, METEOR in an older version. MAXSIM, BADGER
and TERp are approximations, described at their functions. chrF replaces SEPIA, which
requires a parser.

Reference: Madnani et al. 2012, "Re-examining Machine Translation Metrics for
    Paraphrase Identification".
"""

import bz2
import functools
import itertools
import math

import numpy as np

from dsa.data.pair_features.ngrams import NgramCounts, count_ngrams, list_ngrams
from dsa.system.extras import importing

BLEU_ORDER = 4
BETA = math.log(0.5) / math.log(1.5) ** 2  # NIST's penalty for short outputs
STEM, SYNONYM = 0.8, 0.5  # MAXSIM's similarity of words; 1 for equal words


def compute_translation(pair, knowledge):
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


def score_bleu(reference, output):
    """Returns BLEU-1 to -4 from 0 to 1, computed by sacreBLEU. Orders without matches
    are smoothed exponentially; orders longer than the output are ignored."""
    bleu = _import_sacrebleu().BLEU  # pyright: ignore[reportPrivateImportUsage]
    lengths, orders = (len(output), len(reference)), range(1, BLEU_ORDER + 1)
    options = {"smooth_method": "exp", "effective_order": True}
    compute = functools.partial(bleu.compute_bleu, **options)
    shared = (count_ngrams(reference, n) & count_ngrams(output, n) for n in orders)
    matches = [ngrams.total() for ngrams in shared]
    totals = [max(len(output) - n + 1, 0) for n in orders]
    results = (
        compute(matches[:n], totals[:n], *lengths, max_ngram_order=n) for n in orders
    )
    return [result.score / 100 for result in results]


def score_nist(
    reference: list[str], output: list[str], ngrams: NgramCounts, is_train: bool
) -> list[float]:
    """Returns NIST-1 to -5.

    The score of an order is the information of the matched n-grams, `log2(count of the
    first n - 1 tokens / count of the n-gram)`, divided by the number of n-grams of the
    output. Scores are summed from order 1, with a penalty for short outputs. Counts are
    taken from the training sentences. For other pairs, both sentences are added to the
    counts, so that scores of training rows and other rows are comparable.

    Raises: `ValueError` for training sentences that are missing in the counts.

    Reference: Doddington 2002, "Automatic Evaluation of Machine Translation Quality
        Using N-gram Co-Occurrence Statistics".
    """
    counts = ngrams.look_up(output)
    before = np.full(len(output), ngrams.tokens)  # counts of the first n - 1 tokens
    if not is_train:
        before += len(reference) + len(output)
    score, scores = 0.0, []
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
            information = np.log2(before[: len(grams)] / count)
            # the matches of an n-gram that occurs k times are spread over k positions
            shares = [min(in_reference[g] / in_output[g], 1) for g in grams]
            score += float(information @ shares) / len(grams)
        scores.append(score)
        before = count
    return [score * _punish_short(output, reference) for score in scores]


def _punish_short(output, reference):
    ratio = min(1, len(output) / len(reference)) if reference else 1
    return math.exp(BETA * math.log(ratio) ** 2) if ratio else 0.0


def score_compression(reference, output):
    """Returns an approximation of BADGER, the normalized compression distance with
    bzip2."""
    first, second, both = (
        len(bz2.compress(" ".join(words).encode(), 1))
        for words in (reference, output, reference + output)
    )
    return (both - min(first, second)) / max(first, second)


def score_matching(reference, output, relations):
    """Returns an approximation of MAXSIM, the F1 score of the best matching of words.
    Equal words have similarity 1, words with the same stem .8, synonyms .5."""
    from scipy.optimize import linear_sum_assignment

    if not (reference and output):
        return 0.0
    words = itertools.product(reference, output)
    values = np.array([_compare_words(*pair, relations) for pair in words])
    values = values.reshape(len(reference), len(output))
    best = values[linear_sum_assignment(values, maximize=True)].sum()
    return float(2 * best / (len(reference) + len(output)))


def _compare_words(word, other, relations):
    if word == other:
        return 1.0
    if relations.stem(word) == relations.stem(other):
        return STEM
    return SYNONYM if relations.are_synonyms(word, other) else 0.0


def score_meteor(reference, output, relations):
    """Returns METEOR, computed by NLTK with equal words, equal stems and synonyms."""
    from nltk.translate.meteor_score import single_meteor_score

    return single_meteor_score(
        reference, output, preprocess=str, stemmer=relations, wordnet=relations
    )


def score_characters(reference, output):
    """Returns chrF from 0 to 1, computed by sacreBLEU."""
    chrf = _import_sacrebleu().CHRF()  # pyright: ignore[reportPrivateImportUsage]
    return chrf.sentence_score(" ".join(output), [" ".join(reference)]).score / 100


def score_edits(reference, output):
    """Returns TER, computed by sacreBLEU: insertions, deletions, substitutions and
    shifts per token of the reference. An empty reference counts as one token."""
    _import_sacrebleu()
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    edits, _ = translation_edit_rate(output, reference)
    return edits / max(len(reference), 1)


def replace_related(reference, output, relations):
    """Returns the output with words that are missing in the reference replaced by the
    first word of the reference with the same stem, or otherwise by the first synonym.

    The TER of the result approximates TERp, which also uses phrase substitutions.
    """
    known = dict.fromkeys(reference)
    return [
        word if word in known else _choose_related_word(word, known, relations)
        for word in output
    ]


def _choose_related_word(word, known, relations):
    stem = relations.stem(word)
    same_stem = (other for other in known if relations.stem(other) == stem)
    synonyms = (other for other in known if relations.are_synonyms(word, other))
    return next(itertools.chain(same_stem, synonyms), word)


@functools.cache
def _import_sacrebleu():
    with importing("pair-features", "the features 'mt' require sacreBLEU"):
        from sacrebleu import metrics
    return metrics
