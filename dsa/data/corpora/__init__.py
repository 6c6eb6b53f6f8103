"""Readers of corpus formats: a file to examples, every row kept, in file order."""

from dsa.data.corpora.snli import read_snli

READERS = {"snli": read_snli}
