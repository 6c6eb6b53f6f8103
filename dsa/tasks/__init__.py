"""Tasks: inputs, loss, metrics, selection metric and output format."""
