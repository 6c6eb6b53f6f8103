"""SWEM, word vectors that are only pooled (Shen et al. 2018, arXiv:1805.09843)."""
