"""What the vectors of a trained encoder are worth on other tasks."""
