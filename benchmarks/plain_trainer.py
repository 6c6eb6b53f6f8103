"""Training steps of the plain PyTorch models, one a batch."""

import torch
from torch import nn
from torch.nn import functional


class Trainer:
    """A model with Adam, fused.

    Args:
        model: ids `(B, P)` and `(B, Q)` to logits `(B, 3)`.
        learning_rate: of Adam.
        clip_norm: of all gradients together, `None` for no clipping.
    """

    def __init__(self, model, learning_rate, clip_norm=None):
        self.model = model
        self.clip_norm = clip_norm
        self.trained = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.Adam(self.trained, learning_rate, fused=True)

    def step(self, inputs, labels):
        """Train on one batch of NumPy arrays; returns the loss."""
        premise, hypothesis = (
            torch.from_numpy(inputs[name]).long() for name in ("premise", "hypothesis")
        )
        loss = functional.cross_entropy(
            self.model(premise, hypothesis), torch.from_numpy(labels).long()
        )
        self.optimizer.zero_grad()
        loss.backward()
        if self.clip_norm:
            nn.utils.clip_grad_norm_(self.trained, self.clip_norm)
        self.optimizer.step()
        return loss.item()
