"""The decomposable attention model (Parikh et al. 2016, arXiv:1606.01933)."""
