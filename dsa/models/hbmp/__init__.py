"""HBMP, hierarchical Bi-LSTM max pooling (Talman et al. 2019, arXiv:1808.08762)."""
