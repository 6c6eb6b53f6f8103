"""Self-attentive sentence embedding (Lin et al. 2017, arXiv:1703.03130)."""
