"""HTTP service of a trained run."""
