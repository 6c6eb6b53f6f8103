"""Vocabularies, word vectors and embedding matrices."""
