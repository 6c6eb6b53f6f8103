"""The feature-based classifier of Bowman et al. 2015 (arXiv:1508.05326)."""
