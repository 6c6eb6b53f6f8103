"""BCNN and ABCNN (Yin et al. 2016, TACL 4, arXiv:1512.05193)."""
