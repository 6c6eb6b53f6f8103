"""What is asked of a model: how many sentences it reads, what it answers, and the
metric that selects a checkpoint."""
