"""The rows of a corpus as a model reads them: ids, and features of the pair."""
