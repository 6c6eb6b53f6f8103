"""ESIM (Chen et al. 2017, arXiv:1609.06038) and aESIM (Li et al. 2019)."""
