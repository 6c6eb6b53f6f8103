"""Softmax regression to distributions by the mean squared error, SentEval's for scores.

N rows, F features, K numbers of a scale.
"""

import numpy as np

RATE, DECAYS, SMALL = 1e-3, (0.9, 0.999), 1e-8  # Adam's
BATCH = 64
EPOCHS_PER_LOOK, MOST_EPOCHS = 50, 1000
PATIENCE = 3  # looks at dev without a better one, and one more, end the training


class ProbabilityRegression:
    """`p = softmax(x W + b)`, trained by Adam on batches of 64 rows to the least mean
    squared error to distributions.

    After every 50 epochs it is measured on dev; the best weights are kept, and the
    fourth look that is not better is the last one.

    Args:
        seed: of the initial weights and of the order of rows.

    Reference: Conneau & Kiela 2018, "SentEval" (arXiv:1803.05449), the released code's
    `RelatednessPytorch`.
    """

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def fit(self, features, shares, measure):
        """Train.

        Args:
            features: `(N, F)`.
            shares: `(N, K)`, the distributions.
            measure: a function of this regression to a number of dev, more is better.

        Returns: this.
        """
        bound = features.shape[1] ** -0.5  # PyTorch's initial weights
        shapes = (features.shape[1], shares.shape[1]), shares.shape[1]
        self.weights = [self.random.uniform(-bound, bound, shape) for shape in shapes]
        self.moments = [[np.zeros_like(w) for w in self.weights] for _ in DECAYS]
        self.step, not_better, best, kept = 0, 0, -np.inf, self.weights
        for _ in range(MOST_EPOCHS // EPOCHS_PER_LOOK):
            for _ in range(EPOCHS_PER_LOOK):
                self._learn_epoch(features, shares)
            if (value := measure(self)) > best:
                best, kept = value, [w.copy() for w in self.weights]
            elif not_better >= PATIENCE:
                break
            else:
                not_better += 1
        self.weights = kept
        return self

    def predict_shares(self, features):
        """Distributions `(N, K)`."""
        from scipy.special import softmax

        kernel, bias = self.weights
        return softmax(features @ kernel + bias, axis=1)

    def _learn_epoch(self, features, shares):
        order = self.random.permutation(len(features))
        for begin in range(0, len(order), BATCH):
            rows = order[begin : begin + BATCH]
            x, target = features[rows], shares[rows]
            predicted = self.predict_shares(x)
            of_shares = 2 * (predicted - target) / target.size
            inner = (of_shares * predicted).sum(axis=1, keepdims=True)
            of_logits = predicted * (of_shares - inner)
            self._update([x.T @ of_logits, of_logits.sum(axis=0)])

    def _update(self, gradients):
        """A step of Adam."""
        self.step += 1
        firsts, seconds = self.moments
        first_decay, second_decay = DECAYS
        for w, m, v, g in zip(self.weights, firsts, seconds, gradients, strict=True):
            m += (1 - first_decay) * (g - m)
            v += (1 - second_decay) * (g**2 - v)
            unbiased = m / (1 - first_decay**self.step)
            size = np.sqrt(v / (1 - second_decay**self.step)) + SMALL
            w -= RATE * unbiased / size
