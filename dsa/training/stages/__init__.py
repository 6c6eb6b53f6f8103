"""Training in stages: a block after the other, and a final classifier."""
