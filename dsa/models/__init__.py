"""The models, a folder for each paper, listed in `dsa.models.registry`."""
