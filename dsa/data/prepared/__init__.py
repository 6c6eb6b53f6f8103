"""Tokenized corpora, splits and views."""
