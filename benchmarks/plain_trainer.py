"""Training steps of the plain PyTorch models, on a GPU if available."""

import torch
from torch import nn
from torch.nn import functional


class Trainer:
    """Trains a model with fused Adam.

    Args:
        model: module that maps token ids `(B, P)` and `(B, Q)` to logits `(B, 3)`.
        learning_rate: learning rate of Adam.
        clip_norm: maximum global norm of the gradients, `None` for no clipping.
        bfloat16: whether matrix products are computed in bfloat16.
    """

    def __init__(self, model, learning_rate, clip_norm=None, bfloat16=False):
        torch.set_float32_matmul_precision("highest")  # as in dsa
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.model = model.to(self.device)
        self.clip_norm = clip_norm
        self.bfloat16 = bfloat16
        self.trained = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.Adam(self.trained, learning_rate, fused=True)

    def step(self, inputs, labels):
        """Trains on one batch of NumPy arrays. Returns the loss, a tensor."""
        premise, hypothesis, labels = (
            torch.from_numpy(array).to(self.device).long()
            for array in (inputs["premise"], inputs["hypothesis"], labels)
        )
        with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
            loss = functional.cross_entropy(self.model(premise, hypothesis), labels)
        self.optimizer.zero_grad()
        loss.backward()
        if self.clip_norm:
            nn.utils.clip_grad_norm_(self.trained, self.clip_norm)
        self.optimizer.step()
        return loss.detach()

    def wait(self):
        """Waits until all steps are computed, which a GPU runs asynchronously."""
        if self.device == "cuda":
            torch.cuda.synchronize()
