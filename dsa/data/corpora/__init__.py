"""Readers of corpus formats: a file to examples, every row kept, in file order."""

from dsa.data.corpora.nli import read_nli

READERS = {"snli": read_nli, "multinli": read_nli}
