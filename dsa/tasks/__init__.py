"""Tasks: what a model reads and answers, and the metric that selects a checkpoint."""
