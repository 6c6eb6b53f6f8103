"""BCNN in plain PyTorch, the baseline of `bcnn_step.py`."""

import torch
from torch import nn
from torch.nn import functional


class PlainBCNN(nn.Module):
    """BCNN with one convolution block, cosine similarities and frozen word vectors.

    Call arguments:
        first, second: token ids `(B, P)` and `(B, Q)`; 0 is padding.
        features: `(B, F)`.

    Returns: logits `(B, 2)`.
    """

    def __init__(self, vocabulary_size, units, filters, width, features):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, units, padding_idx=0)
        self.embedding.weight.requires_grad = False
        self.convolution = nn.Conv1d(units, filters, width, padding=width - 1)
        self.classifier = nn.Linear(2 + features, 2)
        self.width = width

    def forward(self, first, second, features):
        words, columns = zip(*map(self.encode, (first, second)), strict=True)
        compared = [
            functional.cosine_similarity(*words),
            functional.cosine_similarity(*columns),
        ]
        return self.classifier(torch.cat([torch.stack(compared, 1), features], dim=1))

    def encode(self, ids):
        """Returns the means of the word vectors and of the convolution outputs."""
        lengths = (ids != 0).sum(dim=1, keepdim=True)
        vectors = self.embedding(ids)
        columns = torch.tanh(self.convolution(vectors.transpose(1, 2)))
        counts = lengths + self.width - 1
        real = torch.arange(columns.shape[2]) < counts
        pooled = (columns * real[:, None]).sum(dim=2) / counts
        return vectors.sum(dim=1) / lengths, pooled
