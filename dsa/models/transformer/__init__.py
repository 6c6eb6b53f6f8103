"""Transformer encoder (Vaswani et al. 2017, arXiv:1706.03762), a comparison model
without the masks of DSA."""
