"""ESIM in plain PyTorch with packed LSTMs, the baseline of `plain_step.py`."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

UNITS, DROPOUT = 300, 0.5


class PackedLSTM(nn.Module):
    """Bi-LSTM over the real tokens only."""

    def __init__(self, features):
        super().__init__()
        self.lstm = nn.LSTM(features, UNITS, batch_first=True, bidirectional=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(
            x, lengths, batch_first=True, enforce_sorted=False
        )
        output, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=x.shape[1]
        )
        return output


class PlainESIM(nn.Module):
    """ESIM with trainable word vectors.

    Call arguments:
        premise, hypothesis: token ids `(B, P)` and `(B, Q)`; 0 is padding.

    Returns: logits `(B, 3)`.
    """

    def __init__(self, vocabulary_size):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, UNITS, padding_idx=0)
        self.encoding, self.composition = PackedLSTM(UNITS), PackedLSTM(UNITS)
        self.projection = nn.Sequential(nn.Linear(8 * UNITS, UNITS), nn.ReLU())
        self.classifier = nn.Sequential(
            nn.Dropout(DROPOUT),
            nn.Linear(8 * UNITS, UNITS),
            nn.Tanh(),
            nn.Dropout(DROPOUT),
            nn.Linear(UNITS, 3),
        )
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, premise, hypothesis):
        ids = premise, hypothesis
        masks = [sentences != 0 for sentences in ids]
        lengths = [mask.sum(dim=1).cpu() for mask in masks]
        a, b = (
            self.encoding(self.drop(self.embedding(sentences)), length)
            for sentences, length in zip(ids, lengths, strict=True)
        )
        scores = a @ b.transpose(1, 2)
        to_b = scores.masked_fill(~masks[1][:, None], float("-inf")).softmax(dim=2)
        to_a = scores.masked_fill(~masks[0][:, :, None], float("-inf")).softmax(dim=1)
        pooled = []
        for x, y, mask, length in (
            (a, to_b @ b, masks[0], lengths[0]),
            (b, to_a.transpose(1, 2) @ a, masks[1], lengths[1]),
        ):
            enhanced = self.projection(torch.cat([x, y, x - y, x * y], dim=-1))
            v, real = self.composition(self.drop(enhanced), length), mask[..., None]
            pooled.append((v * real).sum(dim=1) / real.sum(dim=1))
            pooled.append(v.masked_fill(~real, float("-inf")).amax(dim=1))
        return self.classifier(torch.cat(pooled, dim=-1))
