"""The tables that `reproduce.py` makes: one file a paper, and one of this project."""
