"""Several runs: which are planned, which are finished, and what is missing."""
