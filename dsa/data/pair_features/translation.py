"""Scores of machine translation: sentence 1 is the reference, sentence 2 the output.

Of the paper's 15 scores BLEU, NIST and TER are the published ones; METEOR is an older
version; MAXSIM, BADGER and TERp are approximations, each described at its function;
chrF takes the place of SEPIA, which needs a parser.

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
BETA = math.log(0.5) / math.log(1.5) ** 2  # of NIST's penalty for short outputs
STEM, SYNONYM = 0.8, 0.5  # MAXSIM's values of two words, beside 1 for equal ones


def compute_translation(pair, knowledge):
    """The 15 scores: BADGER, BLEU-1 to -4, NIST-1 to -5, MAXSIM, METEOR, chrF, TER,
    TERp."""
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
    """BLEU-1 to -4 from 0 to 1, by sacreBLEU: orders without any match are smoothed
    exponentially, orders that the output is too short for are left out."""
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
    """NIST-1 to -5.

    For each order the information of the matched n-grams, `log2(count of its first
    n - 1 tokens / count of the n-gram)`, over the number of n-grams of the output;
    these are added up from order 1, and a short output is punished. Counts are those
    of the training sentences, with both sentences of a pair that is no training row:
    without these, n-grams of other pairs that no training row has would count
    nothing, and the scores of training and other rows could not be compared.

    Raises: `ValueError` for training sentences that the counts do not have.

    Reference: Doddington 2002, "Automatic Evaluation of Machine Translation Quality
        Using N-gram Co-Occurrence Statistics".
    """
    counts = ngrams.look_up(output)
    before = np.full(len(output), ngrams.tokens)  # of the first n - 1 tokens
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
                "`is_train` is for pairs that the statistics were counted on. "
                f"Received: one whose sentence 2 is another, {' '.join(output)!r}"
            )
        if grams:
            information = np.log2(before[: len(grams)] / count)
            # a gram that occurs k times has its share at each place
            shares = [min(in_reference[g] / in_output[g], 1) for g in grams]
            score += float(information @ shares) / len(grams)
        scores.append(score)
        before = count
    return [score * _punish_short(output, reference) for score in scores]


def _punish_short(output, reference):
    ratio = min(1, len(output) / len(reference)) if reference else 1
    return math.exp(BETA * math.log(ratio) ** 2) if ratio else 0.0


def score_compression(reference, output):
    """BADGER, approximated: the normalised compression distance with bzip2."""
    first, second, both = (
        len(bz2.compress(" ".join(words).encode(), 1))
        for words in (reference, output, reference + output)
    )
    return (both - min(first, second)) / max(first, second)


def score_matching(reference, output, relations):
    """MAXSIM, approximated: F1 of the best matching of words, where equal words count
    1, words of the same stem .8, synonyms .5."""
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
    """METEOR by NLTK: equal words, equal stems, synonyms."""
    from nltk.translate.meteor_score import single_meteor_score

    return single_meteor_score(
        reference, output, preprocess=str, stemmer=relations, wordnet=relations
    )


def score_characters(reference, output):
    """chrF from 0 to 1, by sacreBLEU."""
    chrf = _import_sacrebleu().CHRF()  # pyright: ignore[reportPrivateImportUsage]
    return chrf.sentence_score(" ".join(output), [" ".join(reference)]).score / 100


def score_edits(reference, output):
    """TER by sacreBLEU: insertions, deletions, substitutions and shifts for each token
    of the reference, or of an empty reference as if it had one."""
    _import_sacrebleu()
    from sacrebleu.metrics.lib_ter import translation_edit_rate

    edits, _ = translation_edit_rate(output, reference)
    return edits / max(len(reference), 1)


def replace_related(reference, output, relations):
    """The output with each word that the reference lacks replaced by the reference's
    first word of the same stem, else by its first synonym.

    TER of it approximates TERp, which also knows paraphrases of several words.
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
    with importing("pair-features", "the features 'mt' need sacreBLEU"):
        from sacrebleu import metrics
    return metrics
