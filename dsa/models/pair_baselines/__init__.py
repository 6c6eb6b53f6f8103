"""Baselines for sentence pairs (Yin et al. 2016, arXiv:1512.05193, section 5)."""
