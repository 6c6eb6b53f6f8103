"""Corpora and word vectors from their authors' servers."""
