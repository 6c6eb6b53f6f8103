"""SWEM, pooling of word vectors (Shen et al. 2018, arXiv:1805.09843)."""
