"""Downloads of corpora, word vectors and WordNet."""
