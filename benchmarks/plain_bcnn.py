"""BCNN in plain PyTorch, as a competent user would write it. `bcnn_step.py` compares
this project's BCNN with it."""

import torch
from torch import nn
from torch.nn import functional


class PlainBCNN(nn.Module):
    """Ids `(B, P)` and `(B, Q)`, 0 is padding, and features `(B, F)`, to logits
    `(B, 2)`: one convolution block, cosines, frozen word vectors."""

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
        """The mean of the word vectors, and that of the convolution's columns."""
        lengths = (ids != 0).sum(dim=1, keepdim=True)
        vectors = self.embedding(ids)
        columns = torch.tanh(self.convolution(vectors.transpose(1, 2)))
        counts = lengths + self.width - 1
        real = torch.arange(columns.shape[2]) < counts
        pooled = (columns * real[:, None]).sum(dim=2) / counts
        return vectors.sum(dim=1) / lengths, pooled
