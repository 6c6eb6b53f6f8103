"""Several runs: which are finished, and what is missing."""
