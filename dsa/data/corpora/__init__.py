"""Corpus readers. Each yields an `Example` per row, in file order."""
