"""Floating-point operations of one DSA training step, from the equations."""

import numpy as np


def training_operations(experiment, premise, hypothesis, labels=3):
    """Operations of a step's matrix products on real tokens, 2 per multiply-add.

    With d = `units`, D_in features of the word vectors, h = `hidden_units` and n real
    tokens of a sentence, the forward pass takes, in multiply-adds:

        a token, each of two directions:  Q, K, V, W^S  4 D_in d
                                          W^O, W^H      2 d^2
                                          feed-forward  2 d h
        a token, once:                    source2token  2 (2 d)^2
                                          projection    vectors' features x D_in
        a sentence, each direction:       Q K^T, A V    2 n^2 d
        a pair:                           classifier    4 S c + c labels, S = 4 d

    Backward every product costs twice as much, one product for the weights or one
    factor, one for the input or the other; but no gradient goes to frozen vectors. Only
    matrix products count: not normalisation, softmax, dropout or the optimizer.

    Args:
        experiment: a `dsa.config.Experiment` of model `dsa` with `pooling: both` and
            `gate: projected`.
        premise, hypothesis: `(N,)` real lengths of the pairs, in tokens.
        labels: number of labels.

    Returns: operations, a float.
    """
    model, embedding = experiment.model, experiment.embedding
    units = model.units
    hidden = model.hidden_units or 4 * units
    lengths = np.concatenate([premise, hypothesis]).astype(float)
    tokens, pairs = lengths.sum(), len(premise)

    first = 2 * tokens * 4 * embedding.output_units * units
    projection = tokens * embedding.units * embedding.output_units
    if embedding.projection is None:
        projection = 0.0
    rest = tokens * (2 * (2 * units**2 + 2 * units * hidden) + 2 * (2 * units) ** 2)
    rest += 2 * 2 * (lengths**2).sum() * units
    classifier = model.classifier.units
    rest += pairs * classifier * (4 * 4 * units + labels)

    inputs_learn = embedding.trainable or embedding.projection is not None
    multiply_adds = 3 * rest
    multiply_adds += (3 if inputs_learn else 2) * first
    multiply_adds += (3 if embedding.trainable else 2) * projection
    return 2 * multiply_adds
