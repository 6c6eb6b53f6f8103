"""What an encoder looked at, by word (Im & Cho 2017, section 5.5 and appendix).

L tokens, H heads.
"""

import json

import numpy as np

from dsa.errors import InputError

BY_WORD = (
    "deactivated",
    "additive_attention",
    "alignment",
    "encoding_word_attention",
    "composition_word_attention",
)


def by_word(named):
    """One sentence's named arrays as numbers by word.

    Args:
        named: arrays of `TrainedModel.explain_sentence`, without batch axis; those that
            an encoder lacks are left out.

    Returns: a dictionary; for each direction, `_forward` and `_backward` behind the
        name, or nothing for an encoder without directions:
        `heads` `(H, L, L)`, attention weights, each row one word's (figures 12, 13);
        `attention` `(L, L)`, their average over the heads, or over the features of
            multi-dimensional attention (figures 7, 8);
        `gate` `(L,)`, average over features, 1 for the word itself and 0 for its
            context (figure 9);
        `deactivated` `(L,)`, share of zeros in the feed-forward hidden layer
            (figure 10a);
        `largest_output` `(L,)`, the largest feature of LN(x + FFN(x)) (figure 10b);
        and of the pooling:
        `source2token` `(L,)`, weights averaged over features (figure 11a);
        `additive_attention` `(L,)`, weights;
        `max_pooling` `(L,)`, share of features whose maximum is the word's
            (figure 11b);
        and of joint models:
        `alignment` `(L, K)`, weights over the K words of the other sentence (Li et al.
            2019, figure 4);
        `encoding_word_attention`, `composition_word_attention` `(L,)`, by direction.
    """
    result = {}
    for name, array in named.items():
        kind = name.removesuffix("_forward").removesuffix("_backward")
        direction = name.removeprefix(kind)
        if kind == "attention":
            result[f"heads{direction}"] = array
            result[name] = array.mean(axis=0)
        elif kind == "feature_attention":
            result[f"attention{direction}"] = array.mean(axis=-1)
        elif kind in ("gate", "source2token"):
            result[name] = array.mean(axis=-1)
        elif kind in BY_WORD:
            result[name] = array
        elif kind == "output":
            result[f"largest_output{direction}"] = array.max(axis=-1)
        elif kind == "max_pooling":
            counts = np.bincount(array, minlength=len(named["tokens"]))
            result[name] = counts / len(array)
    return result


def of_sentence(named, sentence):
    """The arrays of one sentence of a pair, as `explain_sentence` names them."""
    prefix = f"{sentence}."
    return {
        name.removeprefix(prefix): array
        for name, array in named.items()
        if name.startswith(prefix)
    }


def source2token_of(word, named):
    """The source2token weights of a word's first occurrence, `(S,)`, one a feature
    (Shen et al. 2018, figure 8).

    Args:
        word: a token, in the run's case.
        named: as `by_word`.

    Raises: `InputError` for a word that is no token of the sentence, and for an encoder
        without source2token pooling.
    """
    tokens = named["tokens"].tolist()
    if word not in tokens:
        raise InputError(f"'{word}' is none of the tokens {' '.join(tokens)}")
    if "source2token" not in named:
        raise InputError("this run's encoder has no source2token pooling")
    return named["source2token"][tokens.index(word)]


def longest_sentence(prepared):
    """The tokens of the longest sentence of a `PreparedCorpus`, the first such one."""
    position = int(prepared.sentences.lengths.argmax())
    ids = prepared.sentences.only(np.array([position])).ids
    return [prepared.words[each] for each in ids]


def to_json(studies):
    """Word-level numbers of runs as JSON, maps and heads left to the arrays.

    Args:
        studies: `{run name: {sentence name: named arrays}}`.
    """
    content = {}
    for run, sentences in studies.items():
        content[run] = {}
        for sentence, named in sentences.items():
            words = {
                name: [round(float(each), 6) for each in array]
                for name, array in by_word(named).items()
                if array.ndim == 1
            }
            content[run][sentence] = {"tokens": named["tokens"].tolist(), **words}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
