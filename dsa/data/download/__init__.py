"""Corpora, word vectors and WordNet from their authors' servers."""
