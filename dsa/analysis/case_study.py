"""What a model looked at, by word (Im & Cho 2017, section 5.5 and appendix)."""

import json

import numpy as np

from dsa.errors import InputError


def find_source2token_weights(word, explanation):
    """The source2token weights of a word's first occurrence, `(S,)`, one a feature
    (Shen et al. 2018, figure 8).

    Args:
        word: a token, in the run's case.
        explanation: the `Explanation` of one sentence.

    Raises: `InputError` for a word that is no token of the sentence, and for an encoder
        without source2token pooling.
    """
    (tokens,) = explanation.tokens.values()
    if word not in tokens:
        raise InputError(f"'{word}' is none of the tokens {' '.join(tokens)}")
    if "source2token" not in explanation:
        raise InputError("this run's encoder has no source2token pooling")
    return explanation["source2token"].values[tokens.index(word)]


def find_longest_sentence(prepared):
    """The tokens of the longest sentence of a `PreparedCorpus`, the first such one."""
    position = int(prepared.sentences.lengths.argmax())
    ids = prepared.sentences.select(np.array([position])).ids
    return [prepared.words[id] for id in ids]


def to_json(studies):
    """The numbers by word of several runs, as JSON, without maps of token over token.

    The numbers of DSA are those of the figures of Im & Cho 2017:

    - `gate_<direction>`: average over the features, 1 for the word itself and 0 for its
      context (figure 9);
    - `deactivated_<direction>`: share of zeros in the feed-forward hidden layer (10a);
    - `largest_output_<direction>`: the largest feature of LN(x + FFN(x)) (10b);
    - `source2token`: weights averaged over the features (11a);
    - `max_pooling`: share of the features whose maximum is the word's (11b);

    and those of every other `TokenMap` of the model, under its `summary_name`. Where
    there are words that the run does not know, they are `unknown`.

    Args:
        studies: `{run name: {sentence name: Explanation of the sentence}}`.
    """
    content = {
        run: {name: _to_record(look) for name, look in sentences.items()}
        for run, sentences in studies.items()
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _to_record(explanation):
    (tokens,) = explanation.tokens.values()
    record = {"tokens": list(tokens)}
    unknown = [word for word in explanation.unknown if word in tokens]
    if unknown:
        record["unknown"] = unknown
    for one in explanation.values():
        if not one.is_over_tokens:
            numbers = [round(float(number), 6) for number in one.by_token()]
            record[one.summary_name] = numbers
    return record


def to_arrays(studies):
    """Every array of several runs by name: the run's number, the sentence and the map.

    Args:
        studies: as `to_json`.
    """
    arrays = {}
    for number, sentences in enumerate(studies.values(), start=1):
        for sentence, explanation in sentences.items():
            folder = "/".join(filter(None, (str(number), sentence)))
            (tokens,) = explanation.tokens.values()
            arrays[f"{folder}/tokens"] = np.array(tokens)
            for name, one in explanation.items():
                arrays[f"{folder}/{name}"] = one.values
    return arrays
