"""Floating-point operations of DSA, DiSAN and ESIM, from the equations."""

import numpy as np


def training_operations(experiment, premise, hypothesis, labels=3):
    """Counts the operations of a step's matrix products on real tokens.

    A multiply-add counts as 2 operations. Multiply-adds of the forward pass of DSA and
    DiSAN: the encoders as in `encoding_operations`, and per pair 4 S c + c labels for
    the classifier, with S features of a sentence vector and c = `classifier.units`.
    ESIM, with u = `units`, D_in features of the word vectors, and P and Q real tokens
    of a pair:

        a token: both Bi-LSTMs, 2 directions of 4 gates    8 (D_in + u) u, 8 (2 u) u
                 projection                                8 u u
        a pair:  scores, and both sums of aligned tokens   3 P Q 2 u
                 classifier                                8 u u + u labels

    The backward pass of a product costs twice as much: one product per factor. Frozen
    vectors have no gradient. Only matrix products are counted: not normalization,
    softmax, dropout, the optimizer, or the token2token weights of DiSAN.

    Args:
        experiment: an `Experiment` of model `dsa` (with `pooling: both` and
            `gate: projected`), `disan` or `esim`.
        premise: `(N,)`, number of real tokens of each premise.
        hypothesis: `(N,)`, number of real tokens of each hypothesis.
        labels: number of labels.

    Returns: the number of operations, a float.
    """
    model, embedding = experiment.model, experiment.embedding
    if model.name == "esim":
        projection, first, rest = _esim(model, embedding, premise, hypothesis)
        read, hidden = 8 * model.units, model.units
    else:
        products, width = {"dsa": (_dsa, 4), "disan": (_disan, 2)}[model.name]
        lengths = np.concatenate([premise, hypothesis]).astype(float)
        projection, first, rest = products(model, embedding, lengths)
        read, hidden = 4 * width * model.units, model.classifier.units
    rest += len(premise) * hidden * (read + labels)

    inputs_learn = embedding.trainable or embedding.projection is not None
    multiply_adds = 3 * rest
    multiply_adds += (3 if inputs_learn else 2) * first
    multiply_adds += (3 if embedding.trainable else 2) * projection
    return 2 * multiply_adds


def encoding_operations(experiment, lengths):
    """Counts the operations of the matrix products of sentence encoding.

    A multiply-add counts as 2 operations. Multiply-adds, with d = `units`, D_in
    features of the word vectors, h = `hidden_units` and n real tokens of a sentence:

        a token, once:                    projection    vectors' features x D_in
                                          source2token  2 (2 d)^2
        DSA, a token, each direction:     Q, K, V, W^S  4 D_in d
                                          W^O, W^H      2 d^2
                                          feed-forward  2 d h
        DSA, a sentence, each direction:  Q K^T, A V    2 n^2 d
        DiSAN, a token, each direction:   h             D_in d
                                          W_1, W_2      2 d^2
                                          gate          2 d^2

    The token2token weights of DiSAN are not counted: they are not a matrix product.

    Args:
        experiment: an `Experiment` of model `dsa` (with `pooling: both` and
            `gate: projected`) or `disan`.
        lengths: `(N,)`, number of real tokens of each sentence.

    Returns: the number of operations, a float.
    """
    products = {"dsa": _dsa, "disan": _disan}[experiment.model.name]
    lengths = np.asarray(lengths, float)
    return 2 * sum(products(experiment.model, experiment.embedding, lengths))


def _dsa(model, embedding, lengths):
    """Returns the multiply-adds of the word-vector projection, the first layer, and all
    other layers."""
    units, tokens = model.units, lengths.sum()
    hidden = model.hidden_units or 4 * units
    first = 2 * tokens * 4 * embedding.output_units * units
    rest = tokens * (2 * (2 * units**2 + 2 * units * hidden) + 2 * (2 * units) ** 2)
    rest += 2 * 2 * (lengths**2).sum() * units
    return _projection(embedding, tokens), first, rest


def _disan(model, embedding, lengths):
    units, tokens = model.units, lengths.sum()
    first = 2 * tokens * embedding.output_units * units
    rest = tokens * (2 * 4 * units**2 + 2 * (2 * units) ** 2)
    return _projection(embedding, tokens), first, rest


def _esim(model, embedding, premise, hypothesis):
    units = model.units
    tokens = float(premise.sum() + hypothesis.sum())
    first = tokens * 8 * embedding.output_units * units
    rest = tokens * (8 + 8 + 8 * 2) * units**2  # independent of D_in
    rest += 3 * 2 * units * float((premise * hypothesis).sum())
    return _projection(embedding, tokens), first, rest


def _projection(embedding, tokens):
    if embedding.projection is None:
        return 0.0
    return tokens * embedding.units * embedding.output_units
