"""DiSAN and its baselines (Shen et al. 2018, arXiv:1709.04696)."""
