"""What an encoder looked at, by word (Im & Cho 2017, section 5.5 and appendix).

L tokens, H heads, D features of a direction, F features of the pooled tokens.
"""

import json

import numpy as np

from dsa.layers.masks import DIRECTIONS


def by_word(named):
    """One sentence's named arrays as numbers by word.

    Args:
        named: arrays of `TrainedModel.explain_sentence`, without batch axis; those that
            an encoder lacks are left out.

    Returns: a dictionary; for each direction `d`:
        `heads_d` `(H, L, L)`, attention weights, each row one word's (figures 12, 13);
        `attention_d` `(L, L)`, their average over the heads (figures 7, 8);
        `gate_d` `(L,)`, average over features, 1 for the word itself and 0 for its
            context (figure 9);
        `deactivated_d` `(L,)`, share of zeros in the feed-forward hidden layer
            (figure 10a);
        `largest_output_d` `(L,)`, the largest feature of LN(x + FFN(x)) (figure 10b);
        and of the pooling:
        `source2token` `(L,)`, weights averaged over features (figure 11a);
        `max_pooling` `(L,)`, share of features whose maximum is the word's
            (figure 11b).
    """
    length, result = len(named["tokens"]), {}
    for direction in DIRECTIONS:
        if (heads := named.get(f"attention_{direction}")) is not None:
            result[f"heads_{direction}"] = heads
            result[f"attention_{direction}"] = heads.mean(axis=0)
        if (gate := named.get(f"gate_{direction}")) is not None:
            result[f"gate_{direction}"] = gate.mean(axis=-1)
        if (share := named.get(f"deactivated_{direction}")) is not None:
            result[f"deactivated_{direction}"] = share
        if (output := named.get(f"output_{direction}")) is not None:
            result[f"largest_output_{direction}"] = output.max(axis=-1)
    if (weights := named.get("source2token")) is not None:
        result["source2token"] = weights.mean(axis=-1)
    if (winners := named.get("max_pooling")) is not None:
        counts = np.bincount(winners, minlength=length)
        result["max_pooling"] = counts / len(winners)
    return result


def of_sentence(named, sentence):
    """The arrays of one sentence of a pair, as `explain_sentence` names them."""
    prefix = f"{sentence}."
    return {
        name.removeprefix(prefix): array
        for name, array in named.items()
        if name.startswith(prefix)
    }


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
