"""A Transformer encoder (Vaswani et al. 2017, arXiv:1706.03762), the control of DSA's
masks."""
