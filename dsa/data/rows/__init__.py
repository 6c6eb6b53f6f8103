"""Model inputs: token ids and features of the rows of a corpus."""
