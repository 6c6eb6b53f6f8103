"""Corpus files to examples: every row kept, in file order."""
