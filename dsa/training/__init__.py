"""Training: from an experiment and its data to a finished run folder."""
