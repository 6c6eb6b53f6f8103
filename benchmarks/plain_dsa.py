"""DSA in plain PyTorch with fused attention, the baseline of `plain_step.py`."""

import torch
from torch import nn
from torch.nn import functional

UNITS, HEADS, HIDDEN, ALPHA, DROPOUT = 300, 5, 1200, 1.5, 0.1


def make_normalized_map(inputs, units, bias=False):
    """Returns a linear map with layer normalization."""
    return nn.Sequential(nn.Linear(inputs, units, bias=bias), nn.LayerNorm(units))


class Direction(nn.Module):
    """Directional self-attention with fusion gate and feed-forward layer.

    Call arguments:
        x: word vectors `(B, L, D)`.
        real: bool `(B, L)`, True = real token.

    Returns: tokens in their context before (forward) or after them, `(B, L, D)`.
    """

    def __init__(self, forward_direction):
        super().__init__()
        self.looks_back = forward_direction
        self.query, self.key, self.value, self.output = (
            make_normalized_map(UNITS, UNITS) for _ in range(4)
        )
        self.token_gate, self.context_gate = (
            make_normalized_map(UNITS, UNITS) for _ in range(2)
        )
        self.gate_bias = nn.Parameter(torch.zeros(UNITS))
        self.feed_forward = nn.Sequential(
            nn.Linear(UNITS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, UNITS)
        )
        self.norm = nn.LayerNorm(UNITS)
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, x, real):
        length = x.shape[1]
        positions = torch.arange(length, device=x.device)
        distance = positions[:, None] - positions
        seen = (distance > 0 if self.looks_back else distance < 0) & real[:, None, None]
        bias = (-ALPHA * distance.abs()).expand(seen.shape).masked_fill(~seen, -1e9)
        query, key, value = (
            project(x).unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for project in (self.query, self.key, self.value)
        )
        context = functional.scaled_dot_product_attention(query, key, value, bias)
        # a token without visible tokens, such as the first one, has context 0
        context = context * seen.any(dim=-1, keepdim=True)
        context = self.drop(self.output(context.transpose(1, 2).flatten(2)))
        tokens, context = self.token_gate(x), self.context_gate(context)
        gate = torch.sigmoid(self.drop(tokens + context + self.gate_bias))
        mixed = gate * tokens + (1 - gate) * context
        return self.norm(mixed + self.drop(self.feed_forward(mixed)))


class PlainDSA(nn.Module):
    """DSA with frozen word vectors.

    Call arguments:
        premise, hypothesis: token ids `(B, P)` and `(B, Q)`; 0 is padding.

    Returns: logits `(B, 3)`.
    """

    def __init__(self, vocabulary_size):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, UNITS, padding_idx=0)
        self.embedding.weight.requires_grad_(False)
        self.directions = nn.ModuleList([Direction(True), Direction(False)])
        self.source2token = nn.Sequential(
            make_normalized_map(2 * UNITS, 2 * UNITS, bias=True),
            nn.ELU(),
            make_normalized_map(2 * UNITS, 2 * UNITS, bias=True),
        )
        self.classifier = nn.Sequential(
            make_normalized_map(16 * UNITS, UNITS, bias=True),
            nn.ReLU(),
            nn.Dropout(DROPOUT),
            nn.Linear(UNITS, 3),
        )

    def encode(self, ids):
        """Returns sentence vectors `(B, 4 x UNITS)`."""
        real, x = ids != 0, self.embedding(ids)
        tokens = torch.cat(
            [direction(x, real) for direction in self.directions], dim=-1
        )
        padding = ~real[..., None]
        weights = self.source2token(tokens).masked_fill(padding, -1e9).softmax(dim=1)
        highest = tokens.masked_fill(padding, -1e9).amax(dim=1)
        return torch.cat([(weights * tokens).sum(dim=1), highest], dim=-1)

    def forward(self, premise, hypothesis):
        u, v = self.encode(premise), self.encode(hypothesis)
        return self.classifier(torch.cat([u, v, (u - v).abs(), u * v], dim=-1))
