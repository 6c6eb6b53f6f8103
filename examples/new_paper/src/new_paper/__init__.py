"""Name of the model (Author et al. 2019)."""
