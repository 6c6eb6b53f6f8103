"""A stacked Bi-LSTM with gated attention (Chen et al. 2017, RepEval,
arXiv:1708.01353)."""
