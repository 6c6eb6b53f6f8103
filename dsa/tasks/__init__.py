"""What is asked of a model, and how good its answers are."""
